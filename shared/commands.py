"""Commands to rooms and to the lobby, and the envelope that carries them through a command stream."""

from enum import IntFlag
from typing import Any, TypeAlias, final

import msgspec

from shared.acts import OperatorAct
from shared.game import Choice
from shared.ids import CommandId, GatewayId, Offset, RoomId, SessionId, TraceId
from shared.room_events import RoomSpec


class Wants(IntFlag):
    """Parts that a client asks updates to carry besides events. Envelopes, notes and snapshots hold the number."""

    VIEW = 1
    OPTIONS = 2


class BaseCommand(msgspec.Struct, frozen=True, gc=False, tag_field="do", tag=str.lower, omit_defaults=True):
    """Base of the commands to a room or to the lobby."""


class Enter(BaseCommand, frozen=True, tag="enter"):
    """Take a seat and receive updates. With `spec`, the room is opened first if there is none."""

    name: str
    spec: RoomSpec | None = None
    seed: int = 0
    choice: Choice = {}
    by_name: bool = False
    """Take back the seat of the player of this name, who must be away."""
    dialect: str = ""
    of: RoomId | None = None
    new: bool = False
    """The room must not be there yet."""
    key: str = ""
    """The key of a private room. The command that opens such a room sets its key; others have to match it."""
    token: bool = False
    """The session can come back with a token, so the seat is given back to this session only."""
    address: str = ""
    """The address of the client, if seats come back by name only to the address they were lost from."""


class Watch(BaseCommand, frozen=True, tag="watch"):
    """Receive updates, at the own seat or as a spectator; the reply carries a view if one is wanted."""

    view: bool = True
    key: str = ""
    """The key of a private room. A session with a seat needs none."""
    again: CommandId | None = None
    """The command that attached this connection to the session's seat. The store may have lost it: attach the
    connection again, unless a newer command has attached another one."""


class Unwatch(BaseCommand, frozen=True, tag="unwatch"):
    """The last spectator of the room at a gateway has disconnected."""


class Gone(BaseCommand, frozen=True, tag="gone"):
    """The connection of a seat was lost."""


class Leave(BaseCommand, frozen=True, tag="leave"):
    """Give up the seat for good."""


@final
class Act(BaseCommand, frozen=True, tag="act"):
    """A move: a command of the game."""

    command: msgspec.Raw


class Say(BaseCommand, frozen=True, tag="say"):
    text: str
    to: str | None = None


class Configure(BaseCommand, frozen=True, tag="configure"):
    """Set the size and options of a table that waits, if they were not chosen when it was opened; or, with `fill`, let
    bots take its free seats."""

    seats: int
    options: dict[str, Any] = {}
    fill: bool = False
    """Bots take all free seats, and the size stays. This is no command of its own, because workers of version 0.2.0
    would skip a stream entry with an unknown one, and with it commands of others; this one they refuse."""


class Rematch(BaseCommand, frozen=True, tag="rematch"):
    """Agree on the room of the next game: this one, unless another was agreed on before."""

    room: RoomId
    key: str = ""
    """The key of that room, if it is private."""


class Expired(BaseCommand, frozen=True, tag="expired"):
    """A deadline has passed; ignored unless the room still has it in this generation."""

    name: str
    generation: int


class GatewayLost(BaseCommand, frozen=True, tag="gatewaylost"):
    gateway: GatewayId


class Compensate(BaseCommand, frozen=True, tag="compensate"):
    """Move all deadlines back: no worker owned the room for this long."""

    by_ms: int


class Operate(BaseCommand, frozen=True, tag="operate"):
    """To a room or to the lobby: an operator's order."""

    act: OperatorAct


class Open(BaseCommand, frozen=True, tag="open"):
    """To the lobby: number a new room."""

    spec: RoomSpec
    private_room: RoomId
    """The number to use if the room is private."""


class Match(BaseCommand, frozen=True, tag="match"):
    """To the lobby: reserve a seat at the oldest table that fits, or number a new room."""

    game: str
    seats: int | None = None
    options: dict[str, Any] | None = None
    dialect: str = ""
    open: RoomSpec | None = None
    """The room to open if no table fits; None: refuse."""
    avoid: tuple[RoomId, ...] = ()
    """Tables that have just refused this player."""


class Listed(BaseCommand, frozen=True, tag="listed"):
    """To the lobby: how many seats a room has free now (0 also once it has started or is gone)."""

    room: RoomId
    offset: Offset
    spec: RoomSpec
    free: int
    created_ms: int
    sids: tuple[SessionId, ...] = ()
    """The sessions that are seated: their reservations are over."""


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
    | Operate
    | Open
    | Match
    | Listed
)


class Envelope(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A command on its way to a room (or the lobby)."""

    room: RoomId
    sid: SessionId
    """The session that gave the command; empty for commands of the cluster itself."""
    id: CommandId
    body: RoomCommand
    gateway: GatewayId = GatewayId("")
    conn: int = 0
    """Replies go to this connection of the gateway."""
    trace: TraceId = TraceId("")
    wants: int = 0
    """The value of a `Wants`: what updates shall carry besides events."""
