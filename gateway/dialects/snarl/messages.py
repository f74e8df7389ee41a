"""The messages of the Snarl protocol, and how answers of clients are read."""

import re
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from shared.games.snarl.commands import NAMES, Move
from shared.games.snarl.pieces import Point

ASK_NAME: Final = b'"name"'
ASK_MOVE: Final = b'"move"'
INVALID: Final = b'"Invalid"'

_NAME: Final = re.compile(NAMES)
_DIGITS: Final = re.compile("-?[0-9]{1,15}", re.ASCII)
_FAR: Final = 1 << 53
"""No level reaches so far."""
NOWHERE: Final = Move((-1, -1))
"""The move that a malformed answer stands for: the rules refuse it like any other that is out of reach."""


class _Message(msgspec.Struct, frozen=True, tag_field="type"):
    """Base of the objects that are sent; `type` is their first member."""


class Welcome(_Message, frozen=True, tag="welcome"):
    info: str | dict[str, Any]


class StartLevel(_Message, frozen=True, tag="start-level"):
    level: int
    players: tuple[str, ...]


class SeenObject(msgspec.Struct, frozen=True):
    type: str
    position: Point


class SeenActor(msgspec.Struct, frozen=True):
    type: str
    name: str
    position: Point


class PlayerUpdate(_Message, frozen=True, tag="player-update"):
    layout: tuple[tuple[int, ...], ...]
    position: Point
    objects: tuple[SeenObject, ...]
    actors: tuple[SeenActor, ...]
    message: str | None
    health: int | UnsetType = UNSET


class EndLevel(_Message, frozen=True, tag="end-level"):
    key: str | None
    exits: tuple[str, ...]
    ejects: tuple[str, ...]


class PlayerScore(_Message, frozen=True, tag="player-score"):
    name: str
    exits: int
    ejects: int
    keys: int


class EndGame(_Message, frozen=True, tag="end-game", rename={"game_won": "game-won"}):
    scores: tuple[PlayerScore, ...]
    game_won: bool | UnsetType = UNSET


_encode = msgspec.json.Encoder().encode


def say(message: _Message) -> bytes:
    """One line, with a space after each colon and comma: some clients look for the text of a member."""
    return msgspec.json.format(_encode(message), indent=0)


def say_result(result: str) -> bytes:
    return b'"' + result.encode() + b'"'


def read_name(frame: bytes, *, unquoted: bool) -> str | None:
    """A name that may be used, or None. Names without quotes are read where that is allowed."""
    if unquoted and not frame.lstrip().startswith(b'"'):
        name: Any = frame.decode(errors="replace").strip()
    else:
        name = _decode(frame)
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None


def read_move(frame: bytes, *, bare: bool) -> Move:
    """A move; to nowhere if it is malformed. `bare`: a point or null by itself is a move too, as are digit strings."""
    value = _decode(frame)
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
    row, column = (_number(part, digits=bare) for part in to)
    return NOWHERE if row is None or column is None else Move((row, column))


def _number(value: Any, *, digits: bool) -> int | None:
    if digits and isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return value if type(value) is int and abs(value) < _FAR else None


class _Nonsense:
    """What is no JSON at all; `null` is."""


def _decode(frame: bytes) -> Any:
    try:
        return msgspec.json.decode(frame)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _Nonsense
