"""What a player of Snarl can say, and what a player may be called."""

from typing import Final, TypeAlias

from shared.game import Message
from shared.games.snarl.pieces import Point


class Move(Message, frozen=True, tag="move"):
    """Go to an absolute point at most two steps away; `null`, or the own tile: stay."""

    to: Point | None = None


class ForfeitTurn(Message, frozen=True, tag="forfeit_turn"):
    """Let the turn pass without a move: nothing happens to the player, and nobody is shown anything."""


Command: TypeAlias = Move | ForfeitTurn

NAMES: Final = r"(?!(?:name|move|OK|Key|Exit|Eject|Invalid|(?:zombie|ghost)[0-9]+)\Z)[A-Za-z0-9]{1,32}"
"""Names are alphanumeric; the words of the protocol and the names of adversaries are reserved."""
