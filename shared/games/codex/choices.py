"""The three choices of the set-up, made by a player or, for one who is away, by the game."""

from shared.games.codex.area import symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.events import ColorPicked, ObjectiveChosen, StartingPlaced
from shared.games.codex.pieces import Color, Face
from shared.games.codex.state import StepDraft
from shared.games.codex.turns import after_choice
from shared.games.codex.views import TableView, no_symbols
from shared.ids import Seat


def free_colors(table: TableView) -> tuple[Color, ...]:
    taken = [player.color for player in table.players.values()]
    return tuple(color for color in Color if color not in taken)


def place_starting(draft: StepDraft, seat: Seat, face: Face) -> None:
    card = draft.state.own[seat].starting
    assert card is not None, "everybody is dealt a starting card"
    symbols = symbols_after(no_symbols(), CARDS[card].side(face), ())
    draft.emit(StartingPlaced(seat, card, face, symbols))
    after_choice(draft)


def pick_color(draft: StepDraft, seat: Seat, color: Color) -> None:
    draft.emit(ColorPicked(seat, color))
    after_choice(draft)


def keep_objective(draft: StepDraft, seat: Seat, choose: int) -> None:
    """The first or the second on offer."""
    draft.emit(ObjectiveChosen(seat, draft.state.own[seat].offered[choose - 1]))
    after_choice(draft)
