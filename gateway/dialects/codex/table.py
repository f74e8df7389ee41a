"""The table that a connection has a seat at: the room, its seats, and the game as the player may see it."""

from dataclasses import dataclass

import msgspec

from shared.games.codex.pieces import Color, Own, Phase
from shared.games.codex.views import PlayerView, TableView, View
from shared.ids import RoomId, Seat
from shared.room_events import RoomStatus
from shared.room_follower import FollowedRoom
from shared.room_views import RoomView

_decode_view = msgspec.json.Decoder(View | None).decode
_STARTED = (RoomStatus.PLAYING, RoomStatus.FINISHED)


@dataclass(slots=True)
class Table:
    """One connection's copy of the room. It begins with the view of `Entered` and follows each event."""

    room_id: RoomId
    me: Seat
    room: FollowedRoom
    announced: set[Seat]
    """The seats that the client knows as crashed."""
    view: View
    closed: bool = False
    """The room is closed or the own seat was given up: the conversation drops the table after this step."""

    @staticmethod
    def entered(me: Seat, view: RoomView) -> "Table":
        table = Table(view.room, me, FollowedRoom.of(view), set(), _decode_view(view.game) or View(you=me))
        if table.started:
            table.announced = table.away
        return table

    @property
    def started(self) -> bool:
        """The game has begun, and may be over."""
        return self.room.status in _STARTED

    @property
    def over(self) -> bool:
        return self.game.result is not None

    @property
    def away(self) -> set[Seat]:
        """The other seats whose players have lost the connection or left."""
        seats = self.room.seats.items()
        return {seat for seat, facts in seats if seat != self.me and (facts.left or not facts.here)}

    @property
    def game(self) -> TableView:
        return self.view.table

    @property
    def own(self) -> Own:
        return self.view.own or Own()

    @property
    def state(self) -> str:
        """The state of the game, as the protocol document names it."""
        return self.game.phase.upper() if self.started else "WAITING"

    def name(self, seat: Seat) -> str:
        return self.room.seats[seat].name

    def seat_of(self, name: str) -> Seat | None:
        return next((seat for seat, facts in self.room.seats.items() if facts.name == name), None)

    def player(self, seat: Seat) -> PlayerView:
        return self.game.players.get(seat, PlayerView())

    def color(self, seat: Seat) -> str | None:
        color = self.player(seat).color
        return None if color is None else color.upper()

    def free_colors(self) -> list[str]:
        taken = [player.color for player in self.game.players.values()]
        return [color.upper() for color in Color if color not in taken]

    def picks_color(self) -> bool:
        """Whether the client has to pick a color now."""
        return self.started and self.game.phase is Phase.COLOR and self.game.current == self.me
