"""The commands of the game, and the names that its players may have."""

from typing import Final, TypeAlias

from shared.game import Message
from shared.games.snarl.pieces import Point


class Move(Message, frozen=True, tag="move"):
    """Go to an absolute point at most two steps away; `null` or the own tile means to stay."""

    to: Point | None = None


class ForfeitTurn(Message, frozen=True, tag="forfeit_turn"):
    """Pass the turn without a move: nothing happens to the player, and no player receives a new window."""


Command: TypeAlias = Move | ForfeitTurn

NAMES: Final = r"(?!(?:name|move|OK|Key|Exit|Eject|Invalid|(?:zombie|ghost)[0-9]+)\Z)[A-Za-z0-9]{1,32}"
"""Names are alphanumeric; the words of the protocol and the names of adversaries are reserved."""
