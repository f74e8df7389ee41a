"""The words of a room, whatever game is played in it: what it is made of, what happens in it, what is told of it.

Workers write these, gateways and clients read them. Room events travel in one list with the game's events; their types
begin with `room.`.
"""

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from shared.game import Choice
from shared.ids import RoomId, Seat, SessionId

NOTHING = msgspec.Raw(b"null")
"""Raw JSON that is not there."""


class RoomStatus(StrEnum):
    """How far a room has got. A room that is finished or closed stays so."""

    UNOPENED = ""
    """No command has opened the room yet; it exists in the memory of its owner only."""
    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"
    """Over without a result."""


OVER = (RoomStatus.FINISHED, RoomStatus.CLOSED)


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


class BaseRoomEvent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=_tag, omit_defaults=True):
    """Base of the room events: `class Joined(RoomWord)` travels as `{"type": "room.joined", ...}`."""


class Opened(BaseRoomEvent, frozen=True, tag="room.opened"):
    spec: RoomSpec
    version: int
    of: RoomId | None = None
    """The room that this is the rematch of."""
    seed: int = 0
    """In the journal only."""


class Joined(BaseRoomEvent, frozen=True, tag="room.joined"):
    seat: Seat
    name: str
    bot: bool = False
    choice: Choice = {}
    sid: SessionId = SessionId("")
    """In the journal only."""


class Left(BaseRoomEvent, frozen=True, tag="room.left"):
    """A seat was given up. While the room waits the seat is free again; later it stays with the name."""

    seat: Seat
    name: str
    reason: str
    """`left`, `gone` (lost while waiting, grace passed) or `kicked` (the table was made smaller)."""


class Configured(BaseRoomEvent, frozen=True, tag="room.configured"):
    """A table that was opened before its size was known has got its final spec."""

    spec: RoomSpec
    choices: dict[Seat, Choice] = {}
    """What the seats have got now that it is known how many there are."""


class Started(BaseRoomEvent, frozen=True, tag="room.started"):
    seats: tuple[Seat, ...]
    order: tuple[Seat, ...]
    """The same seats in the order of joining, bots last."""


class Away(BaseRoomEvent, frozen=True, tag="room.away"):
    """The player of the seat lost the connection."""

    seat: Seat


class Back(BaseRoomEvent, frozen=True, tag="room.back"):
    """The player of the seat is there again."""

    seat: Seat
    sid: SessionId = SessionId("")
    """In the journal only: the session that holds the seat now."""


class Said(BaseRoomEvent, frozen=True, tag="room.said"):
    """Chat. With `to` it is private: told to the two seats only."""

    seat: Seat
    name: str
    text: str
    to: Seat | None = None


class Clock(BaseRoomEvent, frozen=True, tag="room.clock"):
    """The turn timer runs out at this time (milliseconds since 1970, the store's clock); 0: it was stopped."""

    due_ms: int


class Played(BaseRoomEvent, frozen=True, tag="room.played"):
    """The room played the turn of this seat: a bot's, or one whose player ran out of time or stayed away."""

    seat: Seat
    reason: str
    """`bot`, `time` or `away`."""


class Shifted(BaseRoomEvent, frozen=True, tag="room.shifted"):
    """Nobody ran this room for so long; all its clocks were put back by as much."""

    by_ms: int


class Ended(BaseRoomEvent, frozen=True, tag="room.ended"):
    winners: tuple[Seat, ...]
    names: tuple[str, ...]
    reason: str = ""
    scores: dict[Seat, int] = {}


class Closed(BaseRoomEvent, frozen=True, tag="room.closed"):
    """The room is gone without a result."""

    reason: str


class Rematched(BaseRoomEvent, frozen=True, tag="room.rematched"):
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
