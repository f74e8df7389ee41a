"""Characters that ask for an island."""

from shared.errors import Rejected
from shared.games.eriantys.changes import card_of
from shared.games.eriantys.characters.base import AnyChoice, Effect, no_such_tile
from shared.games.eriantys.commands import ChooseIsland
from shared.games.eriantys.events import ChoiceMade, NoEntryPlaced
from shared.games.eriantys.islands import resolve
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View, position_of
from shared.ids import Seat


class Herald(Effect):
    """Resolves a group while mother nature stays where she is."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        return no_such_tile(choice.tile) if isinstance(choice, ChooseIsland) else refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, ChooseIsland):
            draft.emit(ChoiceMade(seat, 3, tile=choice.tile))
            resolve(draft, choice.tile)


class Herbalist(Effect):
    """Puts a no-entry tile on a group, which may have several."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        if not isinstance(choice, ChooseIsland):
            return refused("eriantys/no_choice")
        return no_such_tile(choice.tile) if card_of(view, 5).no_entry else refused("eriantys/card_useless")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        if isinstance(choice, ChooseIsland):
            draft.emit(ChoiceMade(seat, 5, tile=choice.tile))
            group = draft.state.view.groups[position_of(draft.state.view, choice.tile)]
            draft.emit(NoEntryPlaced(group.tiles[0]))
