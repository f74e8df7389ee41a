"""A partition in the memory of its owner: its rooms, the lobby, its cursor and the numbers of its last deliveries.

Commands are handled here without IO. A failure in one room must not harm the other rooms of the partition.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from shared.acts import ActKind
from shared.bus import command_streams, commits, parked_commands
from shared.bus.command_streams import StreamEntry
from shared.bus.commits import Commit
from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.outages import Outage
from shared.bus.parked_commands import ParkedCommands
from shared.bus.partition_log import UnwrittenRooms
from shared.commands import Compensate, Enter, Envelope, Operate
from shared.deliveries import Reply
from shared.errors import ErrorCode, refusal
from shared.ids import LOBBY, CommitNumber, GameVersion, GatewayId, Partition, RoomId, game_version
from shared.results import OtherChanges, Result
from shared.room_events import OVER, RoomStatus
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog, NoSuchGame
from worker.lobby.lobby import Lobby
from worker.partitions.watchdog import Watchdog
from worker.room.draft import RoomBroken
from worker.room.room import Room

log = logging.getLogger("tavolata.partition")

_TRIM_EVERY = 64
_NO_GAME = GameVersion("")


class _Status(msgspec.Struct):
    status: RoomStatus


_decode_status = msgspec.json.Decoder(_Status).decode


@dataclass(frozen=True, slots=True)
class UnplayableRoom:
    """A room that this worker cannot play."""

    game: GameVersion
    over: bool


@dataclass(slots=True)
class OwnedPartition:
    """A partition that this worker owns."""

    partition: Partition
    keys: Keys
    lease: Lease
    catalog: GameCatalog
    settings: WorkerSettings
    watchdog: Watchdog = field(default_factory=Watchdog)
    server: str = ""
    """The server of the store that the partition was taken from."""
    rooms: dict[RoomId, Room] = field(default_factory=dict)
    unopened: set[RoomId] = field(default_factory=set)
    """Rooms in memory that no command has opened. They leave with the commit: the rest of the batch may need them."""
    lobby: Lobby | None = None
    gateways: set[GatewayId] = field(default_factory=set)
    """The gateways that have received something from this partition."""
    quarantined: set[RoomId] = field(default_factory=set)
    unplayable: dict[RoomId, UnplayableRoom] = field(default_factory=dict)
    """Rooms that commands were for and that this worker cannot play."""
    parked: ParkedCommands = field(default_factory=dict)
    """Commands that wait for an owner that can play their rooms."""
    outages: Sequence[Outage] = ()
    """Times during which rooms were not played. A room makes up for them when it is loaded."""
    freeing: dict[RoomId, Room | None] = field(default_factory=dict)
    """Quarantined rooms that an operator wants to free and that were loaded for it, or could not be (None)."""
    cursor: str = ""
    waiting: deque[StreamEntry] = field(default_factory=deque)
    """Entries behind the cursor that were read and not handled yet."""
    numbers: Mapping[GatewayId, int] = field(default_factory=dict)
    """The number of the last committed delivery to each gateway."""
    leaving: bool = False
    """Whether another worker should own it: it is handed over between two batches."""
    next_commit: CommitNumber = CommitNumber(1)
    """The number of the commit that the results of this turn are part of."""
    unwritten: UnwrittenRooms = field(default_factory=UnwrittenRooms)
    """The history of rooms that is in the partition's logs alone."""
    unfinished: dict[GameVersion, int] = field(default_factory=dict)
    """The number of unfinished rooms of each game version."""

    def __post_init__(self) -> None:
        self.cursor, self.next_commit = self.lease.cursor, CommitNumber(self.lease.commit + 1)

    def missing(self, entries: Sequence[StreamEntry]) -> list[RoomId]:
        """The rooms that must be loaded before these entries can be handled."""
        rooms = self.rooms
        wanted: dict[RoomId, None] = {}
        for _, envelopes in entries:
            for envelope in envelopes:
                if envelope.room not in rooms:
                    wanted[envelope.room] = None
        if not wanted:  # as nearly always
            return []
        if self.lobby is not None:
            wanted.pop(LOBBY, None)
        aside = self.quarantined | self.unplayable.keys()
        missing = [room for room in wanted if room not in aside]
        if self.quarantined:
            freed = {envelope.room: None for _, envelopes in entries for envelope in envelopes if _frees(envelope)}
            tried = self.freeing.keys() | self.unplayable.keys()
            missing += [room for room in freed if room in self.quarantined and room not in tried]
        return missing

    def load(self, room: RoomId, stored: StoredRoom) -> str:
        """Load a room, or the lobby. Returns the reason if that fails and the room is quarantined, else nothing. A room
        that this worker cannot play is not quarantined: it waits for another owner."""
        try:
            self.watchdog.task = stored
            if stored.damage:
                raise RoomBroken(f"room {room} cannot be loaded: {stored.damage}")
            stored = replace(stored, records=stored.records + self.unwritten.records(room))
            if room == LOBBY:
                kept_ms = min(self.settings.keep_unplayed_ms, self.settings.keep_finished_ms)
                self.lobby = Lobby(self.lease.epoch, stored, kept_ms)
            else:
                loaded = Room(room, self.lease.epoch, self.catalog, self.settings, stored, self.outages)
                if room in self.quarantined:
                    self.freeing[room] = loaded
                else:
                    self.rooms[room] = loaded
        except NoSuchGame as error:
            self.unplayable[room] = UnplayableRoom(game_version(error.game, error.version), _is_over(stored))
            log.warning("room %s waits for a worker that can play %s", room, error)
        except Exception as error:  # records of an older version must not cost us the whole partition
            log.exception("room %s is quarantined until an operator frees it: it cannot be loaded", room)
            if room in self.quarantined:
                self.freeing[room] = None
            self.quarantined.add(room)
            return str(error) or repr(error)
        finally:
            self.watchdog.task = None
        return ""

    def handle(self, entries: Sequence[StreamEntry]) -> list[Result]:
        """The results of these commands."""
        results: list[Result] = []
        for entry in entries:
            self.handle_entry(entry, results)
        return results

    def handle_entry(self, entry: StreamEntry, results: list[Result]) -> None:
        """Handle the commands of one entry, and add their results."""
        entry_id, envelopes = entry
        at_ms = self.time_of(entry_id)
        handle, add = self._handle_one, results.append
        for envelope in envelopes:
            add(handle(envelope, at_ms))

    def time_of(self, entry_id: str) -> int:
        """The time of the commands of an entry. Commands that were added while the partition had no owner count from
        the time when this one took it: the players could not see the room until then."""
        at_ms, taken_ms = command_streams.time_of(entry_id), self.lease.taken_ms
        return at_ms if at_ms > taken_ms else taken_ms  # runs for every entry, and `max` is slow

    def begin(self, parked: ParkedCommands) -> None:
        """Begin with the commands that were parked. They come before all entries behind the cursor, and do not move
        it."""
        self.parked = parked
        self.waiting = deque((self.cursor, (envelope,)) for envelope in parked_commands.envelopes(parked))

    def _handle_one(self, envelope: Envelope, at_ms: int) -> Result:
        number, watchdog = envelope.room, self.watchdog
        room = self.rooms.get(number)
        if room is None:
            return self._handle_in_lobby(envelope, at_ms) if number == LOBBY else self._handle_aside(envelope, at_ms)
        if type(envelope.body) is Enter and (wanted := self._game_elsewhere(room, envelope.body)):
            return self._park(envelope, wanted)
        try:
            watchdog.task = envelope
            result = room.handle(envelope, at_ms, self.next_commit)
            watchdog.task = None
            if not result.records and not room.state.status:
                self.unopened.add(number)
        except Exception as error:
            watchdog.task = None
            log.exception(
                "%s: room %s broke on %r and is quarantined until an operator frees it",
                envelope.trace,
                number,
                envelope.body,
            )
            result = self._quarantine(envelope, repr(error))
        if self.parked:
            self._unpark(envelope, result)
        return result

    def _handle_quarantined(self, envelope: Envelope, at_ms: int) -> Result:
        """Refuse a command to a quarantined room, unless it is an operator's act that frees the room. That one is
        handled by the room if it could be loaded: the room's journal has the act, and the same commit ends the
        quarantine."""
        number = envelope.room
        room = self.freeing.pop(number, None) if _frees(envelope) else None
        if room is None or not isinstance(envelope.body, Operate):
            return _refused(envelope, "room/quarantined")
        try:
            self.watchdog.task = envelope
            result = room.free(envelope, envelope.body.act, at_ms, self.next_commit, self.gateways)
        except Exception as error:
            log.exception("%s: room %s cannot be freed", envelope.trace, number)
            return self._quarantine(envelope, repr(error))
        finally:
            self.watchdog.task = None
        if result.more.freed:
            self.quarantined.discard(number)
            self.rooms[number] = room
        return result

    def _handle_aside(self, envelope: Envelope, at_ms: int) -> Result:
        """Handle a command to a room that is quarantined, or that this worker cannot play."""
        room = self.unplayable.get(envelope.room)
        if room is None:
            result = self._handle_quarantined(envelope, at_ms)
            if self.parked:
                self._unpark(envelope, result)
            return result
        if not room.over:
            return self._park(envelope)
        # Nothing needs the game of a room that is over, so that its partition need not have an owner that can play it.
        if self.catalog.is_played_elsewhere(room.game):
            return self._park(envelope, room.game)
        return _refused(envelope, "game/unknown")

    def _game_elsewhere(self, room: Room, body: Enter) -> GameVersion | None:
        """The game version that a new room would take, if only other workers can play its game."""
        spec = None if room.state.status else body.spec
        return None if spec is None else self.catalog.elsewhere(spec.game)

    def _park(self, envelope: Envelope, wanted: GameVersion = _NO_GAME) -> Result:
        """Keep a command for an owner that can play its room. With `wanted`, the partition needs that game version from
        now on, so that such a worker becomes its owner. The gateway gets no answer: a refusal would be wrong, because
        another copy of the command may be on the stream and be carried out by the next owner."""
        result = Result(envelope.room, others=OtherChanges(wanted=wanted))
        if type(envelope.body) is Compensate:
            return result  # the time counts as part of the outage of the game version
        command = parked_commands.encoded(envelope)
        if command not in self.parked:
            place = self.parked[command] = max(self.parked.values(), default=0) + 1
            result.more.parked = command, place
        return result

    def _unpark(self, envelope: Envelope, result: Result) -> None:
        """Note that a command was handled, if it was parked."""
        command = parked_commands.encoded(envelope)
        if self.parked.pop(command, None) is not None:
            result.more.unparked = command
            wanted = [game for game, rooms in self.unfinished.items() if not rooms]
            result.more.unwanted = tuple(game for game in wanted if self.catalog.can_play(game))

    def _handle_in_lobby(self, envelope: Envelope, at_ms: int) -> Result:
        """Refuse a command that breaks the lobby. The lobby is then loaded again as it was committed: without it no
        room of the cluster could be opened, so it is not quarantined like a room."""
        try:
            if self.lobby is not None:
                self.watchdog.task = envelope
                result = self.lobby.handle(envelope, at_ms)
                self.watchdog.task = None
                return result
        except Exception:
            self.watchdog.task = None
            log.exception("%s: the lobby broke on %r", envelope.trace, envelope.body)
            self.lobby = None
        return _refused(envelope, "internal")

    def _quarantine(self, envelope: Envelope, reason: str) -> Result:
        """Set a room aside until an operator frees it. Its committed state stays; the result of the command that broke
        it, however far that got, is dropped."""
        self.rooms.pop(envelope.room, None)
        self.quarantined.add(envelope.room)
        result = _refused(envelope, "room/quarantined")
        result.more.quarantine = reason
        return result

    def encode(self, results: Sequence[Result], after: str) -> Commit:
        """The commit of these results, which moves the cursor to `after`. If it fails, the partition must be dropped:
        `unwritten` has the results already."""
        number = self.next_commit
        return commits.encode(
            results,
            self.keys,
            self.lease,
            self.cursor,
            after,
            number=number,
            unwritten=self.unwritten,
            unfinished=self.unfinished,
            numbers=self.numbers,
            updates_kept=self.settings.updates_kept,
            log_bytes=self.settings.log_bytes,
            trim=number % _TRIM_EVERY == 0,
        )

    def committed(self, commit: Commit) -> None:
        """Go on from where a successful commit has brought the partition."""
        self.cursor, self.next_commit, self.numbers = commit.after, CommitNumber(commit.number + 1), commit.numbers
        self.gateways |= commit.numbers.keys()
        for number in self.unopened:
            if number in self.rooms and not self.rooms[number].state.status:
                del self.rooms[number]
        self.unopened.clear()

    def forget_gateway(self, gateway: GatewayId) -> None:
        self.gateways.discard(gateway)
        self.numbers = {other: number for other, number in self.numbers.items() if other != gateway}

    def evict(self, idle_since_ms: int, now_ms: int) -> None:
        """Drop rooms from memory that are over and had no command since this time, or have left the store."""
        over = [(number, room) for number, room in self.rooms.items() if room.state.over]
        idle = [number for number, room in over if room.touched_ms < idle_since_ms or 0 < room.expires_ms <= now_ms]
        for number in idle:
            del self.rooms[number]


def _frees(envelope: Envelope) -> bool:
    return isinstance(envelope.body, Operate) and envelope.body.act.kind is ActKind.FREE


def _is_over(stored: StoredRoom) -> bool:
    """Whether the room is over, without its game: it was saved when it ended."""
    return stored.snapshot is not None and _decode_status(stored.snapshot).status in OVER


def _refused(envelope: Envelope, code: ErrorCode) -> Result:
    result = Result(envelope.room)
    result.answer(envelope, Reply(envelope.conn, envelope.room, envelope.id, code, refusal(code).text))
    return result
