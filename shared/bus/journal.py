"""The journal of a room (or of the lobby): all that happened, secrets included. Workers write it, recovery reads it."""

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
    """Everything that happened in a room after a record, oldest first and a portion at a time: there is no limit to it,
    and others use the connection, too."""
    begin = "-" if after is None else f"({after[0]}-{after[1]}"
    while entries := await store.call("XRANGE", partition.journal(room), begin, "+", "COUNT", most):
        yield [_filed(entry) for entry in entries]
        if len(entries) < most:
            return
        begin = _after(entries[-1])


async def at(store: Store, partition: Keys, room: RoomId, place: RecordPlace) -> JournalRecord | None:
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
