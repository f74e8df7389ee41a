"""The answers to a conversation's requests, and the changes of the room directory."""

from collections.abc import Hashable, Mapping
from typing import Literal, TypeAlias

import msgspec

from shared.ids import Epoch, Offset, RoomId, Seat, SessionId
from shared.room_views import Listing, Position, RoomView


class LoggedIn(msgspec.Struct, frozen=True):
    """The connection has claimed the name."""

    name: str


class Entered(msgspec.Struct, frozen=True):
    """The connection has a seat and is attached to the room: the steps after `view.offset` are delivered."""

    room: RoomId
    seat: Seat
    view: RoomView
    """`view.game` is the game's own view as raw JSON, to be decoded with the game's view type."""
    back: bool = False
    """True if the player returned to a seat it already had."""


class RequestDone(msgspec.Struct, frozen=True):
    """A room has carried out the request."""

    room: RoomId
    step: Position | None = None
    """The step that the request caused; None if nothing had to change."""


class Refused(msgspec.Struct, frozen=True):
    """A request was not carried out. The code is one of shared/errors.py or of the game; after `busy/...` the same
    request may succeed later."""

    code: str
    text: str
    room: RoomId | None = None
    """The room that the request named."""


class Welcomed(msgspec.Struct, frozen=True):
    """A session of the `play` dialect has begun or was resumed."""

    name: str
    sid: SessionId
    token: str
    rooms: tuple[RoomId, ...]
    games: tuple[str, ...] = ()
    """The games that this cluster offers."""


class SessionForgotten(msgspec.Struct, frozen=True):
    """The tokens of the session are invalid from now on."""


ViewReason: TypeAlias = Literal["", "trimmed", "rewound", "slow"]


class RoomAttached(msgspec.Struct, frozen=True):
    """The connection is attached to the room from this step on. Without a view, the missed updates follow instead."""

    room: RoomId
    seat: Seat | None
    epoch: Epoch
    offset: Offset
    view: bytes | None
    reason: ViewReason = ""
    """The reason of a view that was sent unasked: `trimmed`, `rewound` or `slow`. A view that was asked for has
    none, unless the steps after it are void (`rewound`)."""
    key: str = ""
    """For a player in a private room: its key."""


class RoomsChanged(msgspec.Struct, frozen=True):
    """Changes in the list of a game's public rooms (waiting or playing; without private rooms and `only` tables)."""

    changed: Mapping[RoomId, Listing | None] = {}
    """The present listing of each changed room, None for a room that is no longer listed. Empty the first time."""
    encoded: dict[Hashable, bytes] = msgspec.field(default_factory=dict)
    """Messages for this change, by everything that they depend on: clients with the same filter share one."""


Answer: TypeAlias = LoggedIn | Entered | RequestDone | Refused | Welcomed | SessionForgotten | RoomAttached
