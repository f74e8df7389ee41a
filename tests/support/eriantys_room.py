"""A room in memory, as far as a conversation of an Eriantys dialect can tell."""

from dataclasses import dataclass
from typing import Any

import msgspec

from shared.games.eriantys.game import GAME
from shared.games.eriantys.setup import Options
from shared.games.eriantys.state import State
from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import NOTHING, RoomSpec, RoomStatus
from shared.room_views import Listing, RoomView, SeatView


@dataclass
class Person:
    name: str
    choice: dict[str, Any]
    line: Any
    left: bool = False


class HouseRoom:
    """A room, as far as a conversation can tell."""

    def __init__(self, number: RoomId, spec: RoomSpec, seed: int) -> None:
        self.number, self.spec, self.seed = number, spec, seed
        self.people: dict[Seat, Person] = {}
        self.status = "waiting"
        self.state: State = GAME.empty
        self.offset = 0
        self.journal: list[Any] = []

    @property
    def options(self) -> Options:
        return msgspec.convert(self.spec.options, Options)

    def free(self) -> list[Seat]:
        return [Seat(seat) for seat in range(self.spec.seats) if seat not in self.people]

    def view(self, seat: Seat) -> RoomView:
        people = (
            SeatView(number, person.name, here=person.line is not None, left=person.left, choice=person.choice)
            for number, person in sorted(self.people.items())
        )
        return RoomView(
            room=self.number,
            epoch=Epoch(1),
            offset=Offset(self.offset),
            status=RoomStatus(self.status),
            spec=self.spec,
            version=1,
            seats=tuple(people),
            you=seat,
            game=msgspec.Raw(msgspec.json.encode(self.state.view)) if self.status != "waiting" else NOTHING,
        )

    def listing(self) -> Listing:
        return Listing(
            room=self.number,
            game=GAME.name,
            seats=self.spec.seats,
            status=RoomStatus(self.status),
            names={seat: person.name for seat, person in self.people.items()},
            gone=tuple(seat for seat, person in self.people.items() if person.line is None),
            free=len(self.free()),
            private=self.spec.private,
            only=self.spec.only,
            options=self.spec.options,
            choices={seat: person.choice for seat, person in self.people.items()},
            paused=self.state.view.paused,
        )
