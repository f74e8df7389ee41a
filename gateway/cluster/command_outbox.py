"""Commands that this gateway has added to the command streams, or is about to, until they are answered.

The commands of one loop tick are added together, one stream entry per partition unless that would be too large. A
command that was added, or may have been, stays here and is added again, with the same id and in the same order, until
it is answered: its room carries it out once. Every answer ends in `answer`, whether it is a reply, the step that
carried the command out, or an update that shows it; so the time that answers take is measured here alone.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

import msgspec

from gateway.cluster.identity import GatewayIdentity
from gateway.metrics import Metrics
from shared.bus import command_streams
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.commands import Enter, Envelope, Match, Open, Rematch, RoomCommand, Unwatch, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import CommandId, Partition, RoomId, SessionId, partition_of

log = logging.getLogger("tavolata.outbox")

_Key: TypeAlias = tuple[int, RoomId, CommandId]

_ATTACHING = (Enter, Watch)
"""Commands that attach the connection they come from to the room."""
_LARGE_BATCH = 5
"""After a tick with this many commands more are likely to follow, and adding them together is cheaper."""
_NO_NEW_ROOMS = 0.8
"""The used share of the store's memory from which on no room is opened: the rest is for games in play."""


def _opens_room(body: RoomCommand) -> bool:
    """Whether the command is the first of those that open a room. Later ones are let through: they also fill the seats
    of rooms that wait."""
    return isinstance(body, Open | Rematch) or (isinstance(body, Match) and body.open is not None)


class CommandSender(Protocol):
    """The connection that a command came from."""

    def answered(self, reply: Reply) -> None:
        """The command was carried out or refused."""


class PendingCommand(msgspec.Struct, gc=False):
    """A command without an answer."""

    envelope: Envelope
    sender: CommandSender | None
    sent_at: float
    added_at: float
    """The time at which it was last added to its stream."""


class PendingAttachments:
    """Index of the pending commands that attach a connection to a room."""

    def __init__(self) -> None:
        self._by_connection: dict[int, dict[_Key, None]] = {}
        self._by_room: dict[RoomId, dict[_Key, None]] = {}

    def add(self, key: _Key) -> None:
        conn, room, _ = key
        self._by_connection.setdefault(conn, {})[key] = None
        self._by_room.setdefault(room, {})[key] = None

    def remove(self, key: _Key) -> None:
        conn, room, _ = key
        of_connection, of_room = self._by_connection.get(conn, {}), self._by_room.get(room, {})
        if key not in of_connection:
            return
        del of_connection[key], of_room[key]
        if not of_connection:
            del self._by_connection[conn]
        if not of_room:
            del self._by_room[room]

    def of(self, conn: int) -> list[_Key]:
        return list(self._by_connection.get(conn, ()))

    def to(self, room: RoomId) -> Iterable[_Key]:
        return self._by_room.get(room, ())

    def clear(self) -> None:
        self._by_connection.clear()
        self._by_room.clear()


class CommandOutbox:
    """A gateway's side of the command streams."""

    def __init__(
        self,
        identity: GatewayIdentity,
        store: Store,
        partitions: tuple[Keys, ...],
        metrics: Metrics,
        clock: Callable[[], float],
        *,
        most: int,
        linger_s: float = 0.0,
        store_up: Callable[[], bool] = lambda: True,
    ) -> None:
        self._identity = identity
        self._store = store
        self._keys = partitions
        self._observe = metrics.answered
        self._clock = clock
        self._most = most
        self._linger_s = linger_s
        self._store_up = store_up
        self._loop = asyncio.get_running_loop()
        self._large_batch = False
        """The last tick had many commands: the next wait a moment for others, since every batch costs the store a write
        to disk."""
        self.store_share = 0.0
        """The used share of the store's memory, as of the last heartbeat."""
        self.lacks_worker: Callable[[RoomId], bool] | None = None
        """Whether no live worker can play a room; None as long as each has one, so that a move costs no call."""
        self._pending: dict[_Key, PendingCommand] = {}
        self._attaching = PendingAttachments()
        self._unsent: list[Envelope] = []
        """Commands that are added to their streams at the end of this tick of the loop."""
        self._own_id = 0

    def __len__(self) -> int:
        return len(self._pending)

    # --- sending ------------------------------------------------------------------------------------------------------

    def send(self, envelope: Envelope, sender: CommandSender | None, always: bool = False) -> ErrorCode | None:
        """Add a command to its stream at the end of this tick. If too many are pending or the store is unreachable, the
        command is not accepted (unless `always`), and the error code says why."""
        pending, unsent = self._pending, self._unsent
        if not always:
            if len(pending) >= self._most:
                return "busy/backlog"
            if not unsent and not self._store_up():
                return "busy/store"
            if self.store_share >= _NO_NEW_ROOMS and (self.store_share >= 1 or _opens_room(envelope.body)):
                return "busy/store_full"
            if self.lacks_worker is not None and self.lacks_worker(envelope.room):
                return "busy/no_worker"
        now = self._clock()
        key = (envelope.conn, envelope.room, envelope.id)
        pending[key] = PendingCommand(envelope, sender, now, now)
        if type(envelope.body) in _ATTACHING:
            self._attaching.add(key)
        if not unsent:
            self._flush_soon()
        unsent.append(envelope)
        return None

    def send_own(
        self,
        room: RoomId,
        sid: SessionId,
        conn: int,
        body: RoomCommand,
        sender: CommandSender | None = None,
        wants: int = 0,
    ) -> CommandId:
        """Add a command of the gateway itself, such as the report of a lost connection. It is always accepted: rooms
        must learn of it even if that takes until the store is back. Its id is negative, so that it does not clash with
        the client's ids."""
        self._own_id -= 1
        command_id = CommandId(self._own_id)
        identity = self._identity
        envelope = Envelope(room, sid, command_id, body, identity.id, conn, identity.new_trace(), wants)
        self.send(envelope, sender, always=True)
        return command_id

    # --- answers ------------------------------------------------------------------------------------------------------

    def answer(self, reply: Reply) -> None:
        """A command was answered. Answers that come again are ignored."""
        key = (reply.conn, reply.room, reply.id)
        pending = self._pending.pop(key, None)
        if pending is None:
            return
        if type(pending.envelope.body) in _ATTACHING:
            self._attaching.remove(key)
        self._observe(self._clock() - pending.sent_at)
        if pending.sender is not None:
            pending.sender.answered(reply)

    def answer_attaching(self, replies: Iterable[Reply]) -> list[Reply]:
        """Answer the commands that attach a connection to a room; the replies to the others."""
        others: list[Reply] = []
        for reply in replies:
            pending = self._pending.get((reply.conn, reply.room, reply.id))
            if pending is not None and type(pending.envelope.body) in _ATTACHING:
                self.answer(reply)
            else:
                others.append(reply)
        return others

    def expects_spectator(self, room: RoomId, conn: int) -> bool:
        """Whether another connection has asked to watch the room, and was not answered yet."""
        others = (self._pending.get(key) for key in self._attaching.to(room) if key[0] != conn)
        return any(pending is not None and isinstance(pending.envelope.body, Watch) for pending in others)

    def abandon(self, conn: int) -> list[RoomId]:
        """The connection is gone: drop the commands that would attach it, so that they are not added again. Returns
        their rooms, which may have carried them out already."""
        rooms = []
        for key in self._attaching.of(conn):
            self._attaching.remove(key)
            pending = self._pending.get(key)
            # A client may have used the id again, for a command that attaches nothing: that one stays.
            if pending is not None and type(pending.envelope.body) in _ATTACHING:
                del self._pending[key]
                rooms.append(key[1])
        return rooms

    def clear(self) -> None:
        """Drop everything: all connections that wait for answers are being closed."""
        self._pending.clear()
        self._attaching.clear()
        self._unsent.clear()

    # --- the streams --------------------------------------------------------------------------------------------------

    def resend(self, partition: Partition | None = None, *, older_than_s: float = 0.0) -> int:
        """Add unanswered commands again: all of them, those of one partition, or those that were last added some time
        ago. Returns how many.

        The order of sending must hold, because a room regards a command as too old once it has seen a later one of the
        same session. So commands that still wait to be added for the first time stay behind those that are added again.
        And where an Unwatch is added again, everything later for that room is, too: otherwise it would undo a Watch
        that was carried out after it."""
        now = self._clock()
        resent = 0
        unwatched: set[RoomId] = set()
        waiting = {(envelope.conn, envelope.room, envelope.id) for envelope in self._unsent}
        unsent: list[Envelope] = []
        for key, pending in self._pending.items():
            envelope = pending.envelope
            chosen = partition is None or partition_of(envelope.room, len(self._keys)) == partition
            if chosen and (now - pending.added_at >= older_than_s or envelope.room in unwatched):
                if isinstance(envelope.body, Unwatch):
                    unwatched.add(envelope.room)
                pending.added_at = now
                resent += 1
            elif key not in waiting:
                continue
            unsent.append(envelope)
        if unsent and not self._unsent:
            self._flush_soon()
        self._unsent = unsent
        return resent

    def _flush_soon(self) -> None:
        if self._large_batch and self._linger_s:
            self._loop.call_later(self._linger_s, self._flush)
        else:
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        self._large_batch = len(unsent) >= _LARGE_BATCH
        if not unsent:
            return
        by_partition: defaultdict[Partition, list[Envelope]] = defaultdict(list)
        for envelope in unsent:
            by_partition[partition_of(envelope.room, len(self._keys))].append(envelope)
        adds: list[RedisCommand] = []
        for number, some in by_partition.items():
            adds += command_streams.adding_many(self._keys[number], some)
        self._store.cast(adds)
        if log.isEnabledFor(logging.DEBUG):
            for envelope in unsent:
                log.debug(
                    "%s: %s sends command %s to room %s", envelope.trace, envelope.sid, envelope.id, envelope.room
                )
