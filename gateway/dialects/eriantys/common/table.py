"""The table that a connection has a seat at: the room, its seats, and the game after the last delivered step."""

from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.dialects.answers import Entered
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import Tower
from shared.games.eriantys.views import View
from shared.ids import RoomId, Seat
from shared.room_events import NOTHING, OVER, BaseRoomEvent, RoomEvent, RoomStatus
from shared.room_follower import FollowedRoom, FollowedSeat, follow

GAME: Final = "eriantys"

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
        game = View() if view.game == NOTHING else _decode_view(view.game)
        return Table(entered.room, entered.seat, FollowedRoom.of(view), game)

    @property
    def seats(self) -> dict[Seat, FollowedSeat]:
        """The taken seats, ascending."""
        return self.room.seats

    @property
    def waiting(self) -> bool:
        return self.room.status is RoomStatus.WAITING

    @property
    def playing(self) -> bool:
        return self.room.status is RoomStatus.PLAYING

    @property
    def over(self) -> bool:
        return self.room.status in OVER

    def name(self, seat: Seat) -> str:
        return self.room.seats[seat].name

    def tower(self, seat: Seat) -> str:
        """The tower color of a seat: that of the game or, before the start, that of the player's choice."""
        if self.view.players:
            return self.view.players[seat].tower
        return str(self.room.seats[seat].choice.get("tower", Tower.BLACK.value))

    def tile_at(self, position: int) -> int:
        """The lowest tile of the group at a position in the list of groups; 0, which is no tile, if there is none."""
        return self.view.groups[position].tiles[0] if 0 <= position < len(self.view.groups) else 0

    def follow(self, event: RoomEvent | Event) -> None:
        """Apply one event."""
        if isinstance(event, BaseRoomEvent):
            follow(self.room, event)
        else:
            self.view = event.on(self.view)
