"""The twelve characters by number, and what their owners can be asked."""

from typing import Final

from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.characters.base import STEP_CHOICES, Effect, whole_choices
from shared.games.eriantys.characters.lasting import Centaur, Farmer, Knight, MushroomMan, Postman
from shared.games.eriantys.characters.placing import Herald, Herbalist
from shared.games.eriantys.characters.sending import Monk, Princess, Thief
from shared.games.eriantys.characters.swapping import Jester, Minstrel
from shared.games.eriantys.views import View, active_card
from shared.ids import Seat

__all__ = ["CHARACTERS", "STEP_CHOICES", "Effect", "still_possible", "useful", "whole_choices"]

CHARACTERS: Final[dict[int, Effect]] = {
    1: Monk(),
    2: Farmer(),
    3: Herald(),
    4: Postman(),
    5: Herbalist(),
    6: Centaur(),
    7: Jester(),
    8: Knight(),
    9: MushroomMan(),
    10: Minstrel(),
    11: Princess(),
    12: Thief(),
}


def useful(view: View, seat: Seat, number: int) -> bool:
    """A character that asks for something can do it in at least one way."""
    effect = CHARACTERS[number]
    return any(effect.refusal(view, seat, choice) is None for choice in STEP_CHOICES[CARDS[number].asks])


def still_possible(view: View) -> bool:
    """The choice that the active character asks for can be made."""
    return useful(view, view.turn, active_card(view).number)
