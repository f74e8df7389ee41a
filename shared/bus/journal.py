"""Journals and snapshots of rooms and of the lobby in the store: loading, saving, reading portion by portion.

A room's journal is a stream of portions; the end of it is in the partition's log (`shared.bus.partition_log`). The
types of the records are in `shared.journal_records`.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shared.bus import partition_log
from shared.bus.keys import Keys
from shared.bus.partition_log import decode_logged
from shared.bus.store import RedisCommand, Store
from shared.ids import Offset, RoomId
from shared.journal_records import JournalEntry, JournalRecord, LoggedRecord, RecordPlace
from shared.results import Snapshot

_decode_portion = msgspec.json.Decoder(tuple[msgspec.Raw, ...]).decode
_PORTIONS_AT_ONCE = 8
_SCANNED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """A room as the store has it."""

    snapshot: bytes | None
    records: tuple[JournalEntry, ...]
    damage: str = ""
    """The reason why it cannot be read; empty if it can."""


async def load(store: Store, rooms: Sequence[tuple[Keys, RoomId]], most: int = _PORTIONS_AT_ONCE) -> list[StoredRoom]:
    """Load rooms: the last snapshot of each, and the records after it that its own journal has.

    All rooms are read together, some portions of each at a time: a long journal in one reply would block the connection
    and the event loop, on which the leases are renewed."""
    snapshots = await store.pipe([("GET", partition.snapshot(room)) for partition, room in rooms])
    tails = [
        _Tail(partition.journal(room), (Offset(0), 0) if snapshot is None else _place(snapshot))
        for (partition, room), snapshot in zip(rooms, snapshots, strict=True)
    ]
    waiting = tails
    while waiting:
        replies = await store.pipe([("XRANGE", tail.key, tail.begin, "+", "COUNT", most) for tail in waiting])
        for tail, entries in zip(waiting, replies, strict=True):
            tail.read(entries)
        waiting = [tail for tail, entries in zip(waiting, replies, strict=True) if len(entries) == most]
    return [tail.stored(snapshot) for tail, snapshot in zip(tails, snapshots, strict=True)]


@dataclass(slots=True)
class _Tail:
    """The records of a room after its snapshot, as far as they have been read."""

    key: str
    after: RecordPlace
    begin: str = ""
    records: list[JournalEntry] = field(default_factory=list)
    damage: str = ""

    def __post_init__(self) -> None:
        self.begin = _behind(self.after)

    def read(self, entries: list[list[Any]]) -> None:
        """Add portions. A record that cannot be decoded damages its own room, not those that are loaded with it."""
        if not entries:
            return
        self.begin = f"({entries[-1][0].decode()}"
        try:
            for entry in entries:
                self.records += _records_after(entry, self.after)
        except (msgspec.MsgspecError, ValueError) as error:
            self.damage = f"its journal cannot be read: {error}"

    def stored(self, snapshot: bytes | None) -> StoredRoom:
        if self.damage:
            return StoredRoom(None, (), self.damage)
        return StoredRoom(None if snapshot is None else snapshot.partition(b"\n")[2], tuple(self.records))


def writing(
    partition: Keys, room: RoomId, records: Sequence[bytes], covered: Collection[RecordPlace]
) -> list[RedisCommand]:
    """The command that writes records to a room's journal as one portion, without those that a snapshot covers and that
    need not be kept."""
    if not records:
        return []
    last = decode_logged(records[-1]).place
    if covered:
        records = [record for record in records if decode_logged(record).place not in covered]
    return [partition_log.adding(partition.journal(room), last, records)]


def saving(partition: Keys, room: RoomId, snapshot: Snapshot) -> list[RedisCommand]:
    """The commands that save a snapshot and do the cleaning up that it permits. The first line of the stored snapshot
    names the record that it was taken after, so that loading goes on after it."""
    key, offset = partition.journal(room), snapshot.offset
    head = b"%d-%d\n" % (offset, snapshot.number)
    writes: list[RedisCommand] = [("SET", partition.snapshot(room), head + snapshot.body)]
    if snapshot.covers_journal:
        writes.append(("XTRIM", key, "MINID", "~", f"{offset}-0"))
    return writes


def expiring(partition: Keys, room: RoomId, at_ms: int) -> list[RedisCommand]:
    """The commands that let all keys of a room expire at a time. It is an absolute one, so that setting it again with
    every record does not move it."""
    room_keys = (partition.journal(room), partition.updates(room), partition.snapshot(room))
    return [("PEXPIREAT", key, at_ms) for key in room_keys]


async def portions(
    store: Store, partition: Keys, room: RoomId, after: RecordPlace | None = None, most: int = _PORTIONS_AT_ONCE
) -> AsyncIterator[list[JournalEntry]]:
    """The records after a place that a room's own journal has, oldest first, some portions at a time: a journal has no
    limit, and other callers share the connection."""
    place = after or (Offset(0), 0)
    begin = _behind(place)
    while entries := await store.call("XRANGE", partition.journal(room), begin, "+", "COUNT", most):
        yield [record for entry in entries for record in _records_after(entry, place)]
        if len(entries) < most:
            return
        begin = f"({entries[-1][0].decode()}"


async def whole(store: Store, partition: Keys, room: RoomId) -> tuple[StoredRoom, RecordPlace]:
    """A room with all records that its own journal has, and the place of the last record that its snapshot covers."""
    snapshot = await store.call("GET", partition.snapshot(room))
    tail = _Tail(partition.journal(room), (Offset(0), 0))
    while entries := await store.call("XRANGE", tail.key, tail.begin, "+", "COUNT", _PORTIONS_AT_ONCE):
        tail.read(entries)
    return tail.stored(snapshot), (Offset(0), 0) if snapshot is None else _place(snapshot)


async def rooms(store: Store, partition: Keys) -> set[RoomId]:
    """All rooms of a partition that have keys of their own: those that wait or play, and those that are over."""
    found: set[RoomId] = set()
    cursor = b"0"
    while True:
        cursor, keys = await store.call("SCAN", cursor, "MATCH", partition.journals, "COUNT", _SCANNED_AT_ONCE)
        found |= {partition.room_of(key.decode()) for key in keys}
        if cursor == b"0":
            return found


async def at(store: Store, partition: Keys, room: RoomId, place: RecordPlace) -> JournalRecord | None:
    """The record at a place of the room's own journal; None if there is none."""
    entries = await store.call("XRANGE", partition.journal(room), f"{place[0]}-{place[1]}", "+", "COUNT", 1)
    logged = [decode_logged(record) for entry in entries for record in _decode_portion(entry[1][1])]
    found = [partition_log.journal_entry(record)[2] for record in logged if record.place == place]
    return found[0] if found else None


def _records_after(entry: list[Any], place: RecordPlace) -> list[JournalEntry]:
    """The records of a portion that come after a place."""
    logged: list[LoggedRecord] = [decode_logged(record) for record in _decode_portion(entry[1][1])]
    return [partition_log.journal_entry(record) for record in logged if record.place > place]


def _behind(place: RecordPlace) -> str:
    """The beginning of a range that has all records after a place. A portion has the id of its last record."""
    return f"({place[0]}-{place[1]}"


def _place(snapshot: bytes) -> RecordPlace:
    offset, _, number = snapshot.partition(b"\n")[0].partition(b"-")
    return Offset(int(offset)), int(number)
