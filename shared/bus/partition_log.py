"""The logs of a partition: one entry for each commit, until the rooms' own streams have what is in it.

A commit adds the records of all its rooms as one entry to one stream, and their steps as receivers may see them to
another, which gateways read. A room's own history is written now and then, many records as one portion
(docs/decisions/0015). Until then the owner keeps the records in memory as well; a new owner reads them from the logs.
"""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import msgspec

from shared.bus.keys import FIELD, Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import CommitNumber, Epoch, Offset, RoomId
from shared.journal_records import JournalEntry, JournalRecord, RecordPlace

PORTION_BYTES = 64 * 1024
"""Size of a room's unwritten history from which on it is written."""
log = logging.getLogger("tavolata.log")

_ENTRIES_AT_ONCE = 100
_UNWRITTEN_SHARE = 3 / 4


class LoggedRecord(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A record with its room and place, as logs and journals hold it."""

    room: RoomId
    offset: Offset
    number: int
    record: msgspec.Raw

    @property
    def place(self) -> RecordPlace:
        return self.offset, self.number


class _Head(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The part of a `LoggedRecord` or a `StepMessage` that names its room."""

    room: RoomId


class LoggedCommit(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An entry of the log of records."""

    records: tuple[msgspec.Raw, ...]
    """Each one a `LoggedRecord`."""
    written: tuple[RoomId, ...] = ()
    """Rooms whose history up to and including this commit was written by this commit."""


decode_logged = msgspec.json.Decoder(LoggedRecord).decode
_decode_record = msgspec.json.Decoder(JournalRecord).decode
_decode_commit = msgspec.json.Decoder(LoggedCommit).decode
_decode_steps = msgspec.json.Decoder(tuple[msgspec.Raw, ...]).decode
_decode_head = msgspec.json.Decoder(_Head).decode


def journal_entry(logged: LoggedRecord) -> JournalEntry:
    """A record as rooms replay it."""
    return logged.offset, logged.number, _decode_record(logged.record)


def encode_commit(records: Sequence[bytes], written: Sequence[RoomId]) -> bytes:
    """An entry of the log of records; empty if the commit has none."""
    if not written:
        return b"[[" + b",".join(records) + b"],[]]" if records else b""
    return b"[[%b],[%b]]" % (b",".join(records), b",".join(b"%d" % room for room in written))


def encode_steps(steps: Sequence[bytes]) -> bytes:
    """An entry of the log of updates; empty if the commit has none."""
    return b"[" + b",".join(steps) + b"]" if steps else b""


@dataclass(slots=True)
class UnwrittenRoom:
    """The end of a room's history: the part that the room's own streams do not have."""

    since: CommitNumber
    """The first commit with a part of it."""
    records: list[bytes] = field(default_factory=list)
    steps: list[bytes] = field(default_factory=list)
    size: int = 0
    """The size of the steps."""


@dataclass(slots=True)
class UnwrittenRooms:
    """The rooms of a partition whose history is in the logs alone, and the size of the logs."""

    rooms: dict[RoomId, UnwrittenRoom] = field(default_factory=dict)
    """In the order of their first unwritten commits."""
    _sizes: deque[tuple[CommitNumber, int]] = field(default_factory=deque)
    """The size of each entry of the logs that cannot be trimmed yet."""
    size: int = 0

    def of(self, room: RoomId, commit: CommitNumber) -> UnwrittenRoom:
        """The unwritten part of a room, to which this commit adds something."""
        unwritten = self.rooms.get(room)
        if unwritten is None:
            unwritten = self.rooms[room] = UnwrittenRoom(commit)
        return unwritten

    def records(self, room: RoomId) -> tuple[JournalEntry, ...]:
        unwritten = self.rooms.get(room)
        return () if unwritten is None else tuple(journal_entry(decode_logged(body)) for body in unwritten.records)

    def added(self, commit: CommitNumber, size: int) -> None:
        """Note the size of the entries of a commit."""
        self._sizes.append((commit, size))
        self.size += size

    def overdue(self, most: int) -> list[RoomId]:
        """The rooms that have to be written so that the logs can be trimmed, if these have more than `most` bytes:
        those that wait longest. A room that rests would otherwise keep all entries behind its last step.

        The limit bounds what a new owner has to read. A higher one makes fuller portions where many rooms play."""
        if self.size > most:
            self._forget_entries()
        if self.size <= most:
            return []
        excess, last = self.size - most * _UNWRITTEN_SHARE, CommitNumber(0)
        for commit, size in self._sizes:
            if excess <= 0:
                break
            excess, last = excess - size, commit
        return [room for room, unwritten in takewhile(lambda one: one[1].since <= last, self.rooms.items())]

    def first(self, commit: CommitNumber) -> CommitNumber:
        """The first commit whose entries are still needed; `commit` is the last one."""
        for unwritten in self.rooms.values():
            return unwritten.since
        return commit

    def _forget_entries(self) -> None:
        """Forget the sizes of entries that no room needs any more."""
        first = self.first(self._sizes[-1][0])
        while self._sizes and self._sizes[0][0] < first:
            self.size -= self._sizes.popleft()[1]


def trimming(partition: Keys, first: CommitNumber) -> tuple[RedisCommand, RedisCommand]:
    """The commands that drop the entries before a commit, or most of them."""
    return (
        ("XTRIM", partition.journal_log, "MINID", "~", f"{first}-0"),
        ("XTRIM", partition.updates_log, "MINID", "~", f"{first}-0"),
    )


def entry_id(commit: CommitNumber, epoch: Epoch) -> str:
    """The id of a commit's entries. A commit that a store has lost and the next one of the same number have different
    epochs."""
    return f"{commit}-{epoch}"


async def read(store: Store, logs: Sequence[tuple[str, str]]) -> list[list[tuple[bytes, bytes]]]:
    """The entries (id and body) of several logs, each from an id on. All logs are read together, some entries of each
    at a time: a long reply would block the connection and the event loop."""
    found: list[list[tuple[bytes, bytes]]] = [[] for _ in logs]
    waiting = [(at, key, begin) for at, (key, begin) in enumerate(logs)]
    while waiting:
        replies = await store.pipe(
            [("XRANGE", key, begin, "+", "COUNT", _ENTRIES_AT_ONCE) for _, key, begin in waiting]
        )
        unfinished = []
        for (at, key, _), entries in zip(waiting, replies, strict=True):
            found[at] += [_entry(entry) for entry in entries]
            if len(entries) == _ENTRIES_AT_ONCE:
                unfinished.append((at, key, f"({entries[-1][0].decode()}"))
        waiting = unfinished
    return found


def _entry(entry: list[Any]) -> tuple[bytes, bytes]:
    return entry[0], entry[1][1]


def logged_records(body: bytes) -> Iterator[tuple[RoomId, msgspec.Raw]]:
    """The records of an entry of the log of records, each with its room."""
    for record in _decode_commit(body).records:
        yield _decode_head(record).room, record


def logged_steps(body: bytes) -> Iterator[tuple[RoomId, msgspec.Raw]]:
    """The steps of an entry of the log of updates, each with its room."""
    for step in _decode_steps(body):
        yield _decode_head(step).room, step


async def unwritten(store: Store, partitions: Sequence[Keys]) -> list[UnwrittenRooms]:
    """The history of rooms that is in the logs alone, for the new owner of these partitions."""
    logs = [(key, "-") for partition in partitions for key in (partition.journal_log, partition.updates_log)]
    entries = await read(store, logs)
    return [_replayed(entries[at], dict(entries[at + 1])) for at in range(0, len(entries), 2)]


def _replayed(records: Sequence[tuple[bytes, bytes]], steps: dict[bytes, bytes]) -> UnwrittenRooms:
    rooms = UnwrittenRooms()
    for name, body in records:
        commit, its_steps = CommitNumber(int(name.partition(b"-")[0])), steps.get(name, b"[]")
        try:
            logged = _decode_commit(body)
        except msgspec.MsgspecError:  # its rooms have a hole now; each is quarantined when it is loaded
            log.exception("log entry %s cannot be decoded and is skipped", name.decode())
            continue
        for record in logged.records:
            rooms.of(_decode_head(record).room, commit).records.append(bytes(record))
        for room, step in logged_steps(its_steps):
            unwritten = rooms.of(room, commit)
            unwritten.steps.append(bytes(step))
            unwritten.size += len(step)
        for room in logged.written:
            rooms.rooms.pop(room, None)
        rooms.added(commit, len(body) + len(its_steps))
    return rooms


def portion(bodies: Sequence[bytes]) -> bytes:
    """Records or steps as one entry of a room's own stream."""
    return b"[%b]" % b",".join(bodies)


def adding(key: str, last: RecordPlace, bodies: Sequence[bytes]) -> RedisCommand:
    """The command that writes a portion. Its id is the place of its last record or step, so that a range from a place
    on begins with the portion that has it."""
    return ("XADD", key, f"{last[0]}-{last[1]}", FIELD, portion(bodies))
