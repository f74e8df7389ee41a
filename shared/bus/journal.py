"""The journal of a room (or of the lobby): all that happened, secrets included. Workers write it, recovery reads it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import CommandId, Epoch, GatewayId, Offset, RoomId, Seat, SessionId, TraceId


class BaseNote(msgspec.Struct, frozen=True, gc=False, tag_field="note", tag=str.lower, omit_defaults=True):
    """Base of what a room remembers although nobody is told of it."""


class Attached(BaseNote, frozen=True, tag="attached"):
    """A seat's connection, or a gateway with spectators, attends to the room."""

    gateway: GatewayId
    conn: int = 0
    seat: Seat | None = None
    wants: int = 0
    id: CommandId = CommandId(0)
    """Of the command that asked for it."""


class Detached(BaseNote, frozen=True, tag="detached"):
    """A gateway has no spectators of the room any more; or a seat of a room that is over has no connection."""

    gateway: GatewayId
    seat: Seat | None = None


AnyNote: TypeAlias = Attached | Detached


class JournalRecord(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One handled command. With events it is a step and has an offset of its own; without, it is filed after the step
    before it (a refusal, a note), so that players see no hole."""

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
    """The deadline that it was about."""


_decode = msgspec.json.Decoder(JournalRecord).decode
JournalEntry: TypeAlias = tuple[Offset, int, JournalRecord]
"""Offset, number after the step (0: the step itself), and what happened."""


def passing(filed: JournalEntry) -> bool:
    """Whether it is a command that came to nothing: such a record is deleted some time after a snapshot has it."""
    _, number, record = filed
    return number > 0 and not record.notes


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """All that the store has of a room."""

    snapshot: bytes | None
    records: tuple[JournalEntry, ...]
    damage: str = ""
    """Why it cannot be read, if it cannot."""


async def load(store: Store, rooms: Sequence[tuple[Keys, RoomId]], most: int = 200) -> list[StoredRoom]:
    """What is needed to bring rooms back: the last snapshot and the records after it.

    All rooms are read together, a portion of each at a time: others wait for the same connection, and for the loop."""
    snapshots = await store.pipe([("GET", partition.snapshot(room)) for partition, room in rooms])
    tails = [
        _Tail(partition.journal(room), "-" if snapshot is None else f"({_place(snapshot)}")
        for (partition, room), snapshot in zip(rooms, snapshots, strict=True)
    ]
    waiting = tails
    while waiting:
        replies = await store.pipe([("XRANGE", tail.key, tail.begin, "+", "COUNT", most) for tail in waiting])
        for tail, entries in zip(waiting, replies, strict=True):
            tail.read(entries)
        waiting = [tail for tail, entries in zip(waiting, replies, strict=True) if len(entries) == most]
    return [tail.kept(snapshot) for tail, snapshot in zip(tails, snapshots, strict=True)]


@dataclass(slots=True)
class _Tail:
    """The records of a room after its snapshot, as far as they were read."""

    key: str
    begin: str
    records: list[JournalEntry] = field(default_factory=list)
    damage: str = ""

    def read(self, entries: list[list[Any]]) -> None:
        """A record that cannot be read concerns its room alone, not those that are loaded with it."""
        if not entries:
            return
        self.begin = _after(entries[-1])
        try:
            self.records += [_filed(entry) for entry in entries]
        except (msgspec.MsgspecError, ValueError) as error:
            self.damage = f"its journal cannot be read: {error}"

    def kept(self, snapshot: bytes | None) -> StoredRoom:
        if self.damage:
            return StoredRoom(None, (), self.damage)
        return StoredRoom(None if snapshot is None else snapshot.partition(b"\n")[2], tuple(self.records))


def snapshotting(partition: Keys, room: RoomId, offset: Offset, number: int, body: bytes) -> RedisCommand:
    """Saves a room as it is after a record; the first line names the record."""
    return ("SET", partition.snapshot(room), b"%d-%d\n" % (offset, number) + body)


def forgetting(partition: Keys, room: RoomId, places: Sequence[tuple[Offset, int]]) -> RedisCommand:
    """Deletes records that a snapshot has."""
    return ("XDEL", partition.journal(room), *(f"{offset}-{number}" for offset, number in places))


async def portions(
    store: Store, partition: Keys, room: RoomId, after: tuple[Offset, int] | None = None, most: int = 200
) -> AsyncIterator[list[JournalEntry]]:
    """Everything that happened in a room after a record, oldest first and a portion at a time: there is no limit to it,
    and others use the connection, too."""
    begin = "-" if after is None else f"({after[0]}-{after[1]}"
    while entries := await store.call("XRANGE", partition.journal(room), begin, "+", "COUNT", most):
        yield [_filed(entry) for entry in entries]
        if len(entries) < most:
            return
        begin = _after(entries[-1])


async def at(store: Store, partition: Keys, room: RoomId, place: tuple[Offset, int]) -> JournalRecord | None:
    """One record; None if there is none at this place."""
    entry_id = f"{place[0]}-{place[1]}"
    entries = await store.call("XRANGE", partition.journal(room), entry_id, entry_id)
    return _filed(entries[0])[2] if entries else None


def _place(snapshot: bytes) -> str:
    return snapshot.partition(b"\n")[0].decode()


def _after(entry: list[Any]) -> str:
    """Where to go on reading."""
    return f"({entry[0].decode()}"


def _filed(entry: list[Any]) -> JournalEntry:
    place, fields = entry
    offset, number = place.split(b"-")
    return Offset(int(offset)), int(number), _decode(fields[1])
