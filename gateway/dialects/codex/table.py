"""What a connection knows of its table: who sits there, who is away, and the game as its player may see it."""

from dataclasses import dataclass

import msgspec

from shared.games.codex.pieces import Color, Own, Phase
from shared.games.codex.views import PlayerView, TableView, View
from shared.ids import RoomId, Seat
from shared.room_views import RoomView

_view: msgspec.json.Decoder[View | None] = msgspec.json.Decoder(View | None)


@dataclass(slots=True)
class Table:
    room: RoomId
    me: Seat
    names: dict[Seat, str]
    away: set[Seat]
    """Who lost the connection or left."""
    announced: set[Seat]
    """Of those, whom the client knows as crashed."""
    playing: bool
    view: View
    closed: bool = False
    """The table, or the own seat, is no more."""

    @property
    def over(self) -> bool:
        return self.game.result is not None

    @property
    def game(self) -> TableView:
        return self.view.table

    @property
    def own(self) -> Own:
        return self.view.own or Own()

    @property
    def state(self) -> str:
        """Of the game, in the document's words."""
        return self.game.phase.upper() if self.playing else "WAITING"

    def seat(self, name: str) -> Seat | None:
        return next((seat for seat, other in self.names.items() if other == name), None)

    def player(self, seat: Seat) -> PlayerView:
        return self.game.players.get(seat, PlayerView())

    def color(self, seat: Seat) -> str | None:
        color = self.player(seat).color
        return None if color is None else color.upper()

    def free_colors(self) -> list[str]:
        taken = [player.color for player in self.game.players.values()]
        return [color.upper() for color in Color if color not in taken]

    def picks_color(self) -> bool:
        """Whether the client has to pick a colour now."""
        return self.playing and self.game.phase is Phase.COLOR and self.game.current == self.me


def enter(me: Seat, view: RoomView) -> Table:
    """The table as the room shows it to somebody who sits down or comes back."""
    away = {seat.seat for seat in view.seats if seat.seat != me and (seat.left or not (seat.here or seat.bot))}
    playing = view.status != "waiting"
    return Table(
        room=view.room,
        me=me,
        names={seat.seat: seat.name for seat in view.seats},
        away=away,
        announced=set(away) if playing else set(),
        playing=playing,
        view=_view.decode(view.game) or View(you=me),
    )
