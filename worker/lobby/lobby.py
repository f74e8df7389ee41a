"""The lobby, without IO: hands out room numbers and reserves seats, so that players who come at once meet at a table.

It is an entity like a room, in the partition of room 0, journaled and deduplicated alike. What it knows of tables may
be a moment old; the rooms have the last word, and whoever is turned away asks again.
"""

from typing import TypeAlias

import msgspec

from shared.bus.journal import JournalEntry, JournalRecord, StoredRoom
from shared.commands import Envelope, Listed, Match, Open, RoomCommand
from shared.deliveries import Reply
from shared.errors import CODES, Rejected
from shared.ids import FIRST_ROOM, LOBBY, CommandId, Epoch, Offset, RoomId, SessionId
from shared.room_events import RoomSpec
from worker.room.batch import Batch

RESERVED_MS = 5_000
SESSIONS_KEPT = 20_000
SNAPSHOT_EVERY = 200

_encode = msgspec.json.Encoder().encode


class BaseLobbyEvent(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Base of what the lobby files in its journal."""


class Numbered(BaseLobbyEvent, frozen=True, tag="numbered"):
    """A new public room got its number."""

    room: RoomId


class Tabled(BaseLobbyEvent, frozen=True, tag="tabled"):
    """A table waits for players, with so many free seats (0: not any more)."""

    room: RoomId
    spec: RoomSpec
    free: int
    offset: Offset
    created_ms: int
    sids: tuple[SessionId, ...] = ()


class Reserved(BaseLobbyEvent, frozen=True, tag="reserved"):
    """Somebody is on the way to a room: to a seat at a table, or to open a private one."""

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

    def room_for(self, sid: SessionId, at: int) -> bool:
        """A table that nobody has opened yet is there only while somebody is on the way to open it."""
        coming = [holder for holder, until in self.reserved.items() if until > at]
        others = sum(1 for holder in coming if holder != sid)
        return self.free > others and (self.offset > 0 or bool(coming))


class LobbyAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The lobby's last answer to a session. How to open the room is with its table, while that waits, or said again by
    who asks again: it can be large, and was not looked at yet."""

    id: CommandId
    room: RoomId


class LobbyState(msgspec.Struct):
    next: RoomId = RoomId(FIRST_ROOM)
    offset: Offset = Offset(0)
    tables: dict[RoomId, WaitingTable] = {}
    answers: dict[SessionId, LobbyAnswer] = {}


_decode_state = msgspec.json.Decoder(LobbyState).decode


class Lobby:
    """The lobby in the memory of its owner."""

    def __init__(self, epoch: Epoch, kept: StoredRoom) -> None:
        self._epoch = epoch
        self.state = LobbyState() if kept.snapshot is None else _decode_state(kept.snapshot)
        self._last = LOBBY
        """The room of the latest reservation."""
        for filed in kept.records:
            self._replay(filed)

    def _replay(self, filed: JournalEntry) -> None:
        offset, _, record = filed
        self.state.offset = offset
        events = _decode_events(record.events)
        for event in events:
            self._apply(event)
        if record.id and events:
            self._remember(record.sid, record.id)

    def handle(self, envelope: Envelope, at: int, batch: Batch) -> None:
        body = envelope.body
        if isinstance(body, Listed):
            self._listed(body, at, batch)
            return
        known = self.state.answers.get(envelope.sid)
        if known is not None and envelope.id <= known.id:
            if envelope.id == known.id:
                self._answer(envelope, known.room, batch)
            else:
                self._refuse(envelope, Rejected("command/too_old"), batch)
            return
        match body:
            case Open(spec=spec, private_room=private_room):
                self._open(envelope, spec, private_room if spec.private else None, at, batch)
            case Match():
                self._match(envelope, body, at, batch)
            case _:
                self._refuse(envelope, Rejected("room/unknown"), batch)

    def _match(self, envelope: Envelope, wanted: Match, at: int, batch: Batch) -> None:
        fitting = [
            (table.created_ms, room)
            for room, table in self.state.tables.items()
            if room not in wanted.avoid and table.fits(wanted) and table.room_for(envelope.sid, at)
        ]
        if fitting:
            self._file(envelope, at, batch, Reserved(min(fitting)[1], envelope.sid, at + RESERVED_MS))
        elif wanted.open is None:
            self._refuse(envelope, Rejected("lobby/no_table"), batch)
        else:
            self._open(envelope, wanted.open, None, at, batch)

    def _open(self, envelope: Envelope, spec: RoomSpec, private: RoomId | None, at: int, batch: Batch) -> None:
        """A number for a new room. A public one can be matched at once, with a seat reserved for who opens it."""
        room = private or self.state.next
        reserved = Reserved(room, envelope.sid, at + RESERVED_MS)
        if private:
            self._file(envelope, at, batch, reserved)
        else:
            tabled = Tabled(room, spec, spec.seats - spec.bots, Offset(0), at)
            self._file(envelope, at, batch, Numbered(room), tabled, reserved)

    def _listed(self, body: Listed, at: int, batch: Batch) -> None:
        table = self.state.tables.get(body.room)
        if (table is None and not body.free) or (table is not None and table.offset >= body.offset):
            return
        self._file(None, at, batch, Tabled(body.room, body.spec, body.free, body.offset, body.created_ms, body.sids))

    def _file(self, envelope: Envelope | None, at: int, batch: Batch, *events: LobbyEvent) -> None:
        state = self.state
        for event in events:
            self._apply(event)
        state.offset = Offset(state.offset + 1)
        sid = envelope.sid if envelope is not None else SessionId("")
        command = envelope.id if envelope is not None else CommandId(0)
        raw = msgspec.Raw(_encode(events))
        batch.file(LOBBY, state.offset, 0, JournalRecord(at, self._epoch, sid, command, events=raw))
        if envelope is not None:
            self._remember(sid, command)
            self._answer(envelope, self._last, batch)
        if state.offset % SNAPSHOT_EVERY == 0:
            self._forget_stale(at)
            batch.snapshot(LOBBY, state.offset, 0, _encode(state))
            batch.forget_journal(LOBBY, state.offset)

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

    def _remember(self, sid: SessionId, command: CommandId) -> None:
        answers = self.state.answers
        answers.pop(sid, None)
        answers[sid] = LobbyAnswer(command, self._last)
        if len(answers) > SESSIONS_KEPT:
            del answers[next(iter(answers))]

    def _forget_stale(self, at: int) -> None:
        """Tables that were numbered but never opened leave no trace but this."""
        stale = [
            room
            for room, table in self.state.tables.items()
            if not table.offset and all(until <= at for until in table.reserved.values())
        ]
        for room in stale:
            del self.state.tables[room]

    def _answer(self, envelope: Envelope, room: RoomId, batch: Batch) -> None:
        table = self.state.tables.get(room)
        spec = _asked_for(envelope.body) if table is None else table.spec
        batch.reply(envelope, Reply(envelope.conn, LOBBY, envelope.id, to=room, spec=spec))

    def _refuse(self, envelope: Envelope, refusal: Rejected, batch: Batch) -> None:
        text = refusal.text or CODES.get(refusal.code, "")
        batch.reply(envelope, Reply(envelope.conn, LOBBY, envelope.id, refusal.code, text))


def _asked_for(body: RoomCommand) -> RoomSpec | None:
    match body:
        case Open(spec=spec):
            return spec
        case Match(open=opened):
            return opened
        case _:
            return None
