"""Dining rooms: the owners of the professors, and the coins that students earn."""

from shared.games.eriantys.events import CoinTaken, ProfessorTaken
from shared.games.eriantys.pieces import INDEX, Color
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View, active_card
from shared.ids import Seat


def leader(view: View, color: Color) -> Seat | None:
    """The seat that the professor of a color belongs to: strictly most students. The owner wins ties; a player whose
    character wins ties comes before the owner."""
    place = INDEX[color]
    numbers = [player.hall[place] for player in view.players]
    best, owner = max(numbers), view.professors[place]
    if best == 0:
        return owner
    if active_card(view).wins_ties and numbers[view.turn] == best:
        return view.turn
    if owner is not None and numbers[owner] == best:
        return owner
    return Seat(numbers.index(best)) if numbers.count(best) == 1 else owner


def check_professor(draft: StepDraft, color: Color) -> None:
    seat = leader(draft.state.view, color)
    if seat is not None and seat != draft.state.view.professors[INDEX[color]]:
        draft.emit(ProfessorTaken(color, seat))


def student_arrived(draft: StepDraft, seat: Seat, color: Color) -> None:
    """A student was put on the next free place of a row: every third place earns a coin while the bank has one."""
    if draft.state.view.expert and draft.state.view.bank and draft.state.view.players[seat].hall[INDEX[color]] % 3 == 0:
        draft.emit(CoinTaken(seat))
    check_professor(draft, color)
