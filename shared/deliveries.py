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
    """Empty: the command was carried out."""
    text: str = ""
    epoch: Epoch = Epoch(0)
    offset: Offset = Offset(0)
    """The step that applied the command, 0 if none was needed; with a view, the step that it shows."""
    seat: Seat | None = None
    view: msgspec.Raw = NOTHING
    to: RoomId | None = None
    """The room that the lobby has chosen ..."""
    spec: RoomSpec | None = None
    """... and the spec to open it with if it is not there."""
    since: Offset = Offset(0)
    """The step that seated the player of the seat."""


class CompletedCommand(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The command that a step has carried out, and the connection that sent it."""

    gateway: GatewayId
    conn: int
    id: CommandId


class StepMessage(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A step of a room on its way to a gateway."""

    room: RoomId
    epoch: Epoch
    offset: Offset
    public: msgspec.Raw
    """The public `Update` ..."""
    seats: dict[Seat, msgspec.Raw] = {}
    """... and those of seats that may see something else."""
    watchers: msgspec.Raw = NOTHING
    """The `Update` for spectators who asked for views."""
    done: CompletedCommand | None = None
    """For the gateway that sent the command, the step is the reply as well."""


class Heartbeat(msgspec.Struct, frozen=True, tag_field="do", tag="beat"):
    """From a worker to a gateway: epoch and number of the last delivery from each partition, repeated regularly."""

    last: dict[Partition, tuple[Epoch, int]]


class SessionReplaced(msgspec.Struct, frozen=True, tag_field="do", tag="replaced"):
    """From one gateway to another: this session has a newer connection."""

    sid: SessionId
    conn: int


ControlMessage: TypeAlias = Heartbeat | SessionReplaced


class Delivery(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The replies and step messages of one commit for one gateway. Numbered, so that a loss is noticed."""

    partition: Partition
    epoch: Epoch
    number: int
    told: tuple[StepMessage, ...] = ()
    replies: tuple[Reply, ...] = ()


def encode_delivery(
    partition: Partition, epoch: Epoch, number: int, steps: Sequence[bytes], replies: Sequence[Reply]
) -> bytes:
    """A `Delivery` in JSON. The steps are encoded already: several gateways receive the same ones."""
    answers = _encode(replies) if replies else b"[]"
    return b"[%d,%d,%d,[%b],%b]" % (partition, epoch, number, b",".join(steps), answers)
