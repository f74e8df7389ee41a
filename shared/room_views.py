"""What receivers see of a room: the update of a step, the full view, the entry in the room directory."""

from typing import Any

import msgspec

from shared.game import Choice
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat, TraceId
from shared.room_events import NOTHING, Ended, RoomSpec, RoomStatus, Said


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
    status: RoomStatus
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
    status: RoomStatus
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
