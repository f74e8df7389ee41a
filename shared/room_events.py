"""The spec, the status and the events of a room, whatever game is played in it.

Workers write these, gateways and clients read them. Room events travel in one list with the game's events; their types
begin with `room.`.
"""

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from shared.game import Choice
from shared.ids import RoomId, Seat, SessionId

NOTHING = msgspec.Raw(b"null")
"""The JSON null that stands for an absent raw value."""


class RoomStatus(StrEnum):
    """The stage that a room has reached. A room that is finished or closed stays so."""

    UNOPENED = ""
    """No command has opened the room yet; it exists in the memory of its owner only."""
    WAITING = "waiting"
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"
    """Over without a result."""


OVER = (RoomStatus.FINISHED, RoomStatus.CLOSED)
LONG_TURN_MS = 3_600_000
"""A longer time for a turn means that players come and go: the room waits for them."""


class Spectators(StrEnum):
    """Whether a room admits spectators."""

    OPEN = "open"
    NONE = "none"


class RoomSpec(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The properties of a room that the player who opens it asks for."""

    game: str
    seats: int
    options: dict[str, Any] = {}
    private: bool = False
    turn_ms: int = 0
    """Time for a turn; 0: no limit. When it has passed, the bot plays the turn."""
    bots: int = 0
    """Number of seats, the last ones, that bots play from the beginning."""
    wait_ms: int = 0
    """Time after the latest join when the room starts with fewer players, in games that allow it; 0: never."""
    only: str = ""
    """The dialect that the room is open to, unlisted, until it is configured; empty: open to all."""
    spectators: Spectators = Spectators.OPEN
    trusted: bool = False
    """The options come from the configuration of a gateway, not from a player: a game's limits for players do not
    apply to them."""


def _tag(name: str) -> str:
    return "room." + name.lower()


class BaseRoomEvent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=_tag, omit_defaults=True):
    """Base of the room events. On the wire they are objects like `{"type": "room.joined", ...}`."""


class Opened(BaseRoomEvent, frozen=True, tag="room.opened"):
    spec: RoomSpec
    version: int
    of: RoomId | None = None
    """The room whose rematch this is."""
    seed: int = 0
    key: str = ""
    """The key of a private room, without which no stranger may enter or watch it; empty: the number is the secret. Seed
    and key are in the journal only."""


class Joined(BaseRoomEvent, frozen=True, tag="room.joined"):
    seat: Seat
    name: str
    bot: bool = False
    choice: Choice = {}
    sid: SessionId = SessionId("")
    token: bool = False
    """The seat comes back with the session's token only, never by name. Session and token are in the journal only."""


class Left(BaseRoomEvent, frozen=True, tag="room.left"):
    """A seat was given up. While the room waits the seat is free again; later it stays with the name."""

    seat: Seat
    name: str
    reason: str
    """`left`, `gone` (lost while waiting, grace passed), `kicked` (the table was made smaller) or `removed` (by an
    operator)."""


class Configured(BaseRoomEvent, frozen=True, tag="room.configured"):
    """A room that was opened before its size was known has its final spec now."""

    spec: RoomSpec
    choices: dict[Seat, Choice] = {}
    """The choices of the seats, settled for the final number of seats."""


class Started(BaseRoomEvent, frozen=True, tag="room.started"):
    seats: tuple[Seat, ...]
    order: tuple[Seat, ...]
    """The same seats in the order of joining, bots last."""


class Away(BaseRoomEvent, frozen=True, tag="room.away"):
    """The player of the seat lost the connection."""

    seat: Seat


class Back(BaseRoomEvent, frozen=True, tag="room.back"):
    """The player of the seat is connected again."""

    seat: Seat
    sid: SessionId = SessionId("")
    """In the journal only: the session that holds the seat now."""


class Said(BaseRoomEvent, frozen=True, tag="room.said"):
    """Chat. With `to` it is private: only the two seats see it."""

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
    """The room had no owner for this time, and all its deadlines were moved back by it."""

    by_ms: int


class Ended(BaseRoomEvent, frozen=True, tag="room.ended"):
    winners: tuple[Seat, ...]
    names: tuple[str, ...]
    reason: str = ""
    scores: dict[Seat, int] = {}


class Closed(BaseRoomEvent, frozen=True, tag="room.closed"):
    """The room ended without a result."""

    reason: str
    """`empty`, `abandoned` or `operator`."""


class Rematched(BaseRoomEvent, frozen=True, tag="room.rematched"):
    """The next game of these players is in another room."""

    room: RoomId
    key: str = ""
    """In the journal only: the key of that room, if it is private."""


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
