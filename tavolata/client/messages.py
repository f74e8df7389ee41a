"""The messages of `/ws/play` as a client reads and writes them (docs/protocols/play.md). Unknown keys are ignored, so
that a newer server may add some."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

NOTHING = msgspec.Raw(b"null")
"""The value of an absent part of a message, as JSON."""
MOST_FRAME_BYTES = 65_536
"""The server refuses longer frames."""
PROTOCOL = "1.0"
"""The version of the protocol that this client speaks. Gateways of another major version refuse it."""


class SeatedPlayer(msgspec.Struct, frozen=True):
    """A taken seat in a view."""

    seat: int
    name: str
    bot: bool = False
    here: bool = False
    """The player is connected."""
    left: bool = False
    """The player has given up the seat."""
    choice: dict[str, Any] = {}


class TableView(msgspec.Struct, frozen=True):
    """All that this player may know of a table, as of one step."""

    room: int
    epoch: int
    offset: int
    status: str
    """`waiting`, `playing`, `finished` or `closed`."""
    spec: dict[str, Any] = {}
    """The parameters that the table was opened with: `game`, `seats`, `options` and others."""
    version: int = 0
    seats: tuple[SeatedPlayer, ...] = ()
    you: int | None = None
    last_id: int | None = None
    turn: tuple[int, ...] = ()
    """The seats that may act."""
    chat: tuple[dict[str, Any], ...] = ()
    clock_ms: int = 0
    """The time at which the turn timer runs out, in milliseconds since 1970; 0: no timer runs."""
    game_json: msgspec.Raw = msgspec.field(default=NOTHING, name="game")
    """The game's own view as JSON, for `msgspec.json.decode` with a type of your own."""
    options_json: msgspec.Raw = msgspec.field(default=NOTHING, name="options")
    outcome: dict[str, Any] | None = None
    """The result of a finished game: `winners` and `names`, perhaps `scores` and `reason`."""
    rematch: int | None = None
    """The room of the rematch."""

    @property
    def game(self) -> Any:
        """The game's own view; None before the start. Decoded at each access."""
        return msgspec.json.decode(self.game_json)

    @property
    def options(self) -> list[Any]:
        """The commands that this seat may give now, if they were wanted. Decoded at each access."""
        return msgspec.json.decode(self.options_json) or []

    @property
    def over(self) -> bool:
        """The game is finished, or the table was closed."""
        return self.status in ("finished", "closed")


_view_decoder: msgspec.json.Decoder[TableView | None] = msgspec.json.Decoder(TableView | None)


class BaseMessage(msgspec.Struct, frozen=True, tag_field="type"):
    """Base of the messages from the server."""


class TableUpdate(BaseMessage, frozen=True, gc=False, tag="update"):
    """One step of a table, as this player may see it.

    If `reason` is set, the update stands for a whole view: it replaces everything that was known of the table, and has
    no events.
    """

    room: int
    epoch: int
    offset: int
    """The number of the step. It rises by one from update to update."""
    events_json: msgspec.Raw = msgspec.field(default=msgspec.Raw(b"[]"), name="events")
    at: int = 0
    """The time of the step, in milliseconds since 1970."""
    by: int | None = None
    """The seat whose request caused the step; None for steps that the room takes by itself."""
    id: int | None = None
    trace: str = ""
    """Identifies the step in the logs of the cluster."""
    view_json: msgspec.Raw = msgspec.field(default=NOTHING, name="view")
    options_json: msgspec.Raw = msgspec.field(default=NOTHING, name="options")
    reason: str = ""
    """`trimmed`, `rewound` or `slow` (see the protocol), `unread` (the program did not read its updates) or `entered`
    (the player entered the table again); empty for a step."""

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of the step that this player may see. Decoded at each access."""
        return msgspec.json.decode(self.events_json)  # type: ignore[no-any-return]

    @property
    def view(self) -> TableView | None:
        """The view after the step, if views were wanted. Decoded at each access."""
        return _view_decoder.decode(self.view_json)

    @property
    def options(self) -> list[Any]:
        """The commands that this seat may give now, if options were wanted. Decoded at each access."""
        return msgspec.json.decode(self.options_json) or []


class Welcome(BaseMessage, frozen=True, tag="welcome"):
    """The session has begun, or goes on."""

    name: str
    token: str
    session: str = ""
    rooms: tuple[int, ...] = ()
    """The rooms where the session has a seat."""
    games: tuple[str, ...] = ()


class AttachedMessage(BaseMessage, frozen=True):
    """Base of the messages that attach the connection to a room."""

    room: int
    epoch: int
    offset: int
    seat: int | None = None
    id: int | None = None
    reason: str = ""
    key: str = ""
    """The key of a private room, which other players need to join or watch it."""
    view_json: msgspec.Raw = msgspec.field(default=NOTHING, name="view")

    @property
    def view(self) -> TableView:
        """The whole view. Decoded at each access."""
        view = _view_decoder.decode(self.view_json)
        assert view is not None
        return view


class Entered(AttachedMessage, frozen=True, tag="entered"):
    """The player has a seat at the table."""


class Watching(AttachedMessage, frozen=True, tag="watching"):
    """The player watches the table."""


class ViewSent(AttachedMessage, frozen=True, tag="view"):
    """A whole view, asked for or not."""


class Resumed(AttachedMessage, frozen=True, tag="resumed"):
    """The updates after the position of the request follow."""


class Ack(BaseMessage, frozen=True, gc=False, tag="ack"):
    """The request was carried out, and no crash undoes it."""

    id: int
    room: int = 0
    epoch: int = 0
    offset: int = 0
    """The step that the request caused; 0: it needed none."""


class ErrorAnswer(BaseMessage, frozen=True, tag="error"):
    """A refusal."""

    code: str
    text: str = ""
    id: int | None = None
    room: int | None = None


class ListedTable(msgspec.Struct, frozen=True):
    """An entry in the list of tables that wait or play."""

    room: int
    game: str
    seats: int
    status: str
    names: dict[int, str] = {}
    """By seat."""
    free: int = 0
    """Number of free seats."""
    options: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    turn_ms: int = 0
    created_ms: int = 0
    paused: bool = False
    """No player may act until another one comes back."""
    offset: int = 0
    version: int = 0
    """The version of the game that the table began with."""


class TableList(BaseMessage, frozen=True, tag="rooms"):
    """The answer to `rooms`."""

    id: int
    rooms: tuple[ListedTable, ...] = ()
    more: bool = False
    """There are more tables after the last one of this list."""


class TableListChange(BaseMessage, frozen=True, tag="rooms_changed"):
    """Changes of a list that is watched."""

    changed: tuple[ListedTable, ...] = ()
    gone: tuple[int, ...] = ()


class Pong(BaseMessage, frozen=True, tag="pong"):
    """The answer to `ping`."""


ServerMessage: TypeAlias = (
    TableUpdate
    | Ack
    | ViewSent
    | Entered
    | Watching
    | Resumed
    | Welcome
    | ErrorAnswer
    | TableList
    | TableListChange
    | Pong
)

# Bound methods, not functions around them: the load tool calls them for every message.
decode: Callable[[bytes], ServerMessage] = msgspec.json.Decoder(ServerMessage).decode
"""Raises `msgspec.DecodeError` if the frame is none of these messages."""
encode: Callable[[object], bytes] = msgspec.json.Encoder().encode
"""Any value as JSON."""


def hello(name: str, token: str) -> bytes:
    """The first frame of a connection."""
    who = {"token": token} if token else {"name": name}
    return encode({"type": "hello", **who, "protocol": PROTOCOL})
