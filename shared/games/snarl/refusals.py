"""Every refusal of this game: its code and the sentence that the player reads."""

from typing import Final

from shared.errors import Rejected

CODES: Final[dict[str, str]] = {
    "game/over": "the game is over",
    "game/not_your_turn": "it is not your turn",
    "game/illegal": "no free tile is there within two steps",
}


def refused(code: str) -> Rejected:
    """The refusal with this code and its sentence."""
    return Rejected(code, CODES[code])
