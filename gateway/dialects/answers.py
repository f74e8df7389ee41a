"""Answers that a conversation gets to its requests, and changes of the room directory."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from shared.ids import Epoch, Offset, RoomId, Seat, SessionId
from shared.room_views import Listing, Position, RoomView


class LoggedIn(msgspec.Struct, frozen=True):
    name: str


class Entered(msgspec.Struct, frozen=True):
    """The connection has a seat, and attends to the room: updates after `view.offset` will be delivered."""

    room: RoomId
    seat: Seat
    view: RoomView
    """`view.game` is the game's own view as raw JSON; decode it with the game's view type."""
    back: bool = False
    """True if the seat was this player's before (came back)."""


class RequestDone(msgspec.Struct, frozen=True):
    """What was asked of a room has happened."""

    room: RoomId
    step: Position | None = None
    """What it became; None if nothing had to change."""


class Refused(msgspec.Struct, frozen=True):
    """A code of shared/errors.py or of the game, and a sentence. `busy/...`: nothing was even tried."""

    code: str
    text: str
    room: RoomId | None = None
    """The room that the request named."""


class Welcomed(msgspec.Struct, frozen=True):
    name: str
    sid: SessionId
    token: str
    rooms: tuple[RoomId, ...]
    games: tuple[str, ...] = ()
    """All that are played here."""


class RoomAttached(msgspec.Struct, frozen=True):
    """The connection attends to the room from this step on; with a view, unless what was missed follows."""

    room: RoomId
    seat: Seat | None
    epoch: Epoch
    offset: Offset
    view: bytes | None
    reason: str = ""
    """Why there is a view: `trimmed`, `rewound`, `slow`; empty if it was asked for."""


class RoomsChanged(msgspec.Struct, frozen=True):
    """What is new about the public rooms of the game that wait or play (`only` tables and private ones left out)."""

    changed: Mapping[RoomId, Listing | None] = {}
    """Each as it is now, or None: it is listed no more. Empty the first time."""


Answer: TypeAlias = LoggedIn | Entered | RequestDone | Refused | Welcomed | RoomAttached
