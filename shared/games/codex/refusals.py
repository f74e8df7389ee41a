"""Every refusal of this game: its code and the sentence that the player reads."""

from typing import Final

from shared.errors import Rejected

CODES: Final[dict[str, str]] = {
    "codex/wrong_phase": "the current phase of the game does not allow this",
    "codex/color_taken": "another player has this color",
    "codex/bad_objective": "choose objective 1 or 2",
    "codex/bad_choice": "there is no such card in your hand",
    "codex/off_board": "rows and columns go from 0 to 80",
    "codex/occupied": "there is a card in this cell already",
    "codex/two_corners": "the card would cover two corners of one card",
    "codex/detached": "the card must cover at least one corner of your area",
    "codex/no_corner": "a neighboring card has no corner to cover there",
    "codex/cost": "your area does not show the resources that this card asks for",
    "codex/bad_place": "the face-up cards have the numbers 1 to 4",
    "codex/empty_place": "there is no card in this place",
    "codex/empty_deck": "this deck is empty",
}


def refused(code: str) -> Rejected:
    """The refusal with this code and its sentence."""
    return Rejected(code, CODES[code])
