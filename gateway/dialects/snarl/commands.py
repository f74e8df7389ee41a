"""The answers of clients as commands of the game."""

import re
from typing import Any, Final

from gateway.dialects.snarl.codec import decode
from shared.games.snarl.commands import Move

NOWHERE: Final = Move((-1, -1))
"""The command for a malformed answer. The rules refuse it like any other move out of reach."""

_DIGITS: Final = re.compile("-?[0-9]{1,15}", re.ASCII)
_BEYOND: Final = 1 << 53
"""All coordinates of levels are smaller."""


def read_move(frame: bytes, *, bare: bool) -> Move:
    """The move in a frame; `NOWHERE` if the frame is malformed.

    With `bare`, a point or null by itself is a move too, and a coordinate may be a string of digits."""
    value = decode(frame)
    match value:
        case {"type": "move", "to": to}:
            pass
        case list() | None if bare:
            to = value
        case _:
            return NOWHERE
    if to is None:
        return Move(None)
    if not isinstance(to, list) or len(to) != 2:
        return NOWHERE
    row, column = (_coordinate(part, digits=bare) for part in to)
    return NOWHERE if row is None or column is None else Move((row, column))


def _coordinate(value: Any, *, digits: bool) -> int | None:
    if digits and isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return value if type(value) is int and abs(value) < _BEYOND else None
