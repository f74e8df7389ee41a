"""The requests that a conversation makes of the cluster. The session (gateway/session) carries them out.

Each docstring names the answers (gateway/dialects/answers.py) after the arrow. `ref` comes back with the answer: any
value of the dialect's choice, except in `play`, where it is the client's own command id, which rises per session.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, final

import msgspec

from gateway.transports.close_codes import BYE, CloseCode
from shared.game import Choice
from shared.ids import RoomId
from shared.room_events import RoomSpec
from shared.room_views import Position


class LoginRequest(msgspec.Struct, frozen=True):
    """Claim a player name for this connection -> `LoggedIn` or `Refused` (name/bad, name/taken)."""

    name: str
    ref: Any = None


class LogoutRequest(msgspec.Struct, frozen=True):
    """Release the player name -> no answer."""


class ForgetRequest(msgspec.Struct, frozen=True):
    """Release the player name and make all tokens of the session invalid (only `play`) -> `SessionForgotten`."""

    ref: Any = None


class CreateRequest(msgspec.Struct, frozen=True):
    """Open a room and take a seat in it -> `Entered` or `Refused`."""

    spec: RoomSpec
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class JoinRequest(msgspec.Struct, frozen=True):
    """Take a seat in this room -> `Entered` or `Refused` (room/unknown, room/full, room/started, ...)."""

    room: RoomId
    choice: Choice = {}
    ref: Any = None
    wants: int = 0
    key: str = ""
    """The key of a private room."""


class MatchRequest(msgspec.Struct, frozen=True):
    """Take a seat in the oldest waiting public room that fits, or open one -> as above, or lobby/no_table."""

    game: str
    seats: int | None = None
    """The number of seats that the room must have; None: any."""
    options: dict[str, Any] | None = None
    """The options that the room must have; None: any."""
    open: RoomSpec | None = None
    """The room to open if none fits; None: refuse."""
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class ReturnRequest(msgspec.Struct, frozen=True):
    """Take, by name, the seat of a player who has lost the connection -> `Entered` or `Refused`.

    Without `room`, every room of `game` that holds the name is searched. No `LoginRequest` is needed before; on success
    the connection has the name. Refused with room/unknown if no room of `game` holds a seat for the name, room/not_gone
    if its player is connected or the seat does not come back by name, game/over (with the winners) if the player's last
    game has ended.
    """

    name: str
    game: str
    room: RoomId | None = None
    ref: Any = None


@final
class ActRequest(msgspec.Struct, frozen=True, gc=False):
    """Give the game a command -> the step that it caused is delivered with this `ref`, or `Refused`."""

    room: RoomId
    command: msgspec.Struct | msgspec.Raw
    ref: Any = None


@final
class SayRequest(msgspec.Struct, frozen=True):
    """Send chat, privately if `to` names a player -> as for `ActRequest`."""

    room: RoomId
    text: str
    to: str | None = None
    ref: Any = None


class ConfigureRequest(msgspec.Struct, frozen=True):
    """Set seats and options of the room that this connection opened with `RoomSpec.only`, or let bots take the free
    seats of a room that waits -> as for `ActRequest`."""

    room: RoomId
    seats: int
    options: dict[str, Any]
    ref: Any = None
    fill: bool = False
    """Bots take the free seats (only `play`); seats and options stay as they are."""


class LeaveRequest(msgspec.Struct, frozen=True):
    """Give up the seat (visible to the others) or, once the game is over, detach -> `RequestDone` or `Refused`.

    After `RequestDone` no step of the room is delivered."""

    room: RoomId
    ref: Any = None


class WatchRoomsRequest(msgspec.Struct, frozen=True):
    """Begin or stop watching the list of a game's rooms -> `RoomsChanged` at once and after each change."""

    game: str
    on: bool = True


class ListRoomsRequest(msgspec.Struct, frozen=True):
    """Answer with a list of rooms -> the outputs of `answer`, or `Refused` (busy/rate) if the client asks too often.

    The dialect has the list at hand; the request lets the session count it."""

    answer: "Callable[[], Iterable[Output]]"
    ref: Any = None


class CloseConnection(msgspec.Struct, frozen=True):
    """Send the frames put out so far, then close; a WebSocket with this code."""

    close_code: CloseCode = BYE


class CountRejection(msgspec.Struct, frozen=True):
    """Count, by its code, an error that the conversation itself has reported to the client."""

    code: str


class HelloRequest(msgspec.Struct, frozen=True):
    """Begin a session under a name, or resume one with its token (only `play`) -> `Welcomed` or `Refused`."""

    name: str | None = None
    token: str | None = None
    ref: Any = None


class AttendRequest(msgspec.Struct, frozen=True):
    """Attach to a room, at the own seat or as a spectator (only `play`) -> `RoomAttached` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None
    after: Position | None = None
    """Send the updates after this position instead of a view, if that is possible."""
    key: str = ""
    """The key of a private room; not needed at the own seat."""


class RematchRequest(msgspec.Struct, frozen=True):
    """Take a seat in the rematch of this room (only `play`) -> `RoomAttached` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None


CommandRequest: TypeAlias = ActRequest | SayRequest | ConfigureRequest
"""The requests that are one command to a room each. The session submits them without waiting for the answer."""

Request: TypeAlias = (
    LoginRequest
    | LogoutRequest
    | ForgetRequest
    | CreateRequest
    | JoinRequest
    | MatchRequest
    | ReturnRequest
    | CommandRequest
    | LeaveRequest
    | WatchRoomsRequest
    | HelloRequest
    | AttendRequest
    | RematchRequest
)

Output: TypeAlias = bytes | Request | ListRoomsRequest | CountRejection | CloseConnection
"""One output of a conversation: a frame to the client (without framing), a request, an error to count, or the
end of the connection."""
