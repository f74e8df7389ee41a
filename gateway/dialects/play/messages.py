"""The messages of `play` (docs/protocols/play.md). Commands, events and views of games stay raw JSON."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from gateway.dialects.contract import MOST_LISTED
from shared.game import Choice
from shared.ids import Epoch, Offset, RoomId, Seat, SessionId
from shared.room_events import NOTHING, Spectators
from shared.room_views import Listing, Update


class BaseIn(msgspec.Struct, frozen=True, gc=False, tag_field="type"):
    """Base of the messages from clients. Each subclass writes out its tag."""


RequestId: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
_POSITION = msgspec.Meta(ge=0, le=2**53)
"""Bounds of an epoch or offset from a client: the store cannot look up larger numbers, and its error would fail the
requests of other sessions that share the call."""


RoomKey: TypeAlias = Annotated[str, msgspec.Meta(max_length=64)]
"""The key of a private room."""


PROTOCOL = "1.0"
"""The version of this protocol. Clients of the same major version, the part before the dot, can be served: names are
added within it, and never changed."""


class HelloIn(BaseIn, frozen=True, tag="hello"):
    name: str | None = None
    token: str | None = None
    protocol: Annotated[str, msgspec.Meta(max_length=32)] = ""
    """The version of this protocol that the client speaks, such as 1 or 1.0; empty: any."""


class ByeIn(BaseIn, frozen=True, tag="bye"):
    forget: bool = False
    """Make the tokens of the session invalid."""


class PingIn(BaseIn, frozen=True, tag="ping"):
    t: int | float | str | None = None


class RoomsIn(BaseIn, frozen=True, tag="rooms"):
    id: RequestId
    game: str = ""
    status: str = ""
    seats: int | None = None
    live: bool = False
    after: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_LISTED)] = MOST_LISTED


class CreateIn(BaseIn, frozen=True, tag="create"):
    id: RequestId
    game: str
    seats: int
    options: dict[str, Any] = {}
    private: bool = False
    turn_ms: int = 0
    bots: int = 0
    wait_ms: int = 0
    choice: Choice = {}
    wants: tuple[str, ...] = ()
    spectators: Spectators = Spectators.OPEN


class JoinIn(BaseIn, frozen=True, tag="join"):
    id: RequestId
    room: RoomId
    choice: Choice = {}
    wants: tuple[str, ...] = ()
    key: RoomKey = ""


class MatchIn(BaseIn, frozen=True, tag="match"):
    id: RequestId
    game: str
    seats: int | None = None
    options: dict[str, Any] | None = None
    choice: Choice = {}
    wants: tuple[str, ...] = ()


class SpectateIn(BaseIn, frozen=True, tag="spectate"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()
    key: RoomKey = ""


class ViewIn(BaseIn, frozen=True, tag="view"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()
    key: RoomKey = ""


class ResumeIn(BaseIn, frozen=True, tag="resume"):
    id: RequestId
    room: RoomId
    epoch: Annotated[Epoch, _POSITION]
    offset: Annotated[Offset, _POSITION]
    wants: tuple[str, ...] = ()
    key: RoomKey = ""


class FillIn(BaseIn, frozen=True, tag="fill"):
    id: RequestId
    room: RoomId


class LeaveIn(BaseIn, frozen=True, tag="leave"):
    id: RequestId
    room: RoomId


class RematchIn(BaseIn, frozen=True, tag="rematch"):
    id: RequestId
    room: RoomId
    wants: tuple[str, ...] = ()


class ActIn(BaseIn, frozen=True, tag="act"):
    id: RequestId
    room: RoomId
    command: msgspec.Raw


class SayIn(BaseIn, frozen=True, tag="say"):
    id: RequestId
    room: RoomId
    text: str
    to: str | None = None


AttachingIn: TypeAlias = CreateIn | JoinIn | MatchIn | SpectateIn | ViewIn | ResumeIn | RematchIn
"""The requests that attach the connection to a room when they succeed."""
AnyRequest: TypeAlias = AttachingIn | RoomsIn | FillIn | LeaveIn | ActIn | SayIn
"""The requests: they have an id and need a session."""
AnyIn: TypeAlias = HelloIn | ByeIn | PingIn | AnyRequest


class BaseOut(msgspec.Struct, frozen=True, gc=False, tag_field="type", omit_defaults=True):
    """Base of the messages to clients. Each subclass writes out its tag."""


class WelcomeOut(BaseOut, frozen=True, tag="welcome"):
    """The session has begun, or goes on."""

    session: SessionId
    name: str
    token: str
    rooms: tuple[RoomId, ...]
    games: tuple[str, ...]
    protocol: str
    """The version of this protocol that the gateway speaks."""


class PongOut(BaseOut, frozen=True, tag="pong"):
    t: int | float | str | None


class ErrorOut(BaseOut, frozen=True, tag="error"):
    """A refusal. With an `id` it answers a request; after `busy/...` the request was not tried."""

    code: str
    text: str
    id: int | None = None
    room: int | None = None


class AckOut(BaseOut, frozen=True, tag="ack"):
    """The request was carried out, and no crash undoes it."""

    id: RequestId
    room: RoomId
    epoch: Epoch | None = None
    offset: Offset | None = None
    """The step that the request caused; None if it needed none."""


class AttachedOut(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The connection is attached to the room from this step on."""

    id: RequestId | None = None
    room: RoomId
    seat: Seat | None
    epoch: Epoch
    offset: Offset
    key: str = ""
    reason: Literal["", "trimmed", "rewound", "slow"] = ""
    view: msgspec.Raw = NOTHING


class EnteredOut(AttachedOut, frozen=True, kw_only=True, tag_field="type", tag="entered"):
    """The player has a seat in the room."""


class WatchingOut(AttachedOut, frozen=True, kw_only=True, tag_field="type", tag="watching"):
    """The client watches the room."""


class ViewOut(AttachedOut, frozen=True, kw_only=True, tag_field="type", tag="view"):
    """A whole view, asked for or not. It replaces everything that the client knew of the room."""


class ResumedOut(AttachedOut, frozen=True, kw_only=True, tag_field="type", tag="resumed"):
    """The updates after the position of the request follow."""


class RoomsOut(BaseOut, frozen=True, tag="rooms"):
    id: RequestId
    rooms: tuple[Listing, ...]
    more: bool


class RoomsChangedOut(BaseOut, frozen=True, tag="rooms_changed"):
    changed: tuple[Listing, ...]
    gone: tuple[RoomId, ...]


AnyAttached: TypeAlias = EnteredOut | WatchingOut | ViewOut | ResumedOut
AnyOut: TypeAlias = WelcomeOut | PongOut | ErrorOut | AckOut | AnyAttached | RoomsOut | RoomsChangedOut | Update
