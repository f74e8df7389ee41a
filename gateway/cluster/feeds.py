"""Which local sessions attend to which room, and how every one of them gets every step: once, in order, no hole.

Messages may be lost. A hole in the numbers, a new epoch or a re-made subscription makes the hub read what was missed
from the room's updates; a position that is not part of the room's history any more is mended with a full view.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from shared.bus import updates
from shared.bus.keys import Keys
from shared.bus.store import Store, StoreError
from shared.commands import Wants
from shared.deliveries import CompletedCommand, Delivery, Reply, StepMessage
from shared.ids import Epoch, GatewayId, Offset, Partition, RoomId, Seat, partition_of
from shared.room_events import NOTHING
from shared.room_views import Position

log = logging.getLogger("tavolata.hub")

_UNHEARD = (Epoch(0), 0)

_decode = msgspec.json.Decoder(tuple[Delivery, ...]).decode

_WANTS_VIEW = Wants.VIEW.value
"""As a plain integer: operators of `IntFlag` are slow, and this runs for every receiver of a step."""


class FeedListener(Protocol):
    """Who attends to a room: a session."""

    def deliver(self, attachment: "Attachment", told: StepMessage, raw: bytes) -> None:
        """The next step, as this listener may see it."""

    def lost_track(self, attachment: "Attachment", reason: str) -> None:
        """What was missed cannot be told: `trimmed` or `rewound`."""


@dataclass(slots=True, eq=False)
class Attachment:
    """A session's place in the history of a room."""

    listener: FeedListener
    room: RoomId
    seat: Seat | None
    wants: int
    epoch: Epoch
    offset: Offset
    since: Offset = Offset(0)
    """The step that seated the player: what earlier ones told the seat is not for this one."""
    stale: bool = False
    """It waits for a fresh view; steps pass it by."""
    due: "PendingView | None" = None
    """A view that the session is given as soon as it was told all steps up to it."""

    @property
    def position(self) -> Position:
        return Position(self.epoch, self.offset)


@dataclass(frozen=True, slots=True)
class PendingView:
    """A view that must not come before the steps that it shows."""

    top: Position
    give: Callable[[str], None]
    """Takes the reason why the steps could not be told first, or nothing."""


@dataclass(slots=True, eq=False)
class Feed:
    """A room that somebody here attends to."""

    room: RoomId
    attachments: tuple[Attachment, ...] = ()
    top: Offset = Offset(0)
    """The highest step that we have heard of."""
    filling: bool = False
    again: bool = False
    """While what was missed is being read: somebody who came meanwhile has missed something too."""


class Feeds:
    """The way from the store to the sessions of this gateway."""

    def __init__(
        self,
        gateway: GatewayId,
        store: Store,
        partitions: tuple[Keys, ...],
        attaches: Callable[[Reply], bool],
        on_reply: Callable[[Reply], None],
        on_done: Callable[[StepMessage, CompletedCommand], None],
        on_gap: Callable[[Partition], None],
        spawn: Callable[[Awaitable[None]], object],
    ) -> None:
        self.gateway = gateway
        self._store = store
        self._keys = partitions
        self._attaches = attaches
        self._on_reply = on_reply
        self._on_done = on_done
        self._on_gap = on_gap
        self._spawn = spawn
        self._feeds: dict[RoomId, Feed] = {}
        self._last: dict[Partition, tuple[Epoch, int]] = {}

    # --- who attends ------------------------------------------------------------------------------------------------

    def attach(self, attachment: Attachment, top: Position) -> None:
        """`top` is the room's last step; a session that has seen less, or something else, is told what it missed."""
        feed = self._feeds.setdefault(attachment.room, Feed(attachment.room))
        feed.attachments += (attachment,)
        feed.top = max(feed.top, top.offset)
        if feed.top > top.offset or attachment.position != top:
            self._fill([feed])

    def detach(self, attachment: Attachment) -> bool:
        """True if no spectator is left at this gateway (where the attachment was one)."""
        feed = self._feeds.get(attachment.room)
        if feed is None or attachment not in feed.attachments:
            return False
        feed.attachments = tuple(other for other in feed.attachments if other is not attachment)
        attachment.stale = True
        if not feed.attachments:
            del self._feeds[attachment.room]
        return attachment.seat is None and all(other.seat is not None for other in feed.attachments)

    def spectated(self, room: RoomId) -> bool:
        """Whether a spectator of the room is at this gateway."""
        feed = self._feeds.get(room)
        return feed is not None and any(attachment.seat is None for attachment in feed.attachments)

    def refreshed(self, attachment: Attachment, epoch: Epoch, offset: Offset) -> None:
        """The session was given a view: it goes on from there."""
        attachment.epoch, attachment.offset, attachment.stale = epoch, offset, False
        feed = self._feeds.get(attachment.room)
        if feed is not None and feed.top > offset:
            self._fill([feed])

    # --- what comes in ----------------------------------------------------------------------------------------------

    def message(self, message: bytes) -> None:
        """Partitions have something to say to this gateway."""
        for outbound in _decode(message):
            self._hear(outbound)

    def _hear(self, outbound: Delivery) -> None:
        partition = outbound.partition
        epoch, number = self._last.get(partition, (outbound.epoch, 0))
        if outbound.epoch < epoch:
            return
        if outbound.epoch != epoch or outbound.number != number + 1:
            self._gap(partition)
        self._last[partition] = (outbound.epoch, outbound.number)
        for reply in outbound.replies:
            if self._attaches(reply):
                self._on_reply(reply)
        for told in outbound.told:
            feed = self._feeds.get(told.room)
            if feed is not None:
                self._tell(feed, told)
            done = told.done
            if done is not None and done.gateway == self.gateway:
                self._on_done(told, done)
        for reply in outbound.replies:
            self._on_reply(reply)

    def beat(self, last: dict[Partition, tuple[Epoch, int]]) -> None:
        """The owner repeats the number of its last message: a lost one is noticed."""
        for partition, heard in last.items():
            if heard > self._last.get(partition, _UNHEARD):
                self._last[partition] = heard
                self._gap(partition)

    def resubscribed(self) -> None:
        """Anything may have been lost."""
        self._last.clear()
        self._fill(list(self._feeds.values()))
        for number in range(len(self._keys)):
            self._on_gap(Partition(number))

    def _tell(self, feed: Feed, told: StepMessage) -> None:
        feed.top = told.offset
        if feed.filling:
            return
        before = told.offset - 1
        hole = False
        for attachment in feed.attachments:
            if attachment.stale:
                continue
            if attachment.offset == before:
                _step(attachment, told)
            elif attachment.offset < before:
                hole = True
            elif told.epoch > attachment.epoch:
                attachment.stale = True
                attachment.listener.lost_track(attachment, "rewound")
        if hole:
            self._fill([feed])

    # --- mending ----------------------------------------------------------------------------------------------------

    def _gap(self, partition: Partition) -> None:
        feeds = [feed for feed in self._feeds.values() if partition_of(feed.room, len(self._keys)) == partition]
        self._fill(feeds)
        self._on_gap(partition)

    def _fill(self, feeds: Iterable[Feed]) -> None:
        wanting = []
        for feed in feeds:
            if feed.filling:
                feed.again = True
            else:
                wanting.append(feed)
        if wanting:
            for feed in wanting:
                feed.filling = True
            self._spawn(self._filled(wanting))

    async def _filled(self, feeds: list[Feed]) -> None:
        """Read and tell what was missed, until there is nothing more."""
        try:
            while feeds:
                wanted = [
                    (attachment, (self._keys[partition_of(feed.room, len(self._keys))], feed.room, attachment.position))
                    for feed in feeds
                    for attachment in feed.attachments
                    if not attachment.stale
                ]
                tops = {feed.room: feed.top for feed in feeds}
                for feed in feeds:
                    feed.again = False
                try:
                    found = await updates.missed(self._store, [place for _, place in wanted])
                except StoreError as error:
                    log.info("what was missed waits for the store: %s", error)
                    await asyncio.sleep(0.1)
                    continue
                for (attachment, (_, _, position)), missed in zip(wanted, found, strict=True):
                    if attachment.stale or attachment.position != position:
                        continue
                    if missed.lost:
                        attachment.stale = True
                        attachment.listener.lost_track(attachment, missed.lost)
                    for told in missed.steps:
                        _step(attachment, told)
                for feed in feeds:
                    if feed.top == tops[feed.room] and not feed.again:
                        feed.filling = False
                feeds = [feed for feed in feeds if feed.filling]
        finally:  # whatever went wrong here, the next step is told or looks for what was missed
            for feed in feeds:
                feed.filling = False


def _step(attachment: Attachment, told: StepMessage) -> None:
    attachment.epoch = told.epoch
    attachment.offset = told.offset
    raw = told.public
    if told.seats and attachment.seat is not None and told.offset >= attachment.since:
        raw = told.seats.get(attachment.seat, raw)
    elif attachment.seat is None and attachment.wants & _WANTS_VIEW and told.watchers != NOTHING:
        raw = told.watchers
    attachment.listener.deliver(attachment, told, bytes(raw))
    if attachment.due is not None:
        _give_if_due(attachment, attachment.due)


def _give_if_due(attachment: Attachment, due: PendingView) -> None:
    if due.top.offset <= attachment.offset and not attachment.stale:
        attachment.due = None
        due.give("")
