"""One partition in the hands of its owner: its rooms in memory, its place in the stream, its last words."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shared.bus import command_streams
from shared.bus.command_streams import StreamEntry
from shared.bus.commits import Commit
from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.commands import Envelope
from shared.deliveries import Reply
from shared.errors import CODES
from shared.ids import LOBBY, GatewayId, Partition, RoomId
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog
from worker.lobby.lobby import Lobby
from worker.partitions.watchdog import Watchdog
from worker.room.batch import Batch
from worker.room.room import Room
from worker.room.steps import RoomBroken

log = logging.getLogger("tavolata.holding")

_TRIM_EVERY = 64


@dataclass(slots=True)
class OwnedPartition:
    """What a worker knows of a partition that it holds. Commands are handled without IO."""

    partition: Partition
    keys: Keys
    tenure: Lease
    engines: GameCatalog
    settings: WorkerSettings
    watch: Watchdog = field(default_factory=Watchdog)
    rooms: dict[RoomId, Room] = field(default_factory=dict)
    lobby: Lobby | None = None
    gateways: set[GatewayId] = field(default_factory=set)
    quarantined: set[RoomId] = field(default_factory=set)
    cursor: str = ""
    numbers: dict[GatewayId, int] = field(default_factory=dict)
    """Of the last message to each gateway that was committed."""
    leaving: bool = False
    commits: int = 0

    def __post_init__(self) -> None:
        self.cursor = self.tenure.cursor

    def missing(self, entries: Sequence[StreamEntry]) -> list[RoomId]:
        """The rooms that must be loaded before these can be handled."""
        wanted = {envelope.room: None for _, envelopes in entries for envelope in envelopes}
        if self.lobby is not None:
            wanted.pop(LOBBY, None)
        return [room for room in wanted if room not in self.rooms and room not in self.quarantined]

    def load(self, room: RoomId, kept: StoredRoom) -> str:
        """Bring a room, or the lobby, back. Returns what is wrong with it, if it cannot be."""
        try:
            self.watch.task = kept
            if kept.damage:
                raise RoomBroken(f"room {room} cannot be loaded: {kept.damage}")
            if room == LOBBY:
                self.lobby = Lobby(self.tenure.epoch, kept)
            else:
                self.rooms[room] = Room(room, self.tenure.epoch, self.engines, self.settings, kept)
        except Exception as error:  # whatever an older version has left behind must not cost us the partition
            log.exception("room %s is quarantined", room)
            self.quarantined.add(room)
            return str(error) or repr(error)
        finally:
            self.watch.task = None
        return ""

    def handle(self, entries: list[StreamEntry]) -> Batch:
        """What these commands come to. Those for which there was no time are taken off the list."""
        batch = Batch(self.keys, self.tenure.epoch, self.settings.updates_kept)
        for number, (entry_id, envelopes) in enumerate(entries, start=1):
            at = command_streams.time_of(entry_id)
            for envelope in envelopes:
                self._one(envelope, at, batch)
            if self.watch.overtime:
                del entries[number:]
                break
        if log.isEnabledFor(logging.DEBUG):
            for envelope in (envelope for _, envelopes in entries for envelope in envelopes):
                log.debug("%s: room %s has handled %s", envelope.trace, envelope.room, envelope.id)
        return batch

    def _one(self, envelope: Envelope, at: int, batch: Batch) -> None:
        room = envelope.room
        if room == LOBBY:
            self._in_lobby(envelope, at, batch)
            return
        held = self.rooms.get(room)
        if held is None:
            reply = Reply(envelope.conn, room, envelope.id, "room/quarantined", CODES["room/quarantined"])
            batch.reply(envelope, reply)
            return
        mark = batch.mark(room)
        try:
            self.watch.task = envelope
            held.handle(envelope, at, batch)
            self.watch.task = None
        except Exception as error:
            self.watch.task = None
            log.exception("%s: room %s broke on %r and is quarantined", envelope.trace, room, envelope.body)
            batch.roll_back(mark)
            self.quarantine(room, repr(error), batch)
            self._one(envelope, at, batch)
            return
        if not held.state.status:
            del self.rooms[room]

    def _in_lobby(self, envelope: Envelope, at: int, batch: Batch) -> None:
        """A command that breaks the lobby is refused; the lobby is loaded again as it was committed."""
        mark = batch.mark(LOBBY)
        try:
            if self.lobby is not None:
                self.watch.task = envelope
                self.lobby.handle(envelope, at, batch)
                self.watch.task = None
                return
        except Exception:
            self.watch.task = None
            log.exception("%s: the lobby broke on %r", envelope.trace, envelope.body)
            batch.roll_back(mark)
            self.lobby = None
        batch.reply(envelope, Reply(envelope.conn, LOBBY, envelope.id, "internal", CODES["internal"]))

    def quarantine(self, room: RoomId, why: str, batch: Batch) -> None:
        """Put a room aside until an operator has looked at it; nothing of it is lost."""
        self.rooms.pop(room, None)
        self.quarantined.add(room)
        batch.write(("HSET", self.keys.quarantine, room, why))

    def seal(self, batch: Batch, after: str) -> tuple[Commit, dict[GatewayId, int]]:
        """The batch as one commit, and the numbers of the last messages once it is committed."""
        numbers = dict(self.numbers)
        writes, messages = batch.seal(numbers)
        self.commits += 1
        if self.commits % _TRIM_EVERY == 0:
            writes.append(command_streams.trimming(self.keys, self.cursor))
        return Commit(self.keys, self.tenure, self.cursor, after, writes, messages, batch.entries), numbers

    def committed(self, after: str, numbers: dict[GatewayId, int]) -> None:
        self.cursor, self.numbers = after, numbers
        self.gateways |= numbers.keys()

    def evict(self, idle_since_ms: int) -> None:
        """Let go of rooms that are over and that nobody has asked for lately."""
        for room in self._idle(idle_since_ms):
            del self.rooms[room]

    def _idle(self, idle_since_ms: int) -> Iterable[RoomId]:
        return [room for room, held in self.rooms.items() if held.state.over and held.touched_ms < idle_since_ms]
