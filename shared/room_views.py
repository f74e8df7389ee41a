"""A room as its receivers see it: the update of a step, the full view, the entry in the room directory."""

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
    """The time of the command: milliseconds since 1970 on the store's clock."""
    events: msgspec.Raw
    """A JSON list of room events and game events, redacted for the receiver."""
    by: Seat | None = None
    """The seat that caused the step, with `id`; None for steps that the room takes by itself."""
    id: CommandId | None = None
    trace: TraceId = TraceId("")
    view: msgspec.Raw = NOTHING
    """The `RoomView` after the step, for receivers that asked for views."""
    options: msgspec.Raw = NOTHING
    """The commands that the receiver may give now, for receivers that asked for options."""


class Position(msgspec.Struct, frozen=True, gc=False):
    """The last step of a room that a client has seen."""

    epoch: Epoch
    offset: Offset

    def voided_by(self, last: "Position") -> bool:
        """Whether a room with this last step shows that its store has lost the step of this position: the room has
        fewer steps, or another one of the same number. A room that has more steps does not show it."""
        return last.offset < self.offset or (last.offset == self.offset and last.epoch != self.epoch)


class SeatView(msgspec.Struct, frozen=True, omit_defaults=True):
    seat: Seat
    name: str
    bot: bool = False
    here: bool = False
    left: bool = False
    choice: Choice = {}


class RoomView(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that a receiver may know of a room, as of one step."""

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
    """The chat that the receiver may read, oldest first."""
    clock_ms: int = 0
    game: msgspec.Raw = NOTHING
    """The game's own view; none before the start."""
    options: msgspec.Raw = NOTHING
    outcome: Ended | None = None
    rematch: RoomId | None = None


class Listing(msgspec.Struct, frozen=True, omit_defaults=True):
    """A room's entry in the room directory: the facts that room lists, matchmaking and name claims need."""

    room: RoomId
    game: str
    seats: int
    status: RoomStatus
    """`waiting` or `playing`; a room that is over leaves the directory."""
    names: dict[Seat, str] = {}
    """Every name that this room keeps in use."""
    gone: tuple[Seat, ...] = ()
    """The seats whose players are away and may come back by name. Gateways do not pass this on to clients."""
    free: int = 0
    private: bool = False
    only: str = ""
    options: dict[str, Any] = {}
    choices: dict[Seat, Choice] = {}
    turn_ms: int = 0
    created_ms: int = 0
    paused: bool = False
    """No seat may act: the game waits for a player to come back."""
    offset: Offset = Offset(0)
    version: int = 0
    """The version of the game that the room began with."""
