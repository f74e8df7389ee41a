"""Commits: the only code that turns results of rooms into writes and messages, and the call of the fenced script.

Everything that a batch of commands came to in one partition is written by one script call, if the writer still owns
the partition.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from shared.bus import attendance, command_streams, deadlines, directory, journal, keys, quarantine, updates
from shared.bus.directory import ListingChange
from shared.bus.keys import JOURNAL, UPDATES, Keys
from shared.bus.leases import Lease
from shared.bus.scripts import script
from shared.bus.store import Argument, Publication, RedisCommand, Store, StoreRefused
from shared.deliveries import Reply, encode_delivery
from shared.ids import GatewayId, Offset, RoomId
from shared.results import Result
from shared.room_views import Listing

log = logging.getLogger("tavolata.commits")

_encode = msgspec.json.Encoder().encode

WRITE = b"\n"
"""The entry that stands for the next of the commit's other writes."""
_ENTRY_LINES = 4
_TRIM_UPDATES_EVERY = 32
_MOST_DELETED = 1_000
"""Records deleted by one command: a script cannot call a command of many thousand words."""
_MOST_WRITES = 1_000
"""Writes in one call of the script: the store serves no other client meanwhile."""
_WAIT_MS = 1_000


class CommitOutcome(StrEnum):
    """The script's answer for one partition, unless it is the text of an error."""

    OK = "OK"
    DONE = "DONE"
    """This very batch was written before: the answer to an earlier call was lost."""
    FENCED = "FENCED"
    """The writer does not own the partition any more, or the cursor is not where the writer thinks."""


AnyOutcome: TypeAlias = CommitOutcome | str
"""An outcome, or the error with which the store refused the commit."""


class Commit(msgspec.Struct, frozen=True):
    """The writes and messages of one partition, and its cursor before and after them."""

    partition: Keys
    lease: Lease
    before: str
    after: str
    writes: Sequence[RedisCommand]
    messages: Sequence[Publication] = ()
    entries: Sequence[bytes] = ()
    """Additions to journals and updates, in order. `WRITE` among them stands for the next of `writes`; writes for which
    there is no `WRITE` follow behind the last entry."""
    numbers: Mapping[GatewayId, int] = {}
    """The number of the last delivery to each gateway, once this is committed."""


def encode(
    results: Sequence[Result],
    partition: Keys,
    lease: Lease,
    before: str,
    after: str,
    *,
    numbers: Mapping[GatewayId, int],
    updates_kept: int,
    trim_commands: bool = False,
) -> Commit:
    """The commit of everything that a batch came to. `numbers` are those of the last deliveries to each gateway."""
    entries: list[bytes] = []
    writes: list[RedisCommand] = []
    steps: defaultdict[GatewayId, list[bytes]] = defaultdict(list)
    replies: defaultdict[GatewayId, list[Reply]] = defaultdict(list)
    listings: dict[RoomId, Listing | None] = {}
    for result in results:
        room = result.room
        for filed in result.records:
            message, offset = filed.message, filed.offset
            if message is None:
                entries.append(entry(room, offset, filed.number, _encode(filed.record)))
                continue
            body = _encode(message)
            entries.append(entry(room, offset, 0, _encode(filed.record), body))
            for gateway in filed.gateways:
                steps[gateway].append(body)
            if offset > updates_kept and offset % _TRIM_UPDATES_EVERY == 0:
                entries.append(WRITE)
                writes.append(updates.trimming(partition, room, updates_kept))
        # The other writes of a result stand directly behind its records, before those of the next result. If the store
        # refuses an entry, the script stops there; every room before it then has all that belongs to its steps, such as
        # deadlines. Writes collected behind all entries would be missing for those rooms as well.
        if not result.plain:
            others = _other_writes(result, partition)
            entries += [WRITE] * len(others)
            writes += others
        if result.reply is not None:
            replies[result.reply_to].append(result.reply)
        if result.listing is not msgspec.UNSET:
            listings[room] = result.listing
    messages: list[Publication] = []
    if listings:
        changes = [ListingChange(room, listing) for room, listing in listings.items()]
        writes += directory.storing(partition, changes)
        messages.append(directory.telling(changes))
    if trim_commands:
        writes.append(command_streams.trimming(partition, before))
    numbers = dict(numbers)
    for gateway in steps | replies:
        numbers[gateway] = number = numbers.get(gateway, 0) + 1
        items = encode_delivery(
            partition.partition, lease.epoch, number, steps.get(gateway, ()), replies.get(gateway, ())
        )
        messages.append((keys.out(gateway), items))
    return Commit(partition, lease, before, after, writes, messages, entries, numbers)


def _other_writes(result: Result, partition: Keys) -> list[RedisCommand]:
    """The writes of a result that are not additions to the streams of its room."""
    room = result.room
    writes = [deadlines.changing(partition, due, started=started) for due, started in result.deadlines]
    if result.snapshot is not None:
        writes += journal.saving(partition, room, result.snapshot, _MOST_DELETED)
    if result.gateway_removed:
        writes.append(attendance.removing(partition, room, result.gateway_removed))
    if result.gateway_added:
        writes += attendance.adding(partition, room, result.gateway_added)
    if result.quarantine:
        writes.append(quarantine.marking(partition, room, result.quarantine))
    return writes


def entry(room: RoomId, offset: Offset, number: int, record: bytes, message: bytes = b"") -> bytes:
    """One addition, as the script reads it: room, place, record and step message, a line each. The record goes to the
    room's journal, and the message (unless it is empty) to the room's updates.

    JSON has no raw line breaks within strings; one between two values is insignificant and is removed, because the
    script would take it for the end of a line."""
    lines = b"%d\n%d-%d\n%b\n%b\n" % (room, offset, number, record, message)
    if lines.count(b"\n") == _ENTRY_LINES:
        return lines
    return entry(room, offset, number, _on_one_line(record), _on_one_line(message))


def _on_one_line(body: bytes) -> bytes:
    return msgspec.json.format(body, indent=-1) if body else body


def committing(commits: Sequence[Commit], *, publish: bool = True) -> RedisCommand:
    """The command that commits partitions, each independently of the others."""
    words: list[Argument] = [JOURNAL, UPDATES]
    for one in commits:
        writes: list[Argument] = []
        for write in one.writes:
            writes += (len(write), *write)
        messages = [word for message in one.messages for word in message] if publish else []
        words += (one.lease.token, one.before, one.after, one.partition.rooms, b"".join(one.entries))
        words += (len(writes), len(messages))
        words += writes
        words += messages
    return script("commit", [one.partition.owner for one in commits], words)


async def commit(store: Store, commits: Sequence[Commit], replicas: int = 0) -> list[AnyOutcome]:
    """Commit partitions, each independently of the others; the outcome of each.

    With `replicas`, messages are published only after that many replicas have the writes: a client must not see a step
    that a failover could still undo."""
    calls = list(_calls(commits))
    replies = await store.pipe([committing(some, publish=not replicas) for some in calls], errors=True)
    outcomes: list[AnyOutcome] = []
    for some, reply in zip(calls, replies, strict=True):
        refused = isinstance(reply, StoreRefused)
        outcomes += [str(reply)] * len(some) if refused else [_outcome(one.decode()) for one in reply]
    if replicas:
        written = [one for one, was in zip(commits, outcomes, strict=True) if was == CommitOutcome.OK]
        await _publish_once_replicated(store, replicas, written)
    return outcomes


def _outcome(text: str) -> AnyOutcome:
    return CommitOutcome(text) if text in _OUTCOMES else text


_OUTCOMES = frozenset(CommitOutcome)


def _calls(commits: Sequence[Commit]) -> Iterator[Sequence[Commit]]:
    """The commits in portions that do not block the store for long."""
    begin = writes = 0
    for at, one in enumerate(commits):
        count = len(one.entries) * 2 + len(one.writes)
        if writes and writes + count > _MOST_WRITES:
            yield commits[begin:at]
            begin, writes = at, 0
        writes += count
    if commits:
        yield commits[begin:]


async def _publish_once_replicated(store: Store, replicas: int, commits: Sequence[Commit]) -> None:
    channels: dict[str, list[bytes]] = {}
    for channel, items in (message for one in commits for message in one.messages):
        channels.setdefault(channel, []).append(items)
    if not channels:
        return
    while (known := await store.call("WAIT", replicas, _WAIT_MS)) < replicas:
        log.warning("moves wait for replicas: %d of %d have them", known, replicas)
    await store.pipe([("PUBLISH", channel, b"[" + b",".join(items) + b"]") for channel, items in channels.items()])
