"""Requests that a conversation can make of the cluster. The session carries them out."""

from typing import Any, TypeAlias, final

import msgspec

from gateway.transports.close_codes import BYE, CloseCode
from shared.game import Choice
from shared.ids import RoomId
from shared.room_events import RoomSpec
from shared.room_views import Position


class LoginRequest(msgspec.Struct, frozen=True):
    """Claim a name for this connection -> `LoggedIn` or `Refused` (name/bad, name/taken)."""

    name: str
    ref: Any = None


class LogoutRequest(msgspec.Struct, frozen=True):
    """Give the name back -> no answer."""


class CreateRequest(msgspec.Struct, frozen=True):
    """Open a room and sit down in it -> `Entered` or `Refused`."""

    spec: RoomSpec
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class JoinRequest(msgspec.Struct, frozen=True):
    """Sit down in this room -> `Entered` or `Refused` (room/unknown, room/full, room/started, ...)."""

    room: RoomId
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class MatchRequest(msgspec.Struct, frozen=True):
    """Sit down at the oldest waiting public table that fits, or open one -> `Entered` or `Refused` (lobby/no_table)."""

    game: str
    seats: int | None = None
    """Only tables with so many seats."""
    options: dict[str, Any] | None = None
    """Only tables with these options."""
    open: RoomSpec | None = None
    """What to open where none waits; none: refuse."""
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class ReturnRequest(msgspec.Struct, frozen=True):
    """Come back by name to the seat of a player who is gone -> `Entered` or `Refused`.

    Without `room` the seat is looked for wherever the name is kept. Needs no `Login` before it; on success the
    connection has the name. Refused with room/unknown if no room of `game` keeps a seat for the name, room/not_gone if
    its player is connected, game/over (with the winners) if the player's last game has ended.
    """

    name: str
    game: str
    room: RoomId | None = None
    ref: Any = None


@final
class ActRequest(msgspec.Struct, frozen=True, gc=False):
    """Make a move -> the update that it caused is delivered with this `ref`, or `Refused`."""

    room: RoomId
    command: msgspec.Struct | msgspec.Raw
    ref: Any = None


@final
class SayRequest(msgspec.Struct, frozen=True):
    """Chat; `to` a name: private -> as for `Act`."""

    room: RoomId
    text: str
    to: str | None = None
    ref: Any = None


class ConfigureRequest(msgspec.Struct, frozen=True):
    """Settle seats and options of the table that this connection opened with `RoomSpec.only` -> as for `Act`."""

    room: RoomId
    seats: int
    options: dict[str, Any]
    ref: Any = None


class LeaveRequest(msgspec.Struct, frozen=True):
    """Give up the seat (the others see it) or, once the game is over, just turn away -> `Done` or `Refused`.

    No more updates of the room are delivered once `Done` was answered."""

    room: RoomId
    ref: Any = None


class WatchRoomsRequest(msgspec.Struct, frozen=True):
    """Tell me the waiting and running rooms of a game now, and again whenever one changes -> `RoomsChanged`."""

    game: str
    on: bool = True


class CloseConnection(msgspec.Struct, frozen=True):
    """Send the frames put out so far, then close; a WebSocket with this code."""

    close_code: CloseCode = BYE


class CountRejection(msgspec.Struct, frozen=True):
    """The client was told by the conversation itself that something is wrong: that is counted by its code."""

    code: str


class HelloRequest(msgspec.Struct, frozen=True):
    """Begin a session under a name, or take one up with its token -> `Welcomed` or `Refused`."""

    name: str | None = None
    token: str | None = None
    ref: Any = None


class AttendRequest(msgspec.Struct, frozen=True):
    """Look at a room, at the own seat or as a spectator -> `Attending` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None
    after: Position | None = None
    """Send what came after this position instead of a view, if that is possible."""


class RematchRequest(msgspec.Struct, frozen=True):
    """Sit down in the room of the next game of the same players -> `Attending` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None


Request: TypeAlias = (
    LoginRequest
    | LogoutRequest
    | CreateRequest
    | JoinRequest
    | MatchRequest
    | ReturnRequest
    | ActRequest
    | SayRequest
    | ConfigureRequest
    | LeaveRequest
    | WatchRoomsRequest
    | HelloRequest
    | AttendRequest
    | RematchRequest
)


Output: TypeAlias = bytes | Request | CountRejection | CloseConnection
"""What a conversation puts out: a frame to the client (its bytes, without any framing), a request, something to count,
or the end."""
