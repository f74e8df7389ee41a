"""What travels through Redis, in both directions, and what is kept there. Everything carries a format version."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from shared.engine import Choice
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, Seat, SessionId, TraceId
from shared.rooms import NOTHING, RoomSpec

_encode = msgspec.json.Encoder().encode

FORMAT = 3
"""Of keys, envelopes, journals and snapshots. A process that finds another one in the store refuses to start."""


class Body(msgspec.Struct, frozen=True, gc=False, tag_field="do", tag=str.lower, omit_defaults=True):
    """Base of all that can be asked of a room or the lobby."""


class Enter(Body, frozen=True, tag="enter"):
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


class Watch(Body, frozen=True, tag="watch"):
    """Attend to the room, at the own seat or as a spectator; answered with a view if one is wanted."""

    view: bool = True


class Unwatch(Body, frozen=True, tag="unwatch"):
    """A spectator's last socket at a gateway went away."""


class Gone(Body, frozen=True, tag="gone"):
    """The connection that attended to the seat was lost."""


class Leave(Body, frozen=True, tag="leave"):
    """Give up the seat for good."""


class Act(Body, frozen=True, tag="act"):
    """A move, in the game's own words."""

    command: msgspec.Raw


class Say(Body, frozen=True, tag="say"):
    text: str
    to: str | None = None


class Configure(Body, frozen=True, tag="configure"):
    """Settle the size and options of a table that was opened without."""

    seats: int
    options: dict[str, Any] = {}


class Rematch(Body, frozen=True, tag="rematch"):
    """Agree on the room of the next game: this one, unless another was agreed on before."""

    room: RoomId


class Expired(Body, frozen=True, tag="expired"):
    """A deadline has passed; ignored unless the room still has it in this generation."""

    name: str
    generation: int


class GatewayLost(Body, frozen=True, tag="gatewaylost"):
    gateway: GatewayId


class Compensate(Body, frozen=True, tag="compensate"):
    """Nobody owned the room for this long."""

    by_ms: int


class Open(Body, frozen=True, tag="open"):
    """To the lobby: give me a number for a new room."""

    spec: RoomSpec
    private_room: RoomId
    """The number to use if the room is private."""


class Match(Body, frozen=True, tag="match"):
    """To the lobby: reserve a seat at the oldest fitting table, or name a new one."""

    game: str
    seats: int | None = None
    options: dict[str, Any] | None = None
    dialect: str = ""
    open: RoomSpec | None = None
    """What to open where none fits; none: refuse."""
    avoid: tuple[RoomId, ...] = ()
    """Tables that turned this player away just now."""


class Listed(Body, frozen=True, tag="listed"):
    """To the lobby: how many seats a room has free now (0 also once it has started or is gone)."""

    room: RoomId
    offset: Offset
    spec: RoomSpec
    free: int
    created_ms: int
    sids: tuple[SessionId, ...] = ()
    """Who sits there: they need no reservation any more."""


AnyBody: TypeAlias = (
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
    body: AnyBody
    gateway: GatewayId = GatewayId("")
    conn: int = 0
    """Where answers go: gateway and connection number."""
    trace: TraceId = TraceId("")
    wants: int = 0
    """Sum of WANTS_VIEW and WANTS_OPTIONS: what updates shall carry besides events."""


WANTS_VIEW = 1
WANTS_OPTIONS = 2


class Reply(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The answer to a command, for the connection that sent it."""

    conn: int
    room: RoomId
    id: CommandId
    code: str = ""
    """Empty: it was done."""
    text: str = ""
    epoch: Epoch = Epoch(0)
    offset: Offset = Offset(0)
    """The step that applied it, 0 if none was needed; for a view the step it shows."""
    seat: Seat | None = None
    view: msgspec.Raw = NOTHING
    to: RoomId | None = None
    """The lobby's answer: go to this room ..."""
    spec: RoomSpec | None = None
    """... and open it like this if it is not there."""
    since: Offset = Offset(0)
    """The step that seated the player of the seat."""


class Done(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The command that a step has carried out, and where it came from."""

    gateway: GatewayId
    conn: int
    id: CommandId


class Told(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A step of a room on its way to a gateway."""

    room: RoomId
    epoch: Epoch
    offset: Offset
    public: msgspec.Raw
    """The `Update` for everybody ..."""
    seats: dict[Seat, msgspec.Raw] = {}
    """... and for the seats that are told something else."""
    watchers: msgspec.Raw = NOTHING
    """The `Update` for spectators who asked for views."""
    done: Done | None = None
    """For the gateway where the command came from this is the answer, too."""


class Beat(msgspec.Struct, frozen=True, tag_field="do", tag="beat"):
    """A worker to a gateway, every second: the epoch and number of its last message from each partition."""

    last: dict[Partition, tuple[Epoch, int]]


class Replaced(msgspec.Struct, frozen=True, tag_field="do", tag="replaced"):
    """A gateway to another: this session has a newer connection."""

    sid: SessionId
    conn: int


Control: TypeAlias = Beat | Replaced


class Outbound(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What one commit of a partition has to say to one gateway. Numbered, so that a loss is noticed."""

    partition: Partition
    epoch: Epoch
    number: int
    told: tuple[Told, ...] = ()
    replies: tuple[Reply, ...] = ()


def outbound(partition: Partition, epoch: Epoch, number: int, told: Sequence[bytes], replies: Sequence[Reply]) -> bytes:
    """An `Outbound` in JSON, of steps that are already."""
    return b"[%d,%d,%d,[%b],%b]" % (partition, epoch, number, b",".join(told), _encode(replies))
