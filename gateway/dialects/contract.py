"""What a dialect is: a conversation without IO. Frames come in, frames and requests to the cluster go out.

The session (gateway/session/session.py) carries the requests out and brings the answers and the room's updates back. A
conversation never waits, never runs rules, and knows neither its transport nor the store. One is made for each
connection. Bad input raises `ProtocolError` or is answered in the dialect's own words; it never raises anything else.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import msgspec

from gateway.dialects.answers import Answer, RoomsChanged
from gateway.dialects.framing import Framing, Lines
from gateway.dialects.requests import Output
from shared.errors import ErrorCode
from shared.ids import CommandId, Epoch, Offset, RoomId
from shared.room_views import Listing, Update

# --- what a conversation asks of the cluster -------------------------------------------------------------------------


# What only the play protocol can say. The `ref` of its requests is the client's own id, which rises per session.


# --- what it is told -------------------------------------------------------------------------------------------------


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


_decode_update = msgspec.json.Decoder(Update).decode
E = TypeVar("E")


class DeliveredStep:
    """One step of a room as one receiver may see it, decoded at most once per gateway.

    All sessions whose players see the same bytes are given the same object: a table of four on one gateway costs one
    decoding."""

    __slots__ = ("_events", "_update", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        """The encoded `Update`."""
        self._update: Update | None = None
        self._events: dict[Callable[[msgspec.Raw], list[Any]], list[Any]] = {}

    @property
    def update(self) -> Update:
        if self._update is None:
            self._update = _decode_update(self.raw)
        return self._update

    def events(self, decode: Callable[[msgspec.Raw], list[E]]) -> list[E]:
        """The events in the types of a game. `decode` is the game's decoder, made once per process."""
        events = self._events.get(decode)
        if events is None:
            events = self._events[decode] = decode(self.update.events)
        return events


class Conversation(Protocol):
    """One connection's side of a dialect."""

    tick_ms: int
    """How often `tick` is wanted; 0: never."""

    def open(self) -> Iterable[Output]:
        """The connection was made."""

    def receive(self, frame: bytes) -> Iterable[Output]:
        """A frame (a text message, or a line without its end) came from the client."""

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        """The client sent something that `receive` does not get: a frame that is binary or too big, or one that was
        dropped by a rate limit (`busy/...`, then with the frame)."""

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        """A request was carried out or refused."""

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        """The next step of a room that this connection is attached to. `ref` is that of the own request that caused the
        step, or None. Steps are delivered in order, each exactly once, beginning after the view of `Entered`."""

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        """The room directory changed (after a `WatchRoomsRequest`)."""

    def tick(self, now_ms: int) -> Iterable[Output]:
        """`tick_ms` have passed. The time is monotonic and means nothing else."""


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
