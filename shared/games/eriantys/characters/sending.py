"""Characters that move students from a card or to the bag."""

from shared.dice import Dice
from shared.errors import Rejected
from shared.games.eriantys.bag import draw
from shared.games.eriantys.changes import card_of
from shared.games.eriantys.characters.base import AnyChoice, Effect, no_such_tile
from shared.games.eriantys.commands import ChooseColor, SendStudent
from shared.games.eriantys.dining_rooms import check_professor, student_arrived
from shared.games.eriantys.endings import call_last_round
from shared.games.eriantys.events import CardRefilled, CardToHall, CardToIsland, ChoiceMade, StudentsReturned
from shared.games.eriantys.pieces import INDEX, ROW, Reason
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View
from shared.ids import Seat

RETURNED = 3
"""The number of students that the thief takes from each dining room, or all if there are fewer."""


class Monk(Effect):
    """A student from the card to an island."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        if not isinstance(choice, SendStudent):
            return refused("eriantys/no_choice")
        if not card_of(view, 1).students[INDEX[choice.colour]]:
            return refused("eriantys/no_student")
        return no_such_tile(choice.tile)

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, SendStudent):
            draft.emit(ChoiceMade(seat, 1, choice.colour, choice.tile))
            draft.emit(CardToIsland(1, choice.colour, choice.tile))
            refill_card(draft, seat, 1)


class Princess(Effect):
    """A student from the card to the own dining room."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        if not isinstance(choice, ChooseColor):
            return refused("eriantys/no_choice")
        if view.players[seat].hall[INDEX[choice.colour]] == ROW:
            return refused("eriantys/row_full")
        return None if card_of(view, 11).students[INDEX[choice.colour]] else refused("eriantys/no_student")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, ChooseColor):
            draft.emit(ChoiceMade(seat, 11, choice.colour))
            draft.emit(CardToHall(seat, 11, choice.colour))
            student_arrived(draft, seat, choice.colour)
            refill_card(draft, seat, 11)


class Thief(Effect):
    """All players return students of a color to the bag."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        return None if isinstance(choice, ChooseColor) else refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, ChooseColor):
            draft.emit(ChoiceMade(seat, 12, choice.colour))
            for number, player in enumerate(draft.state.view.players):
                if count := min(RETURNED, player.hall[INDEX[choice.colour]]):
                    draft.emit(StudentsReturned(Seat(number), choice.colour, count))
            check_professor(draft, choice.colour)


def refill_card(draft: StepDraft, seat: Seat, number: int) -> None:
    """Move one student from the bag to the card, if the bag has any; the last one makes this the last round."""
    if not any(draft.state.view.bag):
        return
    drawn, left = draw(Dice(draft.state.seed, "card", draft.state.view.round, seat), draft.state.view.bag, 1)
    draft.emit(CardRefilled(number, drawn[0]))
    if not any(left):
        call_last_round(draft, Reason.BAG)
