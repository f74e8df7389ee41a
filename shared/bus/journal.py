"""Journals and snapshots of rooms and of the lobby in the store: loading, saving, reading page by page.

Records are written by `shared.bus.commits`; their types are in `shared.journal_records`.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import Offset, RoomId
from shared.journal_records import JournalEntry, JournalRecord, RecordPlace
from shared.results import Snapshot

_decode = msgspec.json.Decoder(JournalRecord).decode


@dataclass(frozen=True, slots=True)
class StoredRoom:
    """A room as the store has it."""

    snapshot: bytes | None
    records: tuple[JournalEntry, ...]
    damage: str = ""
    """The reason why it cannot be read; empty if it can."""


async def load(store: Store, rooms: Sequence[tuple[Keys, RoomId]], most: int = 200) -> list[StoredRoom]:
    """Load rooms: the last snapshot of each, and the records after it.

    All rooms are read together, a portion of each at a time: a long journal in one reply would block the connection and
    the event loop, on which the leases are renewed."""
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
    return [tail.stored(snapshot) for tail, snapshot in zip(tails, snapshots, strict=True)]


@dataclass(slots=True)
class _Tail:
    """The records of a room after its snapshot, as far as they have been read."""

    key: str
    begin: str
    records: list[JournalEntry] = field(default_factory=list)
    damage: str = ""

    def read(self, entries: list[list[Any]]) -> None:
        """Add a portion. A record that cannot be decoded damages its own room, not those that are loaded with it."""
        if not entries:
            return
        self.begin = _after(entries[-1])
        try:
            self.records += [_journal_entry(entry) for entry in entries]
        except (msgspec.MsgspecError, ValueError) as error:
            self.damage = f"its journal cannot be read: {error}"

    def stored(self, snapshot: bytes | None) -> StoredRoom:
        if self.damage:
            return StoredRoom(None, (), self.damage)
        return StoredRoom(None if snapshot is None else snapshot.partition(b"\n")[2], tuple(self.records))


def saving(partition: Keys, room: RoomId, snapshot: Snapshot, most_deleted: int) -> list[RedisCommand]:
    """The commands that save a snapshot and do the cleaning up that it permits. The first line of the stored snapshot
    names the record that it was taken after, so that loading knows where to read on.

    Deletions follow behind the snapshot: a record must not go before the snapshot that covers it is there."""
    key, offset, covered = partition.journal(room), snapshot.offset, snapshot.covered
    head = b"%d-%d\n" % (offset, snapshot.number)
    writes: list[RedisCommand] = [("SET", partition.snapshot(room), head + snapshot.body)]
    for at in range(0, len(covered), most_deleted):
        places = (f"{of}-{number}" for of, number in covered[at : at + most_deleted])
        writes.append(("XDEL", key, *places))
    if snapshot.covers_journal:
        writes.append(("XTRIM", key, "MINID", "~", f"{offset}-0"))
    if snapshot.expire_ms:
        room_keys = (key, partition.updates(room), partition.snapshot(room))
        writes += [("PEXPIRE", each, snapshot.expire_ms) for each in room_keys]
    return writes


async def portions(
    store: Store, partition: Keys, room: RoomId, after: RecordPlace | None = None, most: int = 200
) -> AsyncIterator[list[JournalEntry]]:
    """The records of a room after a place, oldest first, in portions: a journal has no limit, and other callers share
    the connection."""
    begin = "-" if after is None else f"({after[0]}-{after[1]}"
    while entries := await store.call("XRANGE", partition.journal(room), begin, "+", "COUNT", most):
        yield [_journal_entry(entry) for entry in entries]
        if len(entries) < most:
            return
        begin = _after(entries[-1])


async def at(store: Store, partition: Keys, room: RoomId, place: RecordPlace) -> JournalRecord | None:
    """The record at a place; None if there is none."""
    entry_id = f"{place[0]}-{place[1]}"
    entries = await store.call("XRANGE", partition.journal(room), entry_id, entry_id)
    return _journal_entry(entries[0])[2] if entries else None


def _place(snapshot: bytes) -> str:
    return snapshot.partition(b"\n")[0].decode()


def _after(entry: list[Any]) -> str:
    """The beginning of the next range."""
    return f"({entry[0].decode()}"


def _journal_entry(entry: list[Any]) -> JournalEntry:
    place, fields = entry
    offset, number = place.split(b"-")
    return Offset(int(offset)), int(number), _decode(fields[1])
