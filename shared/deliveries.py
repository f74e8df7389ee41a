"""Messages from workers to gateways: replies to commands, steps of rooms, heartbeats."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, Seat, SessionId
from shared.room_events import NOTHING, RoomSpec

_encode = msgspec.json.Encoder().encode


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


class CompletedCommand(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The command that a step has carried out, and where it came from."""

    gateway: GatewayId
    conn: int
    id: CommandId


class StepMessage(msgspec.Struct, frozen=True, gc=False, array_like=True):
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
    done: CompletedCommand | None = None
    """For the gateway where the command came from this is the answer, too."""


class Heartbeat(msgspec.Struct, frozen=True, tag_field="do", tag="beat"):
    """A worker to a gateway, every second: the epoch and number of its last message from each partition."""

    last: dict[Partition, tuple[Epoch, int]]


class SessionReplaced(msgspec.Struct, frozen=True, tag_field="do", tag="replaced"):
    """A gateway to another: this session has a newer connection."""

    sid: SessionId
    conn: int


ControlMessage: TypeAlias = Heartbeat | SessionReplaced


class Delivery(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What one commit of a partition has to say to one gateway. Numbered, so that a loss is noticed."""

    partition: Partition
    epoch: Epoch
    number: int
    told: tuple[StepMessage, ...] = ()
    replies: tuple[Reply, ...] = ()


def encode_delivery(
    partition: Partition, epoch: Epoch, number: int, told: Sequence[bytes], replies: Sequence[Reply]
) -> bytes:
    """An `Outbound` in JSON, of steps that are already."""
    return b"[%d,%d,%d,[%b],%b]" % (partition, epoch, number, b",".join(told), _encode(replies))
