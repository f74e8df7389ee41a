"""What a dialect is: a conversation without IO. Frames come in, frames and requests to the cluster go out.

The session (gateway/session.py) carries the requests out and brings the answers and the room's updates back. A
conversation never waits, never runs rules, and knows neither its transport nor the store. One is made for each
connection. Bad input raises `ProtocolError` or is answered in the dialect's own words; it never raises anything else.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, final

import msgspec

from shared.engine import Choice
from shared.errors import ProtocolError
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat, SessionId
from shared.rooms import Listing, Position, RoomSpec, RoomView, Update

MOST_BYTES = 64 * 1024
"""Of a frame or line, in any dialect."""


# --- what a conversation asks of the cluster -------------------------------------------------------------------------


class Login(msgspec.Struct, frozen=True):
    """Claim a name for this connection -> `LoggedIn` or `Refused` (name/bad, name/taken)."""

    name: str
    ref: Any = None


class Logout(msgspec.Struct, frozen=True):
    """Give the name back -> no answer."""


class Create(msgspec.Struct, frozen=True):
    """Open a room and sit down in it -> `Entered` or `Refused`."""

    spec: RoomSpec
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class Join(msgspec.Struct, frozen=True):
    """Sit down in this room -> `Entered` or `Refused` (room/unknown, room/full, room/started, ...)."""

    room: RoomId
    choice: Choice = {}
    ref: Any = None
    wants: int = 0


class Match(msgspec.Struct, frozen=True):
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


class Return(msgspec.Struct, frozen=True):
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
class Act(msgspec.Struct, frozen=True, gc=False):
    """Make a move -> the update that it caused is delivered with this `ref`, or `Refused`."""

    room: RoomId
    command: msgspec.Struct | msgspec.Raw
    ref: Any = None


@final
class Say(msgspec.Struct, frozen=True):
    """Chat; `to` a name: private -> as for `Act`."""

    room: RoomId
    text: str
    to: str | None = None
    ref: Any = None


class Configure(msgspec.Struct, frozen=True):
    """Settle seats and options of the table that this connection opened with `RoomSpec.only` -> as for `Act`."""

    room: RoomId
    seats: int
    options: dict[str, Any]
    ref: Any = None


class Leave(msgspec.Struct, frozen=True):
    """Give up the seat (the others see it) or, once the game is over, just turn away -> `Done` or `Refused`.

    No more updates of the room are delivered once `Done` was answered."""

    room: RoomId
    ref: Any = None


class WatchRooms(msgspec.Struct, frozen=True):
    """Tell me the waiting and running rooms of a game now, and again whenever one changes -> `RoomsChanged`."""

    game: str
    on: bool = True


class Hangup(msgspec.Struct, frozen=True):
    """Send what was said so far, then close. For WebSockets with this code."""

    code: int = 1000
    reason: str = ""


class Complained(msgspec.Struct, frozen=True):
    """The client was told by the conversation itself that something is wrong: that is counted by its code."""

    code: str


# What only the play protocol can say. The `ref` of its requests is the client's own id, which rises per session.


class Hello(msgspec.Struct, frozen=True):
    """Begin a session under a name, or take one up with its token -> `Welcomed` or `Refused`."""

    name: str | None = None
    token: str | None = None
    ref: Any = None


class Attend(msgspec.Struct, frozen=True):
    """Look at a room, at the own seat or as a spectator -> `Attending` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None
    after: Position | None = None
    """Send what came after this position instead of a view, if that is possible."""


class Rematch(msgspec.Struct, frozen=True):
    """Sit down in the room of the next game of the same players -> `Attending` or `Refused`."""

    room: RoomId
    wants: int = 0
    ref: Any = None


Request: TypeAlias = (
    Login
    | Logout
    | Create
    | Join
    | Match
    | Return
    | Act
    | Say
    | Configure
    | Leave
    | WatchRooms
    | Hello
    | Attend
    | Rematch
)
Out: TypeAlias = bytes | Request | Complained | Hangup
"""What a conversation puts out: a frame to the client (its bytes, without any framing), a request, something to count,
or the end."""


# --- what it is told -------------------------------------------------------------------------------------------------


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


class Done(msgspec.Struct, frozen=True):
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


class Attending(msgspec.Struct, frozen=True):
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


Answer: TypeAlias = LoggedIn | Entered | Done | Refused | Welcomed | Attending


class Rooms(Protocol):
    """The gateway's copy of the directory: answers at once."""

    def listed(self, game: str) -> tuple[Listing, ...]: ...
    def get(self, room: RoomId) -> Listing | None: ...


@dataclass(frozen=True, slots=True)
class Opening:
    """What is known when a connection is opened."""

    query: Mapping[str, str]
    """The URL's parameters; empty over TCP."""
    rooms: Rooms
    compat: Mapping[str, str] = field(default_factory=dict)
    """Options of the TCP listener that accepted the connection; empty over WebSocket."""
    transport: str = "websocket"
    """`websocket` or `tcp`, for log lines and for documented defaults that differ (Snarl's leniency)."""
    local: tuple[str, int] = ("", 0)
    """Over TCP, the address and the port that the client has connected to."""


class Conversation(Protocol):
    """One connection's side of a dialect."""

    tick_ms: int
    """How often `tick` is wanted; 0: never."""

    def open(self) -> Iterable[Out]:
        """The connection was made."""

    def receive(self, frame: bytes) -> Iterable[Out]:
        """A frame (a text message, or a line without its end) came from the client."""

    def garbage(self, code: str, frame: bytes = b"") -> Iterable[Out]:
        """Something that is no frame came: frame/binary, frame/too_big, or busy/rate with a frame that was dropped."""

    def answer(self, ref: Any, answer: Answer) -> Iterable[Out]:
        """A request was carried out or refused."""

    def deliver(self, update: Update, ref: Any) -> Iterable[Out]:
        """A step of a room that this connection attends to. `ref` is that of the own request that caused it, or None.
        Steps come in order, each exactly once, beginning after the view of `Entered`."""

    def changed(self, rooms: RoomsChanged) -> Iterable[Out]:
        """The directory changed (after `WatchRooms`)."""

    def tick(self, now_ms: int) -> Iterable[Out]:
        """`tick_ms` have passed. The time is monotonic and means nothing else."""


class Framing(Protocol):
    """How a dialect's messages lie in a TCP stream."""

    idle_ms: int
    """When nothing has come for so long, `idle` is called; 0: never."""
    pause_ms: int
    """Least time between two messages to the client."""

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        """Bytes came: the frames that are complete now, and an error in the place of each that cannot be one.
        An error is handed to `garbage`; one with the code `frame/endless` ends the connection."""

    def idle(self) -> list[bytes | ProtocolError]: ...

    def frame(self, message: bytes) -> bytes:
        """The message as it is written to the stream."""


def fault_of(why: str) -> str:
    """The code for a message that could not be decoded, from what the decoder said."""
    return "frame/unknown_type" if "Invalid value" in why and "$.type" in why else "frame/malformed"


class Lines:
    """One message per line: the framing of all dialects that name no other."""

    idle_ms = 0
    pause_ms = 0

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        frames: list[bytes | ProtocolError] = []
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False
            elif len(line) > self._most:
                frames.append(ProtocolError("frame/too_big"))
            elif line.strip():
                frames.append(line.rstrip(b"\r"))
        if len(self._rest) > self._most:
            self._rest = b""
            if not self._skipping:
                frames.append(ProtocolError("frame/too_big"))
            self._skipping = True
        return frames

    def idle(self) -> list[bytes | ProtocolError]:
        return []

    def frame(self, message: bytes) -> bytes:
        return message + b"\n"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to talk to the cluster: where it is spoken, and how a conversation begins."""

    name: str
    path: str
    converse: Callable[[Opening], Conversation]
    """Raises `ProtocolError` for a URL that makes no sense: HTTP 400."""
    framing: Callable[[Mapping[str, str]], Framing] = lambda _compat: Lines()
    """For TCP listeners, from their options."""
    raw: bool = False
    """The client is sent updates as they are, and can be sent a fresh view at any time (the play protocol). A client of
    another dialect that missed too much is closed ("come back"), since its dialect cannot say it."""
    ack: Callable[[CommandId, RoomId, Epoch, Offset], bytes] | None = None
    """What a client is told when a command was carried out, and is this step of the room; where there is nothing of the
    kind, clients see it by the update."""
