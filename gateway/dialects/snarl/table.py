"""The table that a connection has a seat at: the room, its seats, and the game as the player may see it."""

from dataclasses import dataclass

import msgspec

from gateway.dialects.answers import Entered
from shared.games.snarl.events import Event
from shared.games.snarl.pieces import Actor, Kind
from shared.games.snarl.views import View, fold
from shared.ids import RoomId, Seat
from shared.room_events import NOTHING, BaseRoomEvent, RoomEvent, RoomStatus
from shared.room_follower import FollowedRoom, follow

_decode_view = msgspec.json.Decoder(View).decode


@dataclass(slots=True)
class Table:
    """One connection's copy of the room. It begins with the view of `Entered` and follows each event."""

    room_id: RoomId
    seat: Seat
    """The connection's own seat."""
    room: FollowedRoom
    view: View

    @staticmethod
    def entered(entered: Entered) -> "Table":
        view = entered.view
        game = View(you=entered.seat) if view.game == NOTHING else _decode_view(view.game)
        return Table(entered.room, entered.seat, FollowedRoom.of(view), game)

    @property
    def waiting(self) -> bool:
        return self.room.status is RoomStatus.WAITING

    def follow(self, event: RoomEvent | Event) -> None:
        """Apply one event."""
        if isinstance(event, BaseRoomEvent):
            follow(self.room, event)
        else:
            self.view = fold(self.view, event)

    def name(self, seat: Seat) -> str:
        return self.room.seats[seat].name

    def names(self, seats: tuple[Seat, ...]) -> tuple[str, ...]:
        return tuple(self.name(seat) for seat in seats)

    def actor_name(self, actor: Actor) -> str:
        return self.name(Seat(actor.number)) if actor.kind is Kind.PLAYER else actor.name
