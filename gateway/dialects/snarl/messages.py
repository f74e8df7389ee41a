"""The messages that the server sends. The answers of clients are plain JSON values (see codec.py and commands.py)."""

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from shared.games.snarl.pieces import Point

ASK_NAME: Final = b'"name"'
ASK_MOVE: Final = b'"move"'
INVALID: Final = b'"Invalid"'


class Message(msgspec.Struct, frozen=True, tag_field="type"):
    """Base of the objects that are sent; `type` is their first member."""


class Welcome(Message, frozen=True, tag="welcome"):
    info: str | dict[str, Any]


class StartLevel(Message, frozen=True, tag="start-level"):
    level: int
    players: tuple[str, ...]


class SeenObject(msgspec.Struct, frozen=True):
    type: str
    position: Point


class SeenActor(msgspec.Struct, frozen=True):
    type: str
    name: str
    position: Point


class PlayerUpdate(Message, frozen=True, tag="player-update"):
    layout: tuple[tuple[int, ...], ...]
    position: Point
    objects: tuple[SeenObject, ...]
    actors: tuple[SeenActor, ...]
    message: str | None
    health: int | UnsetType = UNSET


class EndLevel(Message, frozen=True, tag="end-level"):
    key: str | None
    exits: tuple[str, ...]
    ejects: tuple[str, ...]


class PlayerScore(Message, frozen=True, tag="player-score"):
    name: str
    exits: int
    ejects: int
    keys: int


class EndGame(Message, frozen=True, tag="end-game", rename={"game_won": "game-won"}):
    scores: tuple[PlayerScore, ...]
    game_won: bool | UnsetType = UNSET
