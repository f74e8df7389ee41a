"""Characters that change how the rest of the turn is counted. cards.py lists their effects."""

from shared.errors import Rejected
from shared.games.eriantys.characters.base import AnyChoice, Effect
from shared.games.eriantys.commands import ChooseColor
from shared.games.eriantys.dining_rooms import check_professor
from shared.games.eriantys.events import ChoiceMade
from shared.games.eriantys.pieces import COLORS
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View
from shared.ids import Seat


class Farmer(Effect):
    """Wins ties for professors: at once, and with every student that is placed later in the turn."""

    def played(self, draft: StepDraft) -> None:
        for color in COLORS:
            check_professor(draft, color)


class Postman(Effect):
    """Mother nature may go further."""


class Centaur(Effect):
    """Towers give no influence."""


class Knight(Effect):
    """More influence for the player or team."""


class MushroomMan(Effect):
    """A color gives no influence, from the choice on."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        return None if isinstance(choice, ChooseColor) else refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, ChooseColor):
            draft.emit(ChoiceMade(seat, 9, colour=choice.colour))
