"""The contract of a dialect: one `Conversation` per connection, without IO. Frames go in; frames and requests come out.

The session (gateway/session) carries the requests out and hands the answers and the room's steps back. A conversation
never waits and never runs rules; it has no access to its transport or the store. It answers bad input with an error
message of its dialect; no input makes it raise.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import msgspec

from gateway.dialects.answers import Answer, RoomsChanged
from gateway.dialects.framing import Framing, Lines
from gateway.dialects.requests import Output
from shared.errors import ErrorCode
from shared.ids import CommandId, Epoch, Offset, RoomId
from shared.room_views import Listing, Update

MOST_LISTED = 100
"""Rooms in one page of a list."""


class RoomQuery(msgspec.Struct, frozen=True):
    """A filter of the room directory, and the part of the filtered list that is wanted."""

    game: str = ""
    """Empty: all games."""
    status: str = ""
    seats: int | None = None
    after: int = 0
    """Only rooms with higher numbers."""
    limit: int = MOST_LISTED


class RoomPage(msgspec.Struct, frozen=True):
    """The first rooms that fit a query, by number. All clients that ask for the same page share it."""

    rooms: frozenset[RoomId]
    body: bytes
    """An encoded object with the keys `rooms`, a list of listings, and `more`: whether further rooms fit."""


class Rooms(Protocol):
    """The gateway's copy of the room directory. Reading it needs no round trip."""

    def listed(self, game: str) -> tuple[Listing, ...]: ...
    def get(self, room: RoomId) -> Listing | None: ...
    def awaits_return(self, game: str) -> bool:
        """Whether a player of a running game of this kind is away and may come back by name."""

    def page(self, query: RoomQuery) -> RoomPage: ...
    def rendered(self, key: Hashable, render: Callable[[], bytes]) -> bytes:
        """A list as a dialect writes it, rendered once per change of the directory. The key names the dialect and
        everything else that the bytes depend on."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The facts that are known when a connection is opened."""

    query: Mapping[str, str]
    """The URL's parameters; empty over TCP."""
    rooms: Rooms
    compat: Mapping[str, str] = field(default_factory=dict)
    """Options of the TCP listener that accepted the connection; empty over WebSocket."""
    transport: str = "websocket"
    """`websocket` or `tcp`. Some defaults differ by transport: Snarl reads more leniently over TCP."""
    local: tuple[str, int] = ("", 0)
    """Over TCP, the address and port that the client has connected to."""


_decode_update = msgspec.json.Decoder(Update).decode
E = TypeVar("E")


class DeliveredStep(msgspec.Struct, gc=False, eq=False):
    """One step of a room as one receiver may see it, decoded at most once per gateway.

    All sessions that receive the same bytes share one object: a step that four sessions of one gateway receive is
    decoded once. The decoded values are shared too, so conversations must not change them."""

    raw: bytes
    """The encoded `Update`."""
    _update: Update | None = None
    _events: dict[Callable[[msgspec.Raw], list[Any]], list[Any]] | None = None

    @property
    def update(self) -> Update:
        if self._update is None:
            self._update = _decode_update(self.raw)
        return self._update

    def events(self, decode: Callable[[msgspec.Raw], list[E]]) -> list[E]:
        """The events, in the types of one game. `decode` is made once per module: it is the key of the cache."""
        if self._events is None:
            self._events = {}
        events = self._events.get(decode)
        if events is None:
            events = self._events[decode] = decode(self.update.events)
        return events


class Conversation(Protocol):
    """One connection's side of a dialect."""

    tick_ms: int
    """Milliseconds between two calls of `tick`; 0: `tick` is never called. May change during the conversation."""

    def open(self) -> Iterable[Output]:
        """The connection has been established."""

    def receive(self, frame: bytes) -> Iterable[Output]:
        """The client has sent a frame: a text message, or over TCP a message without its delimiter."""

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        """The client has sent something that is not passed to `receive`: a binary frame, an oversized frame, or (with
        the frame) one that a rate limit dropped, `busy/...`."""

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        """A request with this `ref` has been carried out or refused."""

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        """The next step of a room that this connection is attached to. `ref` is that of the own request that caused the
        step, or None. Steps are delivered in order, each exactly once, beginning after the view of `Entered`."""

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        """The room directory changed (after a `WatchRoomsRequest`)."""

    def tick(self, now_ms: int) -> Iterable[Output]:
        """`tick_ms` have passed. `now_ms` comes from a monotonic clock with an arbitrary start."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A wire protocol: its name, its URL path, and how to begin a conversation."""

    name: str
    path: str
    converse: Callable[[Opening], Conversation]
    """Makes the conversation of a new connection. Raises `ProtocolError` for invalid URL parameters (HTTP 400)."""
    framing: Callable[[Mapping[str, str]], Framing] = lambda _compat: Lines()
    """Makes the framing of a TCP connection from the options of its listener."""
    raw: bool = False
    """Updates are sent to the client unchanged, and a fresh view can be sent at any time (only `play`). The other
    dialects have no message for a fresh view: there a client that missed steps is closed and has to reconnect."""
    resumable: bool = False
    """A client that is asked to come back resumes its session where it was (only `play`). Clients of other dialects are
    closed only if the gateway stops."""
    ack: Callable[[CommandId, RoomId, Epoch, Offset], bytes] | None = None
    """Encodes the message that confirms a command, with the position of its step. None: the dialect has no such
    message, and the step itself is the confirmation."""
