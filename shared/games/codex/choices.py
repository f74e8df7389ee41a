"""The three choices of the set-up, made by a player or, for one who is away, by the game."""

from shared.games.codex.area import symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.events import ColorPicked, ObjectiveChosen, StartingPlaced
from shared.games.codex.pieces import Color, Face
from shared.games.codex.state import Story
from shared.games.codex.turns import after_choice
from shared.games.codex.views import TableView, no_symbols
from shared.ids import Seat


def free_colors(table: TableView) -> tuple[Color, ...]:
    taken = [player.color for player in table.players.values()]
    return tuple(color for color in Color if color not in taken)


def place_starting(story: Story, seat: Seat, face: Face) -> None:
    card = story.state.own[seat].starting
    assert card is not None, "everybody is dealt a starting card"
    symbols = symbols_after(no_symbols(), CARDS[card].side(face), ())
    story.tell(StartingPlaced(seat, card, face, symbols))
    after_choice(story)


def pick_color(story: Story, seat: Seat, color: Color) -> None:
    story.tell(ColorPicked(seat, color))
    after_choice(story)


def keep_objective(story: Story, seat: Seat, choose: int) -> None:
    """The first or the second on offer."""
    story.tell(ObjectiveChosen(seat, story.state.own[seat].offered[choose - 1]))
    after_choice(story)
