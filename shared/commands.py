"""Commands to rooms and to the lobby, and the envelope that carries them through a command stream."""

from typing import Any, TypeAlias

import msgspec

from shared.game import Choice
from shared.ids import CommandId, GatewayId, Offset, RoomId, SessionId, TraceId
from shared.room_events import RoomSpec


class BaseCommand(msgspec.Struct, frozen=True, gc=False, tag_field="do", tag=str.lower, omit_defaults=True):
    """Base of all that can be asked of a room or the lobby."""


class Enter(BaseCommand, frozen=True, tag="enter"):
    """Take a seat, open the room first if `spec` is given and there is none, and attend to it."""

    name: str
    spec: RoomSpec | None = None
    seed: int = 0
    choice: Choice = {}
    by_name: bool = False
    """Take back the seat of the player of this name, who must be gone."""
    dialect: str = ""
    of: RoomId | None = None
    new: bool = False
    """The room must not be there yet."""


class Watch(BaseCommand, frozen=True, tag="watch"):
    """Attend to the room, at the own seat or as a spectator; answered with a view if one is wanted."""

    view: bool = True


class Unwatch(BaseCommand, frozen=True, tag="unwatch"):
    """A spectator's last socket at a gateway went away."""


class Gone(BaseCommand, frozen=True, tag="gone"):
    """The connection that attended to the seat was lost."""


class Leave(BaseCommand, frozen=True, tag="leave"):
    """Give up the seat for good."""


class Act(BaseCommand, frozen=True, tag="act"):
    """A move, in the game's own words."""

    command: msgspec.Raw


class Say(BaseCommand, frozen=True, tag="say"):
    text: str
    to: str | None = None


class Configure(BaseCommand, frozen=True, tag="configure"):
    """Settle the size and options of a table that was opened without."""

    seats: int
    options: dict[str, Any] = {}


class Rematch(BaseCommand, frozen=True, tag="rematch"):
    """Agree on the room of the next game: this one, unless another was agreed on before."""

    room: RoomId


class Expired(BaseCommand, frozen=True, tag="expired"):
    """A deadline has passed; ignored unless the room still has it in this generation."""

    name: str
    generation: int


class GatewayLost(BaseCommand, frozen=True, tag="gatewaylost"):
    gateway: GatewayId


class Compensate(BaseCommand, frozen=True, tag="compensate"):
    """Nobody owned the room for this long."""

    by_ms: int


class Open(BaseCommand, frozen=True, tag="open"):
    """To the lobby: give me a number for a new room."""

    spec: RoomSpec
    private_room: RoomId
    """The number to use if the room is private."""


class Match(BaseCommand, frozen=True, tag="match"):
    """To the lobby: reserve a seat at the oldest fitting table, or name a new one."""

    game: str
    seats: int | None = None
    options: dict[str, Any] | None = None
    dialect: str = ""
    open: RoomSpec | None = None
    """What to open where none fits; none: refuse."""
    avoid: tuple[RoomId, ...] = ()
    """Tables that turned this player away just now."""


class Listed(BaseCommand, frozen=True, tag="listed"):
    """To the lobby: how many seats a room has free now (0 also once it has started or is gone)."""

    room: RoomId
    offset: Offset
    spec: RoomSpec
    free: int
    created_ms: int
    sids: tuple[SessionId, ...] = ()
    """Who sits there: they need no reservation any more."""


RoomCommand: TypeAlias = (
    Enter
    | Watch
    | Unwatch
    | Gone
    | Leave
    | Act
    | Say
    | Configure
    | Rematch
    | Expired
    | GatewayLost
    | Compensate
    | Open
    | Match
    | Listed
)


class Envelope(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A command on its way to a room (or the lobby)."""

    room: RoomId
    sid: SessionId
    """Whose command it is; empty for the cluster's own."""
    id: CommandId
    body: RoomCommand
    gateway: GatewayId = GatewayId("")
    conn: int = 0
    """Where answers go: gateway and connection number."""
    trace: TraceId = TraceId("")
    wants: int = 0
    """Sum of WANTS_VIEW and WANTS_OPTIONS: what updates shall carry besides events."""


WANTS_VIEW = 1
WANTS_OPTIONS = 2
