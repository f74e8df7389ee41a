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
from shared.ids import CommitNumber, Epoch, RoomId
from shared.journal_records import JournalEntry, JournalRecord, LoggedRecord, RecordPlace
from shared.results import FiledRecord

log = logging.getLogger("tavolata.log")

_ENTRIES_AT_ONCE = 100
_UNWRITTEN_SHARE = 3 / 4


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
class UnwrittenRooms:
    """The end of each room's history in a partition: the part that is in the logs alone. And the size of the logs."""

    rooms: dict[RoomId, list[FiledRecord]] = field(default_factory=dict)
    """Those that a new owner has read from the logs have either a record or a step."""
    since: dict[RoomId, CommitNumber] = field(default_factory=dict)
    """The first commit with a part of each room's, in this order."""
    _sizes: deque[tuple[CommitNumber, int]] = field(default_factory=deque)
    """The size of each entry of the logs that cannot be trimmed yet."""
    size: int = 0

    def of(self, room: RoomId, commit: CommitNumber) -> list[FiledRecord]:
        """The unwritten part of a room, to which this commit adds something."""
        filed = self.rooms.get(room)
        if filed is None:
            filed = self.rooms[room] = []
            self.since[room] = commit
        return filed

    def written(self, room: RoomId) -> list[FiledRecord]:
        """Take out the part of a room that is being written."""
        self.since.pop(room, None)
        return self.rooms.pop(room, [])

    def records(self, room: RoomId) -> tuple[JournalEntry, ...]:
        return tuple(journal_entry(decode_logged(filed.body)) for filed in self.rooms.get(room, ()) if filed.body)

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
        return [room for room, _ in takewhile(lambda one: one[1] <= last, self.since.items())]

    def first(self, commit: CommitNumber) -> CommitNumber:
        """The first commit whose entries are still needed; `commit` is the last one."""
        return next(iter(self.since.values()), commit)

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
            rooms.of(_decode_head(record).room, commit).append(FiledRecord(bytes(record)))
        for room, step in logged_steps(its_steps):
            rooms.of(room, commit).append(FiledRecord(kept=bytes(step)))
        for room in logged.written:
            rooms.written(room)
        rooms.added(commit, len(body) + len(its_steps))
    return rooms


def portion(bodies: Sequence[bytes]) -> bytes:
    """Records or steps as one entry of a room's own stream."""
    return b"[%b]" % b",".join(bodies)


def adding(key: str, last: RecordPlace, bodies: Sequence[bytes]) -> RedisCommand:
    """The command that writes a portion. Its id is the place of its last record or step, so that a range from a place
    on begins with the portion that has it."""
    return ("XADD", key, f"{last[0]}-{last[1]}", FIELD, portion(bodies))
