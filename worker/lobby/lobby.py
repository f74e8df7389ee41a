"""The lobby, without IO: it numbers new rooms and reserves seats, so that players who come at once meet at a table.

It is an entity like a room, in the partition of room 0, journaled and deduplicated alike. Its list of tables may be a
moment old; the rooms decide, and the gateway of a player who is refused there asks the lobby again.
"""

from typing import TypeAlias

import msgspec

from shared.acts import LOBBY_ACTS, AuditEntry
from shared.bus.journal import StoredRoom
from shared.commands import Envelope, Listed, Match, Open, Operate, RoomCommand
from shared.deliveries import Reply
from shared.errors import ErrorCode, refusal
from shared.ids import FIRST_ROOM, LOBBY, CommandId, Epoch, Offset, RoomId, SessionId
from shared.journal_records import Acted, AnyNote, JournalEntry, JournalRecord, encode_logged
from shared.results import FiledRecord, Result, Snapshot
from shared.room_events import RoomSpec

RESERVED_MS = 5_000
SESSIONS_KEPT = 20_000
SNAPSHOT_EVERY = 200
_ACTS_KEPT = 200

_encode = msgspec.json.Encoder().encode


class BaseLobbyEvent(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Base of the events in the lobby's journal."""


class Numbered(BaseLobbyEvent, frozen=True, tag="numbered"):
    """A new public room has its number."""

    room: RoomId


class Tabled(BaseLobbyEvent, frozen=True, tag="tabled"):
    """A table waits for players, with this number of free seats (0: it waits no more)."""

    room: RoomId
    spec: RoomSpec
    free: int
    offset: Offset
    created_ms: int
    sids: tuple[SessionId, ...] = ()


class Reserved(BaseLobbyEvent, frozen=True, tag="reserved"):
    """A player is on the way to a room: to a seat at a table, or to open a private room."""

    room: RoomId
    sid: SessionId
    until_ms: int


LobbyEvent: TypeAlias = Numbered | Tabled | Reserved
_decode_events = msgspec.json.Decoder(list[LobbyEvent]).decode


class WaitingTable(msgspec.Struct):
    spec: RoomSpec
    free: int
    offset: Offset
    created_ms: int
    reserved: dict[SessionId, int] = {}

    def fits(self, wanted: Match) -> bool:
        spec = self.spec
        return (
            spec.game == wanted.game
            and spec.only in ("", wanted.dialect)
            and wanted.seats in (None, spec.seats)
            and all(spec.options.get(name) == value for name, value in (wanted.options or {}).items())
        )

    def room_for(self, sid: SessionId, at_ms: int) -> bool:
        """Whether a seat is left for the session. A table that is not opened yet counts only while a player is on the
        way to open it."""
        coming = [holder for holder, until in self.reserved.items() if until > at_ms]
        others = sum(1 for holder in coming if holder != sid)
        return self.free > others and (self.offset > 0 or bool(coming))


class LobbyAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The lobby's last answer to a session. It does not hold the spec of the room, which can be large: the table has it
    while it waits, and later the repeated command brings it again."""

    id: CommandId
    room: RoomId
    at_ms: int = 0


class LobbyState(msgspec.Struct):
    next: RoomId = RoomId(FIRST_ROOM)
    offset: Offset = Offset(0)
    tables: dict[RoomId, WaitingTable] = {}
    answers: dict[SessionId, LobbyAnswer] = {}
    acts: list[str] = []
    """The ids of the last acts of operators."""


_decode_state = msgspec.json.Decoder(LobbyState).decode


class Lobby:
    """The lobby in the memory of its owner."""

    def __init__(self, epoch: Epoch, stored: StoredRoom, kept_ms: int) -> None:
        """`kept_ms`: the shortest time for which a room stays in the store after it was opened."""
        self._epoch = epoch
        self._kept_ms = kept_ms
        self.state = LobbyState() if stored.snapshot is None else _decode_state(stored.snapshot)
        self._last = LOBBY
        """The room of the latest reservation."""
        for entry in stored.records:
            self._replay(entry)

    def _replay(self, entry: JournalEntry) -> None:
        offset, _, record = entry
        self.state.offset = offset
        events = _decode_events(record.events)
        for event in events:
            self._apply(event)
        if record.id and events:
            self._remember(record.sid, record.id, record.at)
        for note in record.notes:
            self._remember_act(note)

    def handle(self, envelope: Envelope, at_ms: int) -> Result:
        """Carry a command out, or refuse it. If this raises, the lobby is broken: drop it and load it again."""
        result = Result(LOBBY)
        body = envelope.body
        if isinstance(body, Listed):
            self._update_table(body, at_ms, result)
            return result
        if isinstance(body, Operate):
            self._operate(envelope, body, at_ms, result)
            return result
        known = self.state.answers.get(envelope.sid)
        if known is None or envelope.id > known.id:
            self._carry_out(envelope, at_ms, result)
        elif envelope.id == known.id:
            self._answer(envelope, known.room, result, opens=at_ms - known.at_ms < self._kept_ms)
        else:
            _refuse(envelope, "command/too_old", result)
        return result

    def _carry_out(self, envelope: Envelope, at_ms: int, result: Result) -> None:
        match envelope.body:
            case Open(spec=spec, private_room=private_room):
                self._open(envelope, spec, private_room if spec.private else None, at_ms, result)
            case Match() as wanted:
                self._match(envelope, wanted, at_ms, result)
            case _:
                _refuse(envelope, "room/unknown", result)

    def _match(self, envelope: Envelope, wanted: Match, at_ms: int, result: Result) -> None:
        """Reserve a seat at the oldest table that fits."""
        fitting = [
            (table.created_ms, room)
            for room, table in self.state.tables.items()
            if room not in wanted.avoid and table.fits(wanted) and table.room_for(envelope.sid, at_ms)
        ]
        if fitting:
            reserved = Reserved(min(fitting)[1], envelope.sid, at_ms + RESERVED_MS)
            self._file(envelope, at_ms, result, reserved)
        elif wanted.open is None:
            _refuse(envelope, "lobby/no_table", result)
        else:
            self._open(envelope, wanted.open, None, at_ms, result)

    def _open(self, envelope: Envelope, spec: RoomSpec, private: RoomId | None, at_ms: int, result: Result) -> None:
        """Number a new room. A public one can be matched at once, with a seat reserved for the player who opens it."""
        room = private or self.state.next
        reserved = Reserved(room, envelope.sid, at_ms + RESERVED_MS)
        if private:
            self._file(envelope, at_ms, result, reserved)
        else:
            tabled = Tabled(room, spec, spec.seats - spec.bots, Offset(0), at_ms)
            self._file(envelope, at_ms, result, Numbered(room), tabled, reserved)

    def _update_table(self, body: Listed, at_ms: int, result: Result) -> None:
        """Note how many seats a room has free, unless a later notice of that room was here first."""
        table = self.state.tables.get(body.room)
        if (table is None and not body.free) or (table is not None and table.offset >= body.offset):
            return
        tabled = Tabled(body.room, body.spec, body.free, body.offset, body.created_ms, body.sids)
        self._file(None, at_ms, result, tabled)

    def _operate(self, envelope: Envelope, body: Operate, at_ms: int, result: Result) -> None:
        """Journal an act of an operator that concerns no room. The gateway that sent it carries it out, once this is
        committed: repeating it then does no harm."""
        act, state = body.act, self.state
        if act.kind not in LOBBY_ACTS:
            _refuse(envelope, "command/bad", result)
            return
        if act.id not in state.acts:
            note = Acted(act)
            self._remember_act(note)
            offset = state.offset = Offset(state.offset + 1)
            record = JournalRecord(at_ms, self._epoch, notes=(note,))
            result.records.append(FiledRecord(encode_logged(LOBBY, offset, 0, record)))
            result.more.audit = AuditEntry(at_ms, LOBBY, offset, 0, act)
            self._save_if_due(at_ms, result)
        result.answer(envelope, Reply(envelope.conn, LOBBY, envelope.id))

    def _remember_act(self, note: AnyNote) -> None:
        if isinstance(note, Acted):
            self.state.acts = [*self.state.acts, note.act.id][-_ACTS_KEPT:]

    def _file(self, envelope: Envelope | None, at_ms: int, result: Result, *events: LobbyEvent) -> None:
        state = self.state
        for event in events:
            self._apply(event)
        offset = state.offset = Offset(state.offset + 1)
        sid = envelope.sid if envelope is not None else SessionId("")
        command = envelope.id if envelope is not None else CommandId(0)
        record = JournalRecord(at_ms, self._epoch, sid, command, events=msgspec.Raw(_encode(events)))
        result.records.append(FiledRecord(encode_logged(LOBBY, offset, 0, record)))
        if envelope is not None:
            self._remember(sid, command, at_ms)
            self._answer(envelope, self._last, result, opens=True)
        self._save_if_due(at_ms, result)

    def _save_if_due(self, at_ms: int, result: Result) -> None:
        offset = self.state.offset
        if offset % SNAPSHOT_EVERY == 0:
            self._forget_stale(at_ms)
            result.more.snapshot = Snapshot(offset, 0, _encode(self.state), covers_journal=True)

    def _apply(self, event: LobbyEvent) -> None:
        tables = self.state.tables
        match event:
            case Numbered(room=room):
                self.state.next = RoomId(room + 1)
            case Tabled(room=room, spec=spec, free=free, offset=offset, created_ms=created_ms, sids=sids):
                reserved = tables[room].reserved if room in tables else {}
                if free or not offset:
                    waiting = {sid: until for sid, until in reserved.items() if sid not in sids}
                    tables[room] = WaitingTable(spec, free, offset, created_ms, waiting)
                else:
                    tables.pop(room, None)
            case Reserved(room=room, sid=sid, until_ms=until_ms):
                self._last = room
                if room in tables:
                    begun_ms = until_ms - RESERVED_MS
                    coming = {holder: until for holder, until in tables[room].reserved.items() if until > begun_ms}
                    tables[room].reserved = {**coming, sid: until_ms}

    def _remember(self, sid: SessionId, command: CommandId, at_ms: int) -> None:
        answers = self.state.answers
        answers.pop(sid, None)
        answers[sid] = LobbyAnswer(command, self._last, at_ms)
        if len(answers) > SESSIONS_KEPT:
            del answers[next(iter(answers))]

    def _forget_stale(self, at_ms: int) -> None:
        """Drop tables that were numbered and never opened: no room will ever report that they are gone."""
        stale = [
            room
            for room, table in self.state.tables.items()
            if not table.offset and all(until <= at_ms for until in table.reserved.values())
        ]
        for room in stale:
            del self.state.tables[room]

    def _answer(self, envelope: Envelope, room: RoomId, result: Result, *, opens: bool) -> None:
        """Answer with a room and, if the session may open it (`opens`), with its spec. A request that is repeated late
        may not: the room may have been opened, closed and removed from the store meanwhile, and opening it again would
        give its number and its offsets to another history."""
        table = self.state.tables.get(room)
        asked = _asked_for(envelope.body) if opens else None
        spec = asked if table is None else table.spec
        result.answer(envelope, Reply(envelope.conn, LOBBY, envelope.id, to=room, spec=spec))


def _refuse(envelope: Envelope, code: ErrorCode, result: Result) -> None:
    result.answer(envelope, Reply(envelope.conn, LOBBY, envelope.id, code, refusal(code).text))


def _asked_for(body: RoomCommand) -> RoomSpec | None:
    match body:
        case Open(spec=spec):
            return spec
        case Match(open=opened):
            return opened
        case _:
            return None
