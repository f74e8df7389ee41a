"""Every refusal of this game: its code and what it means. Dialects translate the codes, never the sentences."""

from typing import Final

from shared.errors import Rejected

CODES: Final[dict[str, str]] = {
    "game/not_your_turn": "it is not your turn",
    "game/over": "the game is over",
    "eriantys/assistant_gone": "this assistant is not in your hand any more",
    "eriantys/assistant_taken": "somebody has played this assistant in this round",
    "eriantys/bad_arguments": "the command does not have what it needs",
    "eriantys/bad_choice": "the choice is a mage and a tower colour",
    "eriantys/card_useless": "this character cannot do anything now",
    "eriantys/character_played": "you have played a character in this turn",
    "eriantys/choice_owed": "first make the choice that your character asks for",
    "eriantys/cloud_empty": "there are no students on this cloud",
    "eriantys/mage_taken": "somebody has this mage",
    "eriantys/no_choice": "no character asks you for this choice",
    "eriantys/no_coins": "you do not have enough coins",
    "eriantys/no_student": "there is no such student",
    "eriantys/no_such_assistant": "there is no such assistant",
    "eriantys/no_such_card": "this character is not on the table",
    "eriantys/no_such_cloud": "there is no such cloud",
    "eriantys/no_such_island": "there is no such island",
    "eriantys/paused": "the game is paused until somebody is back",
    "eriantys/row_full": "this row of the dining room is full",
    "eriantys/simple_game": "there are no characters in a simple game",
    "eriantys/steps": "mother nature cannot go that far",
    "eriantys/swap_count": "too few or too many students for this character",
    "eriantys/tower_taken": "this tower colour is not to be had",
    "eriantys/wrong_phase": "this cannot be done in this phase of the turn",
}


def refused(code: str) -> Rejected:
    return _REFUSALS[code]


_REFUSALS: Final = {code: Rejected(code, text) for code, text in CODES.items()}
