"""The words of a room, whatever game is played in it: what it is made of, what happens in it, what is told of it.

Workers write these, gateways and clients read them. Room events travel in one list with the game's events; their types
begin with `room.`.
"""

from typing import Any, TypeAlias

import msgspec

from shared.engine import Choice
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat, SessionId, TraceId

NOTHING = msgspec.Raw(b"null")
"""Raw JSON that is not there."""


class RoomSpec(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What somebody who opens a table asks for."""

    game: str
    seats: int
    options: dict[str, Any] = {}
    private: bool = False
    turn_ms: int = 0
    """Time for a turn, 0: none. When it has passed the bot plays the turn."""
    bots: int = 0
    """How many of the seats, the last ones, are played by bots from the beginning."""
    wait_ms: int = 0
    """How long the table waits after the latest joining before it starts with fewer players (games that allow it)."""
    only: str = ""
    """A dialect's name: the table is open to that dialect alone, and unlisted, until it is configured."""


def _tag(name: str) -> str:
    return "room." + name.lower()


class RoomWord(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=_tag, omit_defaults=True):
    """Base of the room events: `class Joined(RoomWord)` travels as `{"type": "room.joined", ...}`."""


class Opened(RoomWord, frozen=True, tag="room.opened"):
    spec: RoomSpec
    version: int
    of: RoomId | None = None
    """The room that this is the rematch of."""
    seed: int = 0
    """In the journal only."""


class Joined(RoomWord, frozen=True, tag="room.joined"):
    seat: Seat
    name: str
    bot: bool = False
    choice: Choice = {}
    sid: SessionId = SessionId("")
    """In the journal only."""


class Left(RoomWord, frozen=True, tag="room.left"):
    """A seat was given up. While the room waits the seat is free again; later it stays with the name."""

    seat: Seat
    name: str
    reason: str
    """`left`, `gone` (lost while waiting, grace passed) or `kicked` (the table was made smaller)."""


class Configured(RoomWord, frozen=True, tag="room.configured"):
    """A table that was opened before its size was known has got its final spec."""

    spec: RoomSpec
    choices: dict[Seat, Choice] = {}
    """What the seats have got now that it is known how many there are."""


class Started(RoomWord, frozen=True, tag="room.started"):
    seats: tuple[Seat, ...]
    order: tuple[Seat, ...]
    """The same seats in the order of joining, bots last."""


class Away(RoomWord, frozen=True, tag="room.away"):
    """The player of the seat lost the connection."""

    seat: Seat


class Back(RoomWord, frozen=True, tag="room.back"):
    """The player of the seat is there again."""

    seat: Seat
    sid: SessionId = SessionId("")
    """In the journal only: the session that holds the seat now."""


class Said(RoomWord, frozen=True, tag="room.said"):
    """Chat. With `to` it is private: told to the two seats only."""

    seat: Seat
    name: str
    text: str
    to: Seat | None = None


class Clock(RoomWord, frozen=True, tag="room.clock"):
    """The turn timer runs out at this time (milliseconds since 1970, the store's clock); 0: it was stopped."""

    due_ms: int


class Played(RoomWord, frozen=True, tag="room.played"):
    """The room played the turn of this seat: a bot's, or one whose player ran out of time or stayed away."""

    seat: Seat
    reason: str
    """`bot`, `time` or `away`."""


class Shifted(RoomWord, frozen=True, tag="room.shifted"):
    """Nobody ran this room for so long; all its clocks were put back by as much."""

    by_ms: int


class Ended(RoomWord, frozen=True, tag="room.ended"):
    winners: tuple[Seat, ...]
    names: tuple[str, ...]
    reason: str = ""
    scores: dict[Seat, int] = {}


class Closed(RoomWord, frozen=True, tag="room.closed"):
    """The room is gone without a result."""

    reason: str


class Rematched(RoomWord, frozen=True, tag="room.rematched"):
    """The next game of these players is in another room."""

    room: RoomId


RoomEvent: TypeAlias = (
    Opened
    | Joined
    | Left
    | Configured
    | Started
    | Away
    | Back
    | Said
    | Clock
    | Played
    | Shifted
    | Ended
    | Closed
    | Rematched
)


class Update(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="update", omit_defaults=True):
    """One committed step of a room as one receiver may see it. It is also the `update` message of `/ws/play`."""

    room: RoomId
    epoch: Epoch
    offset: Offset
    at: int
    """When it was commanded: milliseconds since 1970, the store's clock."""
    events: msgspec.Raw
    """A JSON list of room events and game events, redacted for the receiver."""
    by: Seat | None = None
    """Who caused it, with which command; none for what the room did by itself."""
    id: CommandId | None = None
    trace: TraceId = TraceId("")
    view: msgspec.Raw = NOTHING
    """The `RoomView` after the step, for those who asked for views."""
    options: msgspec.Raw = NOTHING
    """What the receiver may do now, for those who asked for options."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """The last step of a room that somebody has seen."""

    epoch: Epoch
    offset: Offset


class SeatView(msgspec.Struct, frozen=True, omit_defaults=True):
    seat: Seat
    name: str
    bot: bool = False
    here: bool = False
    left: bool = False
    choice: Choice = {}


class RoomView(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that a receiver may know of a room, stamped with the step it was true after."""

    room: RoomId
    epoch: Epoch
    offset: Offset
    status: str
    """`waiting`, `playing`, `finished` or `closed`."""
    spec: RoomSpec
    version: int
    seats: tuple[SeatView, ...]
    """The taken seats, ascending."""
    you: Seat | None = None
    last_id: CommandId | None = None
    """The highest command id of this session that the room has seen."""
    turn: tuple[Seat, ...] = ()
    chat: tuple[Said, ...] = ()
    """What the receiver may read, oldest first."""
    clock_ms: int = 0
    game: msgspec.Raw = NOTHING
    """The game's own view; none before the start."""
    options: msgspec.Raw = NOTHING
    outcome: Ended | None = None
    rematch: RoomId | None = None


class Listing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A room in the directory: what the lobby, lists of rooms and the keepers of names need to know."""

    room: RoomId
    game: str
    seats: int
    status: str
    """`waiting` or `playing`; a room that is over leaves the directory."""
    names: dict[Seat, str] = {}
    """Every name that this room keeps in use."""
    gone: tuple[Seat, ...] = ()
    """The seats whose players are away and may come back by name."""
    free: int = 0
    private: bool = False
    only: str = ""
    options: dict[str, Any] = {}
    choices: dict[Seat, Choice] = {}
    turn_ms: int = 0
    created_ms: int = 0
    paused: bool = False
    """The game goes on, but nobody may act: it waits for somebody to come back."""
    offset: Offset = Offset(0)
