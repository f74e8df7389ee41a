"""The one function that follows a room's events: who has which seat, who is present, how far the room has got.

Workers apply it to their own state; gateways, dialects and tools apply it to a `FollowedRoom` that begins with a view.
"""

from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from shared.game import Choice
from shared.ids import RoomId, Seat
from shared.room_events import (
    Away,
    Back,
    Clock,
    Closed,
    Configured,
    Ended,
    Joined,
    Left,
    Opened,
    Rematched,
    RoomEvent,
    RoomSpec,
    RoomStatus,
    Started,
)
from shared.room_views import RoomView, SeatView


class SeatFacts(Protocol):
    """The facts that every record of a taken seat has."""

    name: str
    bot: bool
    here: bool
    left: bool
    choice: Choice


S = TypeVar("S", bound=SeatFacts)


class RoomFacts(Protocol[S]):
    """The facts that every record of a room has."""

    spec: RoomSpec
    status: RoomStatus
    seats: dict[Seat, S]
    clock_ms: int
    outcome: Ended | None
    rematch: RoomId | None

    def new_seat(self, joined: Joined) -> S:
        """A record for the seat that was just taken."""


def follow(room: RoomFacts[S], event: RoomEvent) -> None:
    """Apply one event. Events that concern none of these facts (chat, shifted deadlines, bot moves) change nothing."""
    match event:
        case Opened(spec=spec):
            room.spec, room.status = spec, RoomStatus.WAITING
        case Joined(seat=seat):
            room.seats[seat] = room.new_seat(event)
            room.seats = dict(sorted(room.seats.items()))
        case Left(seat=seat):
            _leave(room, seat)
        case Configured(spec=spec, choices=choices):
            room.spec = spec
            for seat, choice in choices.items():
                room.seats[seat].choice = choice
        case Started():
            room.status = RoomStatus.PLAYING
        case Away(seat=seat):
            room.seats[seat].here = False
        case Back(seat=seat):
            room.seats[seat].here = True
        case Clock(due_ms=due_ms):
            room.clock_ms = due_ms
        case Ended():
            room.status, room.outcome = RoomStatus.FINISHED, event
        case Closed():
            room.status = RoomStatus.CLOSED
        case Rematched(room=other):
            room.rematch = other


def _leave(room: RoomFacts[S], seat: Seat) -> None:
    """Before the start the seat is free again; later it stays with the name, and no player comes back to it."""
    if room.status is RoomStatus.WAITING:
        del room.seats[seat]
    else:
        room.seats[seat].here, room.seats[seat].left = False, True


@dataclass(slots=True)
class FollowedSeat:
    """A taken seat as seen from outside the worker."""

    name: str
    bot: bool = False
    here: bool = True
    left: bool = False
    choice: Choice = field(default_factory=dict)


@dataclass(slots=True)
class FollowedRoom:
    """A room as seen from outside the worker: begins with a view, goes on with the events of updates."""

    spec: RoomSpec
    status: RoomStatus
    seats: dict[Seat, FollowedSeat]
    clock_ms: int = 0
    outcome: Ended | None = None
    rematch: RoomId | None = None

    @staticmethod
    def of(view: RoomView) -> "FollowedRoom":
        """The room as a view shows it."""
        seats = {seat.seat: _followed(seat) for seat in view.seats}
        return FollowedRoom(view.spec, view.status, seats, view.clock_ms, view.outcome, view.rematch)

    @property
    def names(self) -> dict[Seat, str]:
        return {seat: facts.name for seat, facts in self.seats.items()}

    def new_seat(self, joined: Joined) -> FollowedSeat:
        return FollowedSeat(joined.name, joined.bot, choice=joined.choice)


def _followed(seat: SeatView) -> FollowedSeat:
    return FollowedSeat(seat.name, seat.bot, seat.here or seat.bot, seat.left, seat.choice)
