"""The bodies of HTTP answers to players (docs/protocols/http.md)."""

from typing import Any

import msgspec

from shared.ids import GatewayId, Offset, RoomId, Seat
from shared.room_views import Listing


class ErrorBody(msgspec.Struct, frozen=True):
    """A refusal; docs/protocols/errors.md lists the codes."""

    code: str
    text: str


class HealthBody(msgspec.Struct, frozen=True):
    """The process is running."""

    ok: bool
    gateway: GatewayId
    version: str
    """The version of the package."""


class ReadyBody(msgspec.Struct, frozen=True):
    """Whether the gateway accepts players and moves can be made."""

    ready: bool
    reason: str


class GameBody(msgspec.Struct, frozen=True):
    """A game that the cluster offers. `options` and `commands` are JSON schemas."""

    name: str
    title: str
    version: int
    seats: tuple[int, ...]
    options: msgspec.Raw
    commands: msgspec.Raw
    least: int | None


class GamesBody(msgspec.Struct, frozen=True):
    games: tuple[GameBody, ...]


class PlayersBody(msgspec.Struct, frozen=True):
    """The clients that are connected to the cluster, as of a few seconds ago."""

    online: int


class RoomsBody(msgspec.Struct, frozen=True):
    """A page of the public rooms. With `more`, the list goes on after its last room."""

    rooms: tuple[Listing, ...]
    more: bool


class UpdatesBody(msgspec.Struct, frozen=True):
    """Updates of a seat, or those of spectators. `trimmed`: some of them are no longer kept."""

    updates: list[msgspec.Raw]
    trimmed: bool
    more: bool


class WatchersBody(msgspec.Struct, frozen=True):
    """The spectators of a public room, as of a few seconds ago."""

    watching: int


class ReplayStep(msgspec.Struct, frozen=True):
    """A step as everyone may see it: without the chat."""

    offset: Offset
    at: int
    by: Seat | None
    events: list[msgspec.Raw]


class ReplayBody(msgspec.Struct, frozen=True):
    """A part of a finished game."""

    room: RoomId
    spec: dict[str, Any]
    steps: list[ReplayStep]
    more: bool
