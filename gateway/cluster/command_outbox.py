"""Commands on their way to the streams, and until they are answered.

The commands of one loop tick go out together, one stream entry per partition. One that was written, or may have been,
stays here and is added again, same id, same order, until its answer comes: a room handles it once.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeAlias

import msgspec

from shared.bus import command_streams
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.commands import Enter, Envelope, Unwatch, Watch
from shared.deliveries import Reply
from shared.ids import CommandId, Epoch, Offset, Partition, RoomId, partition_of

log = logging.getLogger("tavolata.outgoing")

OnReply: TypeAlias = Callable[[Reply], None]
OnApplied: TypeAlias = Callable[[CommandId, RoomId, Epoch, Offset], None]
_Key: TypeAlias = tuple[int, RoomId, CommandId]

_MANY = 5
"""Commands: after a tick with so many, more are on their way, and adding them together is cheaper."""


class PendingCommand(msgspec.Struct, gc=False):
    envelope: Envelope
    on_reply: OnReply | None
    since: float
    tried: float
    on_applied: OnApplied | None = None
    """The short way for what nearly every answer says."""


class Busy(Exception):
    """Nothing was written; the text is the code that says why."""


class PendingAttachments:
    """The commands that make connections attend to rooms, found without a look at all others."""

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
        store: Store,
        partitions: tuple[Keys, ...],
        most: int,
        clock: Callable[[], float],
        linger_s: float = 0.0,
    ) -> None:
        self._store = store
        self._keys = partitions
        self._most = most
        self._clock = clock
        self._linger_s = linger_s
        self._loop = asyncio.get_running_loop()
        self._busy = False
        """There were many commands at once: the next wait a moment for others, since every batch costs the store a
        write to disk."""
        self._pending: dict[_Key, PendingCommand] = {}
        self._comers = PendingAttachments()
        self._tick: list[Envelope] = []
        self.up: Callable[[], bool] = lambda: True

    def __len__(self) -> int:
        return len(self._pending)

    def send(
        self,
        envelope: Envelope,
        on_reply: OnReply | None = None,
        on_applied: OnApplied | None = None,
        *,
        urgent: bool = False,
    ) -> None:
        """Put a command on its way; raises `Busy`. `urgent`: one of the gateway's own, that must not be refused."""
        if not urgent:
            if len(self._pending) >= self._most:
                raise Busy("busy/backlog")
            if not self._tick and not self.up():
                raise Busy("busy/store")
        now = self._clock()
        key = (envelope.conn, envelope.room, envelope.id)
        self._pending[key] = PendingCommand(envelope, on_reply, now, now, on_applied)
        if on_applied is None and _attaching(envelope):  # moves have one
            self._comers.add(key)
        if not self._tick:
            self._flush_soon()
        self._tick.append(envelope)

    def attaches(self, reply: Reply) -> bool:
        """Whether it answers a command that makes a connection attend to a room."""
        pending = self._pending.get((reply.conn, reply.room, reply.id))
        return pending is not None and _attaching(pending.envelope)

    def others_come(self, room: RoomId, conn: int) -> bool:
        """Whether another connection has asked to look on, and was not answered yet."""
        others = (self._pending.get(key) for key in self._comers.to(room) if key[0] != conn)
        return any(pending is not None and isinstance(pending.envelope.body, Watch) for pending in others)

    def answered(self, reply: Reply) -> PendingCommand | None:
        """The command that this answers; None if it was answered before."""
        key = (reply.conn, reply.room, reply.id)
        self._comers.remove(key)
        return self._pending.pop(key, None)

    def settled(self, conn: int, room: RoomId, command: CommandId) -> PendingCommand | None:
        """An update showed that the command was carried out."""
        return self._pending.pop((conn, room, command), None)

    def abandon(self, conn: int) -> list[RoomId]:
        """The connection is gone: what would have made it attend to rooms must not be tried again. Their numbers."""
        rooms = []
        for key in self._comers.of(conn):
            self._comers.remove(key)
            pending = self._pending.get(key)
            if pending is not None and _attaching(pending.envelope):
                del self._pending[key]
                rooms.append(key[1])
        return rooms

    def forget(self) -> None:
        """Drop everything: nobody waits for these answers any more."""
        self._pending.clear()
        self._comers.clear()
        self._tick.clear()

    def repeat(self, partition: Partition | None = None, *, older_than: float = 0.0) -> int:
        """Add unanswered commands again: all, those of a partition, or those tried last before a moment ago. A room
        that is told again that nobody looks on is also told again who came since. What still waits to be added for the
        first time keeps its place behind them: a room takes what comes after its successor for old."""
        now = self._clock()
        again = 0
        unwatched: set[RoomId] = set()
        waiting = {(envelope.conn, envelope.room, envelope.id) for envelope in self._tick}
        tick: list[Envelope] = []
        for key, pending in self._pending.items():
            envelope = pending.envelope
            mine = partition is None or partition_of(envelope.room, len(self._keys)) == partition
            if mine and (now - pending.tried >= older_than or envelope.room in unwatched):
                if isinstance(envelope.body, Unwatch):
                    unwatched.add(envelope.room)
                pending.tried = now
                again += 1
            elif key not in waiting:
                continue
            tick.append(envelope)
        if tick and not self._tick:
            self._flush_soon()
        self._tick = tick
        return again

    def _flush_soon(self) -> None:
        if self._busy and self._linger_s:
            self._loop.call_later(self._linger_s, self._flush)
        else:
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        tick, self._tick = self._tick, []
        self._busy = len(tick) >= _MANY
        if not tick:
            return
        shares: defaultdict[Partition, list[Envelope]] = defaultdict(list)
        for envelope in tick:
            shares[partition_of(envelope.room, len(self._keys))].append(envelope)
        self._store.cast([command_streams.adding(self._keys[partition], share) for partition, share in shares.items()])
        if log.isEnabledFor(logging.DEBUG):
            for envelope in tick:
                log.debug("%s: %s commands room %s with %s", envelope.trace, envelope.sid, envelope.room, envelope.id)


def _attaching(envelope: Envelope) -> bool:
    return isinstance(envelope.body, Enter | Watch)
