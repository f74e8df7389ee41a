"""Values that rooms and the lobby return: everything that handling one command comes to.

Nothing happens outside the room until `shared.bus.commits` has turned results into writes and messages. To roll back a
command that broke its room, drop its result.
"""

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from shared.acts import AuditEntry
from shared.commands import Envelope
from shared.deliveries import Reply
from shared.ids import CommitNumber, GameVersion, GatewayId, Offset, RoomId
from shared.journal_records import RecordPlace
from shared.room_views import Listing


@dataclass(frozen=True, slots=True, order=True)
class DueDeadline:
    """A deadline of a room, with the time at which it is due."""

    due_ms: int
    room: RoomId
    name: str
    generation: int


DeadlineChange: TypeAlias = tuple[DueDeadline, bool]
"""A deadline that was started (True) or cleared (False)."""


class FiledRecord(msgspec.Struct, frozen=True, gc=False):
    """A journal record, encoded with its place. A step also has a message, and the gateways that receive it."""

    body: bytes = b""
    """The `LoggedRecord`."""
    step: bytes = b""
    """The `StepMessage`; empty: the record is not a step."""
    kept: bytes = b""
    """The step as the room's updates keep it: without views."""
    gateways: tuple[GatewayId, ...] = ()
    game: str = ""
    """The game of the room, with a step."""


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """The whole state as of one record, and the cleaning up that it permits."""

    offset: Offset
    number: int
    body: bytes
    covered: tuple[RecordPlace, ...] = ()
    """Records without effect that need not be kept."""
    covers_journal: bool = False
    """Whether all records before it can be deleted: those of the lobby, which has no replays."""


class OtherChanges(msgspec.Struct, gc=False):
    """Everything that a command comes to besides records and a reply. Few commands fill in any of it."""

    deadlines: tuple[DeadlineChange, ...] = ()
    """In the order in which they happened: one step can clear what the step before it has started."""
    listing: Listing | msgspec.UnsetType | None = msgspec.UNSET
    """The room's new entry in the room directory; None: the room leaves it."""
    notices: tuple[Envelope, ...] = ()
    """Commands to the lobby, added to its stream after the commit."""
    gateway_added: GatewayId = GatewayId("")
    """A gateway that receives the room's updates from now on."""
    gateway_removed: GatewayId = GatewayId("")
    """A gateway that receives the room's updates no more."""
    snapshot: Snapshot | None = None
    trim_updates: Offset = Offset(0)
    """The first step that the room's updates shall keep; 0: they are not trimmed."""
    expires_ms: int = 0
    """The time at which a room that is over leaves the store (milliseconds since 1970); 0: it stays."""
    quarantine: str = ""
    """The error for which the room is set aside."""
    freed: bool = False
    """The room is set aside no longer."""
    audit: AuditEntry | None = None
    """The operator's act that the command was."""
    write_history: bool = False
    """The part of the room's history that is not written yet has to be written: a gateway is about to read it, or it
    has become large."""
    opened: GameVersion = GameVersion("")
    """The game version of a room that was opened. With a listing, as `ended`."""
    ended: GameVersion = GameVersion("")
    """The game version of a room that is over now."""
    wanted: GameVersion = GameVersion("")
    """The game version that a parked command waits for, if no unfinished room needs it."""
    parked: tuple[bytes, int] | None = None
    """The command, and its place, if it has to wait for an owner that can play the room."""
    unparked: bytes = b""
    """The command, if it was parked."""
    unwanted: tuple[GameVersion, ...] = ()
    """Game versions for which no parked command waits any more."""


class Result(msgspec.Struct, gc=False):
    """Everything that one command comes to. A plain move fills in `records` alone."""

    room: RoomId
    records: list[FiledRecord] = []
    """Steps and other records, in order. A join that starts the game makes two steps."""
    reply: Reply | None = None
    reply_to: GatewayId = GatewayId("")
    others: OtherChanges | None = None
    """None for nearly all moves, so that the commit checks one field instead of twenty."""
    commit: CommitNumber = CommitNumber(0)
    """The commit that this is to be part of."""

    @property
    def more(self) -> OtherChanges:
        """The other changes, to fill them in."""
        if self.others is None:
            self.others = OtherChanges()
        return self.others

    def answer(self, envelope: Envelope, reply: Reply) -> None:
        """Set the reply, unless the cluster gave the command to itself."""
        if envelope.gateway:
            self.reply, self.reply_to = reply, envelope.gateway
