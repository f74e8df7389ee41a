"""Messages from workers to gateways: replies to commands, steps of rooms, heartbeats."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from shared.ids import CommandId, CommitNumber, Epoch, GatewayId, Offset, Partition, RoomId, Seat, SessionId
from shared.room_events import NOTHING, RoomSpec
from shared.room_views import Update

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
    """In an answer of the lobby or to a rematch: the room to enter."""
    spec: RoomSpec | None = None
    """The spec to open the room in `to` with, if it is not there."""
    since: Offset = Offset(0)
    """The step that seated the player of the seat."""
    key: str = ""
    """For a player: the key of the room, or of the room in `to`, if it is private."""


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
    """The public `Update`."""
    seats: dict[Seat, msgspec.Raw] = {}
    """The updates of seats that may see something else."""
    watchers: msgspec.Raw = NOTHING
    """The `Update` for spectators who asked for views."""
    done: CompletedCommand | None = None
    """For the gateway that sent the command, the step is the reply as well."""
    replay: msgspec.Raw = NOTHING
    """The `Update` as replays of the finished game show it, if spectators may not see all of it before."""
    commit: CommitNumber = CommitNumber(0)
    """The commit of the partition that the step is part of. With the epoch it is the id of the entry in the partition's
    log."""
    unseats: bool | None = None
    """Whether a seat is given up or taken away in it. None: a worker of an older release does not say. Gateways would
    otherwise have to search every step for such an event."""


def encode_public_step(update: Update, done: CompletedCommand | None, commit: CommitNumber) -> bytes:
    """The `StepMessage` of a step that all receivers see alike. Nearly all steps are moves of which that holds, so the
    update is encoded in place, and no `StepMessage` is made."""
    return _encode((update.room, update.epoch, update.offset, update, {}, None, done, None, commit, False))


class Heartbeat(msgspec.Struct, frozen=True, tag_field="do", tag="beat"):
    """From a worker to a gateway: epoch and number of the last delivery from each partition, repeated regularly."""

    last: dict[Partition, tuple[Epoch, int]]


class SessionReplaced(msgspec.Struct, frozen=True, tag_field="do", tag="replaced"):
    """From one gateway to another: this session has a newer connection."""

    sid: SessionId
    conn: int


class SessionRevoked(msgspec.Struct, frozen=True, tag_field="do", tag="revoked"):
    """From one gateway to another: this session was revoked, and its connection shall be closed."""

    sid: SessionId


ControlMessage: TypeAlias = Heartbeat | SessionReplaced | SessionRevoked


class Delivery(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The replies and step messages of one commit for one gateway. Numbered, so that a loss is noticed."""

    partition: Partition
    epoch: Epoch
    number: int
    steps: tuple[StepMessage, ...] = ()
    replies: tuple[Reply, ...] = ()


def encode_around_steps(
    partition: Partition, epoch: Epoch, number: int, replies: Sequence[Reply]
) -> tuple[bytes, bytes]:
    """A `Delivery` in JSON: its parts before and behind the list of steps, which may be the same for all gateways."""
    return f"[{partition},{epoch},{number},".encode(), b"," + _encode(replies) + b"]" if replies else b",[]]"
