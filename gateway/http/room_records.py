"""Rooms as they can be read again: what a seat was told, finished games as anybody may watch them, and who is where.

The journal says who sat there, at which gateway, and whether the game is over. Its events are not shown: a gateway
knows no game's code, so what may be seen are the updates that the worker wrote, as many as are kept. Both can be long,
and moves wait for the same connection to the store: they are read in portions, for few at once, and what was learnt is
remembered.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from shared.bus import journal, updates
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.deliveries import StepMessage
from shared.ids import LOBBY, Epoch, GatewayId, Offset, RoomId, Seat, SessionId, partition_of
from shared.journal_records import AnyNote, Attached, Detached, JournalEntry, JournalRecord, without_effect
from shared.room_views import Update

MOST_STEPS = 5_000
MOST_BYTES = 8 * 1024 * 1024
"""Of one answer, give or take a portion."""
_PORTION = 200
_READERS = 4
_REMEMBERED = 128
_PATIENCE_S = 10.0

_decode_events = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_update = msgspec.json.Decoder(Update).decode


class _Kind(msgspec.Struct):
    type: str


class _Moved(msgspec.Struct):
    """That somebody took a seat, left it, or was lost or found."""

    seat: Seat
    name: str = ""
    bot: bool = False
    sid: SessionId = SessionId("")


class _Settled(msgspec.Struct):
    """That the table was opened, or configured later."""

    spec: dict[str, Any]


_decode_kind = msgspec.json.Decoder(_Kind).decode
_decode_moved = msgspec.json.Decoder(_Moved).decode
_decode_settled = msgspec.json.Decoder(_Settled).decode
_SETTLED = ("room.opened", "room.configured")


class SeatOccupant(msgspec.Struct, frozen=True):
    """Who has a seat, and the connection that was last seen there."""

    seat: Seat
    name: str
    bot: bool = False
    here: bool = False
    left: bool = False
    gateway: str = ""
    connection: int = 0


@dataclass(slots=True)
class RoomRecording:
    """What the journal says of a room, as far as it was read."""

    room: RoomId
    spec: dict[str, Any] = field(default_factory=dict)
    """Without its options: the journal has also those that the game tells nobody."""
    settled: Offset = Offset(0)
    """The step that told what it is."""
    seats: dict[SessionId, Seat] = field(default_factory=dict)
    """The session that held each seat last: what the seat is told is not for those who gave it up before."""
    since: dict[Seat, Offset] = field(default_factory=dict)
    """The step that seated the player of each seat."""
    sittings: dict[Seat, SeatOccupant] = field(default_factory=dict)
    audience: frozenset[GatewayId] = frozenset()
    """Gateways with spectators."""
    finished: bool = False
    last: tuple[Offset, int] | None = None
    """The place of the record that was read last, of those that stay."""
    epoch: Epoch = Epoch(0)
    """That wrote it."""

    @property
    def private(self) -> bool:
        return bool(self.spec.get("private"))

    @property
    def offset(self) -> Offset:
        return Offset(0) if self.last is None else self.last[0]

    def follow(self, filed: Sequence[JournalEntry]) -> None:
        for one in filed:
            offset, number, record = one
            for event in _decode_events(record.events):
                self._follow(event, offset)
            for note in record.notes:
                self._noted(note)
            if not without_effect(one):
                self.last, self.epoch = (offset, number), record.epoch

    def _follow(self, event: msgspec.Raw, offset: Offset) -> None:
        match _decode_kind(event).type:
            case kind if kind in _SETTLED:
                self.settled = offset
                self.spec = {name: value for name, value in _decode_settled(event).spec.items() if name != "options"}
            case "room.joined":
                joined = _decode_moved(event)
                self.since[joined.seat] = offset
                self.sittings[joined.seat] = SeatOccupant(joined.seat, joined.name, joined.bot, here=joined.bot)
                self._holds(joined)
            case "room.back":
                back = _decode_moved(event)
                self._change(back.seat, here=True)
                self._holds(back)
            case "room.away":
                self._change(_decode_moved(event).seat, here=False)
            case "room.left":
                self._change(_decode_moved(event).seat, here=False, left=True)
            case "room.ended":
                self.finished = True

    def _holds(self, moved: _Moved) -> None:
        if moved.sid:
            self.seats = {sid: seat for sid, seat in self.seats.items() if seat != moved.seat}
            self.seats[moved.sid] = moved.seat

    def _noted(self, note: AnyNote) -> None:
        match note:
            case Attached(gateway=gateway, seat=None):
                self.audience |= {gateway}
            case Attached(gateway=gateway, conn=connection, seat=int(seat)):
                self._change(Seat(seat), here=True, gateway=gateway, connection=connection)
            case Detached(gateway=gateway, seat=None):
                self.audience -= {gateway}
            case Detached(seat=int(seat)):
                self._change(Seat(seat), here=False)

    def _change(self, seat: Seat, **how: Any) -> None:
        self.sittings[seat] = msgspec.structs.replace(self.sittings[seat], **how)

    def told(self, step: StepMessage, seat: Seat) -> msgspec.Raw:
        """The step as the player of the seat may see it."""
        return step.seats.get(seat, step.public) if step.offset >= self.since.get(seat, 0) else step.public


@dataclass(slots=True)
class RecordedSteps:
    """As many steps as fit into one answer; `more` says that others follow."""

    told: list[StepMessage] = field(default_factory=list)
    trimmed: bool = False
    more: bool = False


class RoomRecords:
    """Reads rooms for those who ask over HTTP; one for each gateway. Raises `TimeoutError` when that takes too long:
    whoever asks again goes on from where it ended."""

    def __init__(self, store: Store, partitions: tuple[Keys, ...]) -> None:
        self._store = store
        self._partitions = partitions
        self._readers = asyncio.Semaphore(_READERS)
        self._known: dict[RoomId, RoomRecording] = {}
        """Those that were asked for last, the latest at the end."""

    async def of(self, room: RoomId) -> RoomRecording | None:
        """What is known of a room now; None if there is none, as under the lobby's number."""
        if room == LOBBY:
            return None
        keys = self._keys(room)
        async with self._turn():
            recording = await self._remembered(keys, room)
            try:
                async for filed in journal.portions(self._store, keys, room, recording.last, _PORTION):
                    recording.follow(filed)
            finally:
                self._remember(recording)
        return None if recording.last is None else recording

    async def spec(self, recording: RoomRecording) -> dict[str, Any]:
        """What was played, as everybody was told; without options if that is kept no more."""
        async with self._turn():
            keys, before = self._keys(recording.room), recording.settled - 1
            told, trimmed = await updates.read(self._store, keys, recording.room, before, 1)
        events = _decode_events(_decode_update(told[0].public).events) if told and not trimmed else []
        specs = [_decode_settled(event).spec for event in events if _decode_kind(event).type in _SETTLED]
        return specs[-1] if specs else recording.spec

    async def steps(self, room: RoomId, after: int) -> RecordedSteps:
        """What was told after an offset."""
        keys, steps, size = self._keys(room), RecordedSteps(), 0
        async with self._turn():
            while len(steps.told) < MOST_STEPS and size < MOST_BYTES:
                top = steps.told[-1].offset if steps.told else after
                told, trimmed = await updates.read(self._store, keys, room, top, _PORTION)
                steps.told += told
                steps.trimmed |= trimmed
                steps.more = len(told) == _PORTION
                if not steps.more:
                    break
                size += sum(len(part) for step in told for part in (step.public, *step.seats.values()))
        return steps

    def _keys(self, room: RoomId) -> Keys:
        return self._partitions[partition_of(room, len(self._partitions))]

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        async with asyncio.timeout(_PATIENCE_S), self._readers:
            yield

    async def _remembered(self, keys: Keys, room: RoomId) -> RoomRecording:
        """A copy to go on from, unless the store came back without what it was read from."""
        known = self._known.get(room)
        if known is None or known.last is None:
            return RoomRecording(room)
        record: JournalRecord | None = await journal.at(self._store, keys, room, known.last)
        if record is None or record.epoch != known.epoch:
            return RoomRecording(room)
        return replace(known, seats=dict(known.seats), since=dict(known.since), sittings=dict(known.sittings))

    def _remember(self, recording: RoomRecording) -> None:
        self._known.pop(recording.room, None)
        if recording.last is not None:
            self._known[recording.room] = recording
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def public(step: StepMessage) -> dict[str, Any]:
    """A step as anybody may see it in a replay."""
    update = _decode_update(step.public)
    events = [event for event in _decode_events(update.events) if _decode_kind(event).type != "room.said"]
    return {"offset": update.offset, "at": update.at, "by": update.by, "events": events}
