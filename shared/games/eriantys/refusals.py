"""Every refusal of this game: its code and the sentence that the player reads. Dialects translate the codes."""

from typing import Final

from shared.errors import Rejected

CODES: Final[dict[str, str]] = {
    "game/not_your_turn": "it is not your turn",
    "game/over": "the game is over",
    "eriantys/assistant_gone": "this assistant is no longer in your hand",
    "eriantys/assistant_taken": "another player has played this assistant in this round",
    "eriantys/bad_arguments": "an argument of the command is missing or out of range",
    "eriantys/bad_choice": "choose a mage and a tower color",
    "eriantys/card_useless": "this character cannot do anything now",
    "eriantys/character_played": "you have already played a character in this turn",
    "eriantys/choice_owed": "first make the choice that your character asks for",
    "eriantys/cloud_empty": "there are no students on this cloud",
    "eriantys/mage_taken": "another player has this mage",
    "eriantys/no_choice": "no character asks you for this choice",
    "eriantys/no_coins": "you do not have enough coins",
    "eriantys/no_student": "there is no student of this color",
    "eriantys/no_such_assistant": "assistants have the numbers 1 to 10",
    "eriantys/no_such_card": "this character is not on the table",
    "eriantys/no_such_cloud": "there is no such cloud",
    "eriantys/no_such_island": "islands have the numbers 1 to 12",
    "eriantys/paused": "the game is paused until another player is back",
    "eriantys/row_full": "this row of the dining room is full",
    "eriantys/simple_game": "there are no characters in a simple game",
    "eriantys/steps": "mother nature cannot go that far",
    "eriantys/swap_count": "too few or too many students for this character",
    "eriantys/tower_taken": "this tower color is taken or not in this game",
    "eriantys/wrong_phase": "this cannot be done in this phase of the turn",
}


def refused(code: str) -> Rejected:
    """The refusal with this code and its sentence."""
    return _REFUSALS[code]


_REFUSALS: Final = {code: Rejected(code, text) for code, text in CODES.items()}
