"""The facts of one room, read from its journal: seats, presence, connections, spectators, status."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from gateway.cluster.visibility import visible_part
from gateway.http.answers import ReplayStep
from shared.deliveries import StepMessage
from shared.game import Choice
from shared.ids import Epoch, GatewayId, Offset, RoomId, Seat, SessionId
from shared.journal_records import AnyNote, Attached, Detached, JournalEntry, without_effect
from shared.room_events import NOTHING, Back, Configured, Ended, Joined, Opened, RoomEvent, RoomSpec, RoomStatus
from shared.room_follower import follow
from shared.room_views import Update

_decode_events = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_room_event = msgspec.json.Decoder(RoomEvent).decode
_decode_update = msgspec.json.Decoder(Update).decode


class _EventType(msgspec.Struct):
    type: str


_decode_type = msgspec.json.Decoder(_EventType).decode


@dataclass(slots=True)
class RecordedSeat:
    """A taken seat, and the connection that was last attached to it."""

    name: str
    bot: bool = False
    here: bool = False
    left: bool = False
    choice: Choice = field(default_factory=dict)
    gateway: str = ""
    connection: int = 0


@dataclass(slots=True)
class RoomRecording:
    """The facts of a room after the records that were read so far."""

    room: RoomId
    spec: RoomSpec = RoomSpec("", 0)
    status: RoomStatus = RoomStatus.UNOPENED
    seats: dict[Seat, RecordedSeat] = field(default_factory=dict)
    clock_ms: int = 0
    outcome: Ended | None = None
    rematch: RoomId | None = None
    key: str = ""
    """The key of a private room; empty: none."""
    configured: Offset = Offset(0)
    """The step that opened the room, or configured it later: its public update shows the options."""
    holders: dict[SessionId, Seat] = field(default_factory=dict)
    """The session that had each seat last. A player who gave a seat up before may not see its later updates."""
    since: dict[Seat, Offset] = field(default_factory=dict)
    """The step that seated the player of each seat."""
    audience: frozenset[GatewayId] = frozenset()
    last: tuple[Offset, int] | None = None
    """The id of the last record that was read, of those that are never removed from the journal."""
    epoch: Epoch = Epoch(0)
    """The epoch that wrote the last record."""

    @property
    def private(self) -> bool:
        return self.spec.private

    @property
    def finished(self) -> bool:
        return self.outcome is not None

    @property
    def offset(self) -> Offset:
        return Offset(0) if self.last is None else self.last[0]

    @property
    def public_spec(self) -> dict[str, Any]:
        """The spec without its options: the journal also has those that the game shows to no player."""
        spec: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self.spec, options={}))
        return spec

    def admits(self, session: SessionId | None, key: str) -> bool:
        """Whether the reader may learn that the room exists: a private room is open to its players and its key."""
        is_key = bool(self.key) and hmac.compare_digest(key.encode(), self.key.encode())
        return not self.private or session in self.holders or is_key

    def copy(self) -> "RoomRecording":
        """A copy that can follow further records while this one stays as it is."""
        seats = {seat: replace(recorded) for seat, recorded in self.seats.items()}
        return replace(self, seats=seats, holders=dict(self.holders), since=dict(self.since))

    def follow(self, entries: Sequence[JournalEntry]) -> None:
        for entry in entries:
            offset, number, record = entry
            for event in room_events(record.events):
                follow(self, event)
                self._follow_holders(event, offset)
            for note in record.notes:
                self._follow_note(note)
            if not without_effect(entry):
                self.last, self.epoch = (offset, number), record.epoch

    def new_seat(self, joined: Joined) -> RecordedSeat:
        """A player is present once a connection is attached, a bot at once."""
        return RecordedSeat(joined.name, joined.bot, here=joined.bot, choice=joined.choice)

    def part_for(self, step: StepMessage, seat: Seat) -> msgspec.Raw:
        """The step as the player of the seat may see it."""
        return visible_part(step, seat, self.since.get(seat, Offset(0)))

    def _follow_holders(self, event: RoomEvent, offset: Offset) -> None:
        match event:
            case Opened(key=key):
                self.configured, self.key = offset, key
            case Configured():
                self.configured = offset
            case Joined(seat=seat, sid=sid):
                self.since[seat] = offset
                self._hold(seat, sid)
            case Back(seat=seat, sid=sid):
                self._hold(seat, sid)

    def _hold(self, seat: Seat, sid: SessionId) -> None:
        if sid:
            self.holders = {other: its_seat for other, its_seat in self.holders.items() if its_seat != seat}
            self.holders[sid] = seat

    def _follow_note(self, note: AnyNote) -> None:
        match note:
            case Attached(gateway=gateway, seat=None):
                self.audience |= {gateway}
            case Detached(gateway=gateway, seat=None):
                self.audience -= {gateway}
            case Attached(gateway=gateway, conn=connection, seat=int(seat)) if seat in self.seats:
                recorded = self.seats[Seat(seat)]
                recorded.here, recorded.gateway, recorded.connection = True, gateway, connection
            case Detached(seat=int(seat)) if seat in self.seats:
                self.seats[Seat(seat)].here = False


def room_events(events: msgspec.Raw) -> list[RoomEvent]:
    """The room events in a list that also holds events of the game."""
    found = _decode_events(events)
    return [_decode_room_event(event) for event in found if _decode_type(event).type.startswith("room.")]


def public_step(step: StepMessage) -> ReplayStep:
    """A step as everyone may see it in a replay: without the chat."""
    update = _decode_update(step.public if step.replay == NOTHING else step.replay)
    events = [event for event in _decode_events(update.events) if _decode_type(event).type != "room.said"]
    return ReplayStep(update.offset, update.at, update.by, events)


def public_room_events(step: StepMessage) -> list[RoomEvent]:
    return room_events(_decode_update(step.public).events)
