"""Records of a journal: all that happened in a room or in the lobby, secrets included.

Workers produce them and replay them; `shared.bus.journal` reads them from the store, `shared.bus.commits` writes them.
"""

from typing import TypeAlias

import msgspec

from shared.acts import OperatorAct
from shared.ids import CommandId, Epoch, GatewayId, Offset, RoomId, Seat, SessionId, TraceId

_encode = msgspec.json.Encoder().encode


class BaseNote(msgspec.Struct, frozen=True, gc=False, tag_field="note", tag=str.lower, omit_defaults=True):
    """Base of the notes: facts that a room must remember and that no client is shown."""


class Attached(BaseNote, frozen=True, tag="attached"):
    """A seat's connection, or a gateway with spectators, receives the room's updates from now on."""

    gateway: GatewayId
    conn: int = 0
    seat: Seat | None = None
    wants: int = 0
    id: CommandId = CommandId(0)
    """The id of the command that asked for it."""
    address: str = ""
    """The address of the client, if the seat comes back by name only to the same one."""


class Detached(BaseNote, frozen=True, tag="detached"):
    """A gateway has no spectators of the room any more; or a seat of a room that is over has no connection."""

    gateway: GatewayId
    seat: Seat | None = None


class Acted(BaseNote, frozen=True, tag="acted"):
    """An operator's act, with the step that carried it out or alone. If it was refused, the record has the code."""

    act: OperatorAct
    players: int = 0
    """The number of players that the act concerned."""


AnyNote: TypeAlias = Attached | Detached | Acted


class JournalRecord(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One handled command. With events it is a step and has an offset of its own; without events (a refusal, a note) it
    is filed behind the step before it, so that the offsets that players see have no holes."""

    at: int
    epoch: Epoch
    sid: SessionId = SessionId("")
    id: CommandId = CommandId(0)
    seat: Seat | None = None
    trace: TraceId = TraceId("")
    events: msgspec.Raw = msgspec.Raw(b"[]")
    notes: tuple[AnyNote, ...] = ()
    code: str = ""
    text: str = ""
    expired: str = ""
    """The name of the deadline that caused the step."""


RecordPlace: TypeAlias = tuple[Offset, int]
"""The offset of a step, and the number of the record behind that step (0: the step itself)."""


class LoggedRecord(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A record with its room and place, as logs and journals hold it."""

    room: RoomId
    offset: Offset
    number: int
    record: msgspec.Raw

    @property
    def place(self) -> RecordPlace:
        return self.offset, self.number


def encode_logged(room: RoomId, offset: Offset, number: int, record: JournalRecord) -> bytes:
    """A `LoggedRecord`. Its first entry is the room."""
    return _encode((room, offset, number, record))


def encode_logged_step(
    room: RoomId,
    offset: Offset,
    at_ms: int,
    epoch: Epoch,
    sid: SessionId,
    command: CommandId,
    seat: Seat | None,
    trace: TraceId,
    events: msgspec.Raw,
    notes: tuple[AnyNote, ...] = (),
    expired: str = "",
) -> bytes:
    """The `LoggedRecord` of a step. Nearly all records are moves, so no `JournalRecord` is made, and the fields behind
    the events are left out while they have their defaults."""
    record: tuple[object, ...] = (at_ms, epoch, sid, command, seat, trace, events)
    if notes or expired:
        record += (notes, "", "", expired)
    return _encode((room, offset, 0, record))


JournalEntry: TypeAlias = tuple[Offset, int, JournalRecord]
"""A record and its place."""


def without_effect(entry: JournalEntry) -> bool:
    """Whether the command changed nothing (a refusal, most often). The record of such a command is deleted some time
    after a snapshot covers it."""
    _, number, record = entry
    return number > 0 and not record.notes
