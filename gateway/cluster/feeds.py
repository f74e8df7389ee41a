"""The rooms that sessions of this gateway follow. Every session receives every step once, in order, without a hole.

Messages may be lost. A hole in the numbers, a new epoch or a renewed subscription makes the gateway read the missed
steps from the partition's log of updates, or from the room's own updates; a position that is not part of the room's
history any more is replaced by a full view.
"""

import asyncio
import logging
from collections.abc import Iterable
from heapq import nlargest
from operator import itemgetter
from typing import TypeAlias

import msgspec

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.feed import Feed, HeldAnswer
from gateway.cluster.followers import (
    CHUNK_BYTES,
    SEAT_LEFT,
    catch_up,
    has_missed,
    notify_if_seat_lost,
    send_due_views,
)
from gateway.cluster.identity import GatewayIdentity
from gateway.cluster.visibility import visible_part
from gateway.dialects.contract import DeliveredStep
from gateway.metrics import Metrics
from gateway.session.attachments import Attachment, Follower
from shared.bus import updates, visibility
from shared.bus.keys import Keys
from shared.bus.store import Store, StoreError
from shared.bus.updates import Wanted
from shared.commands import Wants
from shared.deliveries import Delivery, Reply, StepMessage
from shared.ids import CommitNumber, Epoch, Partition, RoomId, partition_of
from shared.room_views import Position

log = logging.getLogger("tavolata.feeds")

_NO_DELIVERY = (Epoch(0), 0)
_RETRY_S = 0.1
_CHUNK_STEPS = 100
"""Missed steps that a follower is sent at once, at most."""
_FOLLOWERS_AT_ONCE = 64
"""Followers whose missed steps are read in one round trip: many come back at once when a gateway has died."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 1.0
"""Pauses before looking again whether a client has read."""

_decode = msgspec.json.Decoder(tuple[Delivery, ...]).decode


class Feeds:
    """The path from the store to the sessions of this gateway."""

    def __init__(
        self,
        identity: GatewayIdentity,
        store: Store,
        partitions: tuple[Keys, ...],
        outbox: CommandOutbox,
        metrics: Metrics,
        tasks: BackgroundTasks,
        *,
        visible_only: bool = False,
    ) -> None:
        """`visible_only`: the durability is `replicated`, and no step may be shown before replicas have it."""
        self._visible_only = visible_only
        self._identity = identity
        self._store = store
        self._keys = partitions
        self._outbox = outbox
        self._metrics = metrics
        self._tasks = tasks
        self._feeds: dict[RoomId, Feed] = {}
        self._last: dict[Partition, tuple[Epoch, int]] = {}
        """Epoch and number of the last delivery of each partition."""

    # --- followers ----------------------------------------------------------------------------------------------------

    def attach(self, attachment: Attachment, top: Position, follower: Follower) -> None:
        """Deliver the room's steps from the attachment's position on, in place of an earlier attachment of the same
        follower. `top` is the room's last step: if the follower has seen less, or something else, the rest is read."""
        feed = self._feeds.setdefault(attachment.room, Feed(attachment.room))
        attachment.follower = follower
        for other in feed.followers:
            if other.follower is follower:
                other.stale = True
        feed.followers = (*(other for other in feed.followers if other.follower is not follower), attachment)
        feed.top = max(feed.top, top.offset)
        if feed.top > top.offset or attachment.position != top:
            self._fill([feed])

    def detach(self, attachment: Attachment) -> bool:
        """True if the attachment was that of the room's last spectator at this gateway."""
        feed = self._feeds.get(attachment.room)
        if feed is None or attachment not in feed.followers:
            return False
        feed.followers = tuple(other for other in feed.followers if other is not attachment)
        attachment.stale = True
        if not feed.followers:
            del self._feeds[attachment.room]
        return attachment.seat is None and all(other.seat is not None for other in feed.followers)

    def audiences(self, most: int) -> dict[RoomId, int]:
        """The number of spectators at this gateway of each room that has some; of the rooms with the most of them, if
        there are many."""
        counts = {
            feed.room: count
            for feed in self._feeds.values()
            if (count := sum(attachment.seat is None for attachment in feed.followers))
        }
        return counts if len(counts) <= most else dict(nlargest(most, counts.items(), key=itemgetter(1)))

    def has_spectator(self, room: RoomId) -> bool:
        feed = self._feeds.get(room)
        return feed is not None and any(attachment.seat is None for attachment in feed.followers)

    def reposition(self, attachment: Attachment, position: Position) -> None:
        """The follower was sent a full view as of this position."""
        attachment.epoch, attachment.offset, attachment.stale = position.epoch, position.offset, False
        attachment.rewound, attachment.commit = False, CommitNumber(0)
        feed = self._feeds.get(attachment.room)
        if feed is not None and feed.top > position.offset:
            self._fill([feed])

    # --- messages -----------------------------------------------------------------------------------------------------

    def message(self, message: bytes) -> None:
        """Deliveries of partitions to this gateway."""
        for delivery in _decode(message):
            self._receive(delivery)

    def _receive(self, delivery: Delivery) -> None:
        partition = delivery.partition
        epoch, number = self._last.get(partition, (delivery.epoch, 0))
        if delivery.epoch < epoch:  # of an owner that has been replaced since
            return
        if delivery.epoch != epoch or delivery.number != number + 1:
            self._gap(partition)
        # One object for all deliveries of an owner: each attachment keeps it, and an object that only this attachment
        # has would be in no cache of the processor when the next step takes its place.
        epoch = epoch if delivery.epoch == epoch else delivery.epoch
        self._last[partition] = (epoch, delivery.number)
        # Order within a delivery. Replies that attach a session come before the steps: the steps right behind such a
        # reply are not in its view, and a session that is not attached yet would miss them. All other replies come
        # after the steps: a client must see the step of its move before the acknowledgement, because a client that has
        # the acknowledgement and then loses its connection resumes from the acknowledged position.
        replies = self._outbox.answer_attaching(delivery.replies) if delivery.replies else ()
        gateway, feeds, answer = self._identity.id, self._feeds, self._outbox.answer
        for step in delivery.steps:
            feed = feeds.get(step.room)
            if feed is not None:
                delivered = self._deliver(feed, step, epoch)
                if step.unseats is not False and delivered is not None and SEAT_LEFT in delivered.raw:
                    _notify_lost_seats(feed, delivered)
            done = step.done
            if done is not None and done.gateway == gateway:
                reply = Reply(done.conn, step.room, done.id, "", "", epoch, step.offset)
                if feed is None or not (feed.filling or feed.behind):
                    answer(reply)
                else:
                    self._answer_in_order(feed, reply, delivery.epoch)
        for reply in replies:
            feed = feeds.get(reply.room)
            if feed is None:
                answer(reply)
            else:
                self._answer_in_order(feed, reply, delivery.epoch)

    def _answer_in_order(self, feed: Feed, reply: Reply, epoch: Epoch) -> None:
        """Answer a command, but not before the client was sent the step. `epoch` is that of the owner that gave the
        answer. An answer may be all that shows a missed step: an owner that has lost the last writes, and with them
        that the room is followed here, sends the steps elsewhere."""
        attachment = feed.attachment_of(reply)
        if attachment is None or attachment.offset >= reply.offset:
            self._outbox.answer(reply)
            return
        feed.held += (HeldAnswer(reply, epoch),)
        feed.top = max(feed.top, reply.offset)
        if not feed.is_reading_for(attachment):
            self._fill([feed])

    def _release(self, feed: Feed) -> None:
        """Give the answers whose steps were sent meanwhile.

        An answer is dropped if its step is not in the store, or if the client was sent steps of a later owner, which
        may have another step in its place. The command has no answer then, and is added to its stream again: by `_gap`
        when the later owner was noticed, or after a while."""
        held, feed.held = feed.held, ()
        for answer in held:
            attachment = feed.attachment_of(answer.reply)
            if attachment is not None and attachment.offset < answer.reply.offset:
                if feed.is_reading_for(attachment):
                    feed.held += (answer,)
            elif attachment is None or attachment.epoch <= answer.epoch:
                self._outbox.answer(answer.reply)

    def heartbeat(self, last: dict[Partition, tuple[Epoch, int]]) -> None:
        """An owner repeats the number of its last delivery, so that the loss of the last one is noticed, too."""
        for partition, latest in last.items():
            if latest > self._last.get(partition, _NO_DELIVERY):
                self._last[partition] = latest
                self._gap(partition)

    def resubscribed(self) -> None:
        """Any message of any partition may have been lost. If the store has failed, so may its last writes,
        among them the note that this gateway receives a room's updates. Then no step would come that shows the loss, so
        every follower is attached again."""
        self._last.clear()
        for feed in self._feeds.values():
            for attachment in feed.followers:
                attachment.follower.attach_again(attachment)
        self._fill(list(self._feeds.values()))
        for number in range(len(self._keys)):
            self._resend(Partition(number))

    def _deliver(self, feed: Feed, step: StepMessage, epoch: Epoch) -> DeliveredStep | None:
        """Deliver a step to the followers that are waiting for it; the step as one of them saw it. `epoch` is that of
        the step."""
        offset = feed.top = step.offset
        if feed.filling:
            # Any number needs it: after the store lost its last steps, a new step takes the number of a lost one.
            feed.refill = True
            return None
        hole = False
        first_part: msgspec.Raw | None = None
        first: DeliveredStep | None = None
        others: dict[int, DeliveredStep] | None = None
        for attachment in feed.followers:
            if attachment.offset != offset - 1 or attachment.stale or attachment.behind:
                hole |= has_missed(attachment, step)
                continue
            part = step.public
            if step.seats or attachment.seat is None:
                part = visible_part(step, attachment.seat, attachment.since, attachment.wants)
            # Sessions that see the same bytes share one object, so that the step is decoded once per gateway.
            if first is None:
                first_part = part
                first = delivered = DeliveredStep(bytes(part))
            elif part is first_part:
                delivered = first
            else:
                if others is None:
                    others = {}
                delivered = others.setdefault(id(part), DeliveredStep(bytes(part)))
            # As `advance`, without a call: this runs for every move and every player.
            attachment.epoch, attachment.offset, attachment.commit = epoch, offset, step.commit
            attachment.follower.deliver(attachment, delivered)
            if attachment.pending_view is not None:
                send_due_views(attachment)
        if hole:
            self._fill([feed])
        return first

    # --- gaps ---------------------------------------------------------------------------------------------------------

    def _gap(self, partition: Partition) -> None:
        self._fill(feed for feed in self._feeds.values() if partition_of(feed.room, len(self._keys)) == partition)
        self._resend(partition)

    def _resend(self, partition: Partition) -> None:
        """The lost deliveries may have held replies: rooms answer a command that is sent again as before."""
        self._metrics.gap()
        self._outbox.resend(partition)

    def _fill(self, feeds: Iterable[Feed]) -> None:
        idle = []
        for feed in feeds:
            if feed.filling:
                feed.refill = True
            else:
                feed.filling = True
                idle.append(feed)
        for some in self._read_together(idle):
            self._tasks.spawn(self._fill_gaps(some))

    def _read_together(self, feeds: list[Feed]) -> Iterable[list[Feed]]:
        """The feeds in groups that fail together. A node of a Cluster that does not answer must not keep the rooms of
        other nodes waiting."""
        if not self._store.sharded:
            return [feeds] if feeds else []
        groups: dict[Partition, list[Feed]] = {}
        for feed in feeds:
            groups.setdefault(partition_of(feed.room, len(self._keys)), []).append(feed)
        return groups.values()

    async def _fill_gaps(self, feeds: list[Feed]) -> None:
        """Read and deliver the missed steps, until no feed has missed any."""
        try:
            while feeds:
                for feed in feeds:
                    feed.refill = False
                if not await self._fill_once(feeds):
                    await asyncio.sleep(_RETRY_S)
                    continue
                for feed in feeds:
                    feed.filling = feed.refill
                    self._release(feed)
                feeds = [feed for feed in feeds if feed.filling]
        finally:  # if this fails, the next step finds its hole and tries again
            for feed in feeds:
                feed.filling = False
                self._release(feed)

    async def _fill_once(self, feeds: list[Feed]) -> bool:
        """Read and deliver the first chunk of what each follower has missed. False if the store cannot be read."""
        wanted: list[_Behind] = []
        for feed in feeds:
            for attachment in feed.followers:
                if attachment.behind:
                    attachment.refill = True
                else:
                    wanted.append((feed, attachment))
        wanted.sort(key=lambda behind: partition_of(behind[0].room, len(self._keys)))  # those of one log together
        for at in range(0, len(wanted), _FOLLOWERS_AT_ONCE):
            if not await self._read_chunks(wanted[at : at + _FOLLOWERS_AT_ONCE]):
                return False
        return True

    async def _read_chunks(self, wanted: list["_Behind"]) -> bool:
        places = [
            Wanted(self._partition(feed.room), feed.room, attachment.position, attachment.commit, feed.top)
            for feed, attachment in wanted
        ]
        try:
            missed_steps = visibility.missed if self._visible_only else updates.missed
            found = await missed_steps(self._store, places, _CHUNK_STEPS)
        except StoreError as error:
            log.info("cannot read missed steps, will try again: %s", error)
            return False
        for (feed, attachment), place, missed in zip(wanted, places, found, strict=True):
            if attachment.position != place.position:
                continue
            if attachment.stale:
                attachment.rewound |= missed.lost == "rewound"
                continue
            if catch_up(attachment, missed):
                if not attachment.behind and missed.steps and attachment.wants & Wants.VIEW:
                    attachment.follower.views_missed(attachment)
            elif attachment.behind:
                attachment.refill = True
            elif not attachment.stale:
                attachment.behind = True
                feed.behind += 1
                self._tasks.spawn(self._send_chunks(feed, attachment))
        return True

    async def _send_chunks(self, feed: Feed, attachment: Attachment) -> None:
        """Send a follower the rest of what it has missed. The other followers of the room do not wait for it."""
        pause_s = _FIRST_PAUSE_S
        try:
            while not attachment.stale:
                if attachment.follower.buffered() > CHUNK_BYTES:
                    await asyncio.sleep(pause_s)
                    pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
                    continue
                pause_s, attachment.refill = _FIRST_PAUSE_S, False
                if not await self._read_chunks([(feed, attachment)]):
                    await asyncio.sleep(_RETRY_S)
                elif not attachment.refill:
                    break
                await asyncio.sleep(0)  # frames are written at the end of a tick
        finally:
            attachment.behind = False
            feed.behind -= 1
            self._release(feed)
        if not attachment.stale and attachment.wants & Wants.VIEW:
            attachment.follower.views_missed(attachment)

    def _partition(self, room: RoomId) -> Keys:
        return self._keys[partition_of(room, len(self._keys))]


_Behind: TypeAlias = tuple[Feed, Attachment]
"""A follower that has missed steps of a room."""


def _notify_lost_seats(feed: Feed, step: DeliveredStep) -> None:
    """Notify the followers whose seats a step has taken away, if they have seen the step."""
    for attachment in feed.followers:
        if attachment.offset == step.update.offset and not attachment.stale:
            notify_if_seat_lost(attachment, step)
