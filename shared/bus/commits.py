"""Commits: the only code that turns results of rooms into writes and messages, and the call of the fenced script.

Everything that a batch of commands came to in one partition is written by one script call, if the writer still owns
the partition.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec

from shared.bus import (
    attendance,
    audit,
    command_streams,
    deadlines,
    directory,
    journal,
    parked_commands,
    partition_log,
    quarantine,
    unfinished_rooms,
    updates,
    visibility,
)
from shared.bus.directory import ListingChange
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.partition_log import UnwrittenRooms
from shared.bus.scripts import script
from shared.bus.store import Argument, Publication, RedisCommand, Store, StoreError
from shared.deliveries import Reply, encode_around_steps
from shared.ids import CommitNumber, GameVersion, GatewayId, RoomId
from shared.journal_records import RecordPlace
from shared.results import FiledRecord, OtherChanges, Result
from shared.room_views import Listing

log = logging.getLogger("tavolata.commits")

_encode = msgspec.json.Encoder().encode
_NONE: frozenset[RecordPlace] = frozenset()
_body, _kept = attrgetter("body"), attrgetter("kept")

_MOST_WRITES = 1_000
"""Writes in one call of the script: the store serves no other client meanwhile."""
_LOG_WRITES = 3
_WAIT_MS = 1_000


class CommitOutcome(StrEnum):
    """The script's answer for one partition, unless it is the text of an error."""

    OK = "OK"
    DONE = "DONE"
    """This very batch was written before: the answer to an earlier call was lost."""
    FENCED = "FENCED"
    """The writer does not own the partition any more, or its cursor is not the stored one."""
    FULL = "FULL"
    """The store has no memory left. Nothing was written, and the same commit may be sent again."""


COMMITTED = frozenset((CommitOutcome.OK, CommitOutcome.DONE))
"""The outcomes after which the batch is in the store."""

AnyOutcome: TypeAlias = CommitOutcome | str
"""An outcome, or the error with which the store refused the commit."""


class Commit(msgspec.Struct, frozen=True):
    """The writes and messages of one partition, and its cursor before and after them."""

    partition: Keys
    lease: Lease
    before: str
    after: str
    writes: Sequence[RedisCommand]
    """Commands whose second word is their key."""
    messages: Sequence[Publication] = ()
    number: CommitNumber = CommitNumber(1)
    records: bytes = b""
    """The entry of the log of records; empty: none."""
    steps: bytes = b""
    """The entry of the log of updates; empty: none."""
    numbers: Mapping[GatewayId, int] = {}
    """The number of the last delivery to each gateway, once this is committed."""
    commands: int = 0
    """The number of commands that were handled."""
    filed: Sequence[FiledRecord] = ()
    """The steps and other records."""
    refusals: Sequence[str] = ()
    """The codes of the commands that were refused."""
    changes: Sequence[OtherChanges] = ()
    """The changes besides records and replies."""
    deliveries: Sequence[tuple[str, bytes, bytes]] = ()
    """Messages of which this commit's steps, as they are logged, are a part: the channel, and what comes before and
    behind them. All gateways often receive the same steps, which are sent to the store once then."""

    @property
    def publications(self) -> list[Publication]:
        """All messages in full."""
        return [*self.messages, *((channel, head + self.steps + tail) for channel, head, tail in self.deliveries)]


def encode(
    results: Sequence[Result],
    partition: Keys,
    lease: Lease,
    before: str,
    after: str,
    *,
    number: CommitNumber,
    unwritten: UnwrittenRooms,
    unfinished: dict[GameVersion, int],
    numbers: Mapping[GatewayId, int],
    updates_kept: int,
    log_bytes: int,
    trim: bool = False,
) -> Commit:
    """The commit of everything that a batch came to. `numbers` are those of the last deliveries to each gateway. The
    history of the rooms is added to `unwritten`, and taken from there where it is written. `unfinished` are the numbers
    of unfinished rooms of each game version, which are changed likewise."""
    batch = _Batch(partition)
    _collect(results, number, unwritten, batch)
    writes, messages = batch.writes, []
    if batch.listings:
        changes = [ListingChange(room, listing) for room, listing in batch.listings.items()]
        writes += directory.storing(partition, changes)
        messages.append(directory.publishing(changes))
    if batch.counted:
        writes += unfinished_rooms.counting(partition, unfinished, _count(batch.counted, unfinished))
    overdue = unwritten.overdue(log_bytes) if unwritten.size > log_bytes else ()
    for room in overdue:
        batch.due.setdefault(room, _NONE)
    written = _write_history(batch, unwritten, updates_kept) if batch.due else []
    if trim or overdue:
        writes.append(command_streams.trimming(partition, before))
        writes += partition_log.trimming(partition, unwritten.first(number))
    filed = batch.filed
    logged = partition_log.encode_commit(list(map(_body, filed)), written)
    steps = partition_log.encode_steps(list(filter(None, map(_kept, filed))))
    if logged:
        unwritten.added(number, len(logged) + len(steps))
    numbers = dict(numbers)
    deliveries = _deliver(batch, lease, numbers, messages)
    return Commit(
        partition,
        lease,
        before,
        after,
        writes,
        messages,
        number,
        logged,
        steps,
        numbers,
        len(results),
        filed,
        batch.refusals,
        batch.changes,
        deliveries,
    )


def _write_history(batch: "_Batch", unwritten: UnwrittenRooms, updates_kept: int) -> list[RoomId]:
    """Add the writes of the rooms whose history is due; returns these rooms."""
    due = {room: covered for room, covered in batch.due.items() if room in unwritten.rooms}
    # Before the other writes: those of a room that is over let the streams expire that are made here.
    batch.writes[:0] = _portions(batch.partition, unwritten, due, updates_kept)
    return list(due)


def _deliver(
    batch: "_Batch", lease: Lease, numbers: dict[GatewayId, int], messages: list[Publication]
) -> list[tuple[str, bytes, bytes]]:
    """The deliveries to gateways of which the logged steps are a part; the others are added to `messages`. Each raises
    the number of the last delivery to its gateway."""
    partition, replies_to = batch.partition, batch.replies_to
    deliveries: list[tuple[str, bytes, bytes]] = []
    common = _common_receivers(batch.filed)
    steps_to = _steps_by_gateway(batch.filed) if common is None else dict.fromkeys(common, b"")
    for gateway in steps_to | replies_to if replies_to else steps_to:
        numbers[gateway] = delivery = numbers.get(gateway, 0) + 1
        replies = replies_to.get(gateway, ())
        head, tail = encode_around_steps(partition.partition, lease.epoch, delivery, replies)
        if common is not None and gateway in common:
            deliveries.append((partition.out(gateway), head, tail))
        else:
            messages.append((partition.out(gateway), head + steps_to.get(gateway, b"[]") + tail))
    return deliveries


def _count(counted: Sequence[OtherChanges], unfinished: dict[GameVersion, int]) -> set[GameVersion]:
    """Count the rooms that were opened or are over; the game versions whose numbers have changed. A game version that
    is only wanted is there with the number 0, until the commands that wanted it were handled."""
    changed: set[GameVersion] = set()
    for changes in counted:
        if changes.wanted and changes.wanted not in unfinished:
            unfinished[changes.wanted] = 0
            changed.add(changes.wanted)
        for game, by in ((changes.opened, 1), (changes.ended, -1)):
            if game:
                unfinished[game] = unfinished.get(game, 0) + by
                changed.add(game)
                if unfinished[game] <= 0:
                    del unfinished[game]
        for game in changes.unwanted:
            if unfinished.get(game) == 0:
                del unfinished[game]
                changed.add(game)
    return changed


class _Batch(msgspec.Struct, gc=False):
    """The parts of a commit, collected from results."""

    partition: Keys
    filed: list[FiledRecord] = []
    writes: list[RedisCommand] = []
    replies_to: dict[GatewayId, list[Reply]] = {}
    refusals: list[str] = []
    changes: list[OtherChanges] = []
    listings: dict[RoomId, Listing | None] = {}
    counted: list[OtherChanges] = []
    """The changes that may change the numbers of unfinished rooms."""
    due: dict[RoomId, frozenset[RecordPlace]] = {}
    """The rooms whose history has to be written, and the records that are left out of it."""


def _collect(results: Sequence[Result], number: CommitNumber, unwritten: UnwrittenRooms, batch: _Batch) -> None:
    filed, rooms = batch.filed, unwritten.rooms
    for result in results:
        records = result.records
        if records:
            filed += records
            history = rooms.get(result.room)
            if history is None:
                history = unwritten.of(result.room, number)
            history += records
        if result.others is not None:
            batch.changes.append(result.others)
            _collect_others(result.room, result.others, batch)
        reply = result.reply
        if reply is not None:
            batch.replies_to.setdefault(result.reply_to, []).append(reply)
            if reply.code:
                batch.refusals.append(reply.code)


def _common_receivers(filed: Sequence[FiledRecord]) -> tuple[GatewayId, ...] | None:
    """The gateways that receive all steps as they are logged; None if some step has other receivers, or views."""
    receivers: tuple[GatewayId, ...] | None = None
    for one in filed:
        if one.gateways is not receivers:
            if not one.step:
                continue
            if receivers is not None and one.gateways != receivers:
                return None
            receivers = one.gateways
        if one.step is not one.kept:
            return None
    return receivers or ()


def _steps_by_gateway(filed: Sequence[FiledRecord]) -> dict[GatewayId, bytes]:
    steps_to: defaultdict[GatewayId, list[bytes]] = defaultdict(list)
    for one in filed:
        for gateway in one.gateways:
            steps_to[gateway].append(one.step)
    return {gateway: partition_log.encode_steps(steps) for gateway, steps in steps_to.items()}


def _collect_others(room: RoomId, changes: OtherChanges, batch: _Batch) -> None:
    """Collect the writes of a result besides its records."""
    partition, due, writes = batch.partition, batch.due, batch.writes
    writes += [deadlines.changing(partition, one, started=started) for one, started in changes.deadlines]
    if changes.snapshot is not None:
        due[room] = due.get(room, _NONE) | set(changes.snapshot.covered)
        writes += journal.saving(partition, room, changes.snapshot)
    if changes.write_history or changes.expires_ms:
        # The history of a room that is over is written at once: streams that are made later would not expire.
        due.setdefault(room, _NONE)
    if changes.trim_updates:
        writes.append(updates.trimming_before(partition, room, changes.trim_updates))
    if changes.expires_ms:  # behind the snapshot: setting a key makes it permanent
        writes += journal.expiring(partition, room, changes.expires_ms)
    if changes.gateway_removed:
        writes.append(attendance.removing(partition, room, changes.gateway_removed))
    if changes.gateway_added:
        writes += attendance.adding(partition, room, changes.gateway_added)
    writes += _of_rooms_aside(room, changes, partition)
    if changes.listing is not msgspec.UNSET:
        batch.listings[room] = changes.listing
    if changes.listing is not msgspec.UNSET or changes.wanted or changes.unwanted:
        batch.counted.append(changes)


def _of_rooms_aside(room: RoomId, changes: OtherChanges, partition: Keys) -> list[RedisCommand]:
    """The writes about rooms that are set aside, or wait for another owner, and about acts of operators."""
    writes: list[RedisCommand] = []
    if changes.freed:
        writes.append(quarantine.freeing(partition, room))
    if changes.quarantine:
        writes.append(quarantine.marking(partition, room, changes.quarantine))
    if changes.audit is not None:
        writes.append(audit.adding(partition, changes.audit))
    if changes.parked is not None:
        writes.append(parked_commands.parking(partition, *changes.parked))
    if changes.unparked:
        writes.append(parked_commands.removing(partition, changes.unparked))
    return writes


def _portions(
    partition: Keys, unwritten: UnwrittenRooms, due: Mapping[RoomId, frozenset[RecordPlace]], updates_kept: int
) -> list[RedisCommand]:
    """The writes of rooms' own streams."""
    writes: list[RedisCommand] = []
    for room, covered in due.items():
        filed = unwritten.written(room)
        writes += journal.writing(partition, room, [one.body for one in filed if one.body], covered)
        writes += updates.writing(partition, room, [one.kept for one in filed if one.kept], updates_kept)
    return writes


def committing(commits: Sequence[Commit], *, publish: bool = True) -> RedisCommand:
    """The command that commits partitions, each independently of the others. All keys that it touches are declared."""
    touched: list[str] = []
    words: list[Argument] = []
    for one in commits:
        partition, lease = one.partition, one.lease
        messages: list[Argument] = []
        if publish:
            for channel, items in one.messages:
                messages += (channel, items, "")
            for delivery in one.deliveries:
                messages += delivery
        touched += (partition.owner, partition.journal_log, partition.updates_log)
        words += (lease.token, one.before, one.after, one.number, lease.epoch, one.records, one.steps)
        words += (len(one.writes), len(messages))
        for name, key, *others in one.writes:
            touched.append(str(key))
            words += (len(others) + 1, name, *others)
        words += messages
    return script("commit", touched, words)


async def commit(store: Store, commits: Sequence[Commit], replicas: int = 0) -> list[AnyOutcome]:
    """Commit partitions, each independently of the others; the outcome of each.

    With `replicas`, the commits are visible, and their messages published, only after that many replicas have the
    writes: a client must not see a step that a failover could still undo. A commit that too few replicas have in time
    is written and stays invisible; the next owner of the partition makes it visible."""
    calls = [commits[at : at + 1] for at in range(len(commits))] if store.sharded else list(_calls(commits))
    if replicas:
        replies = await store.pipe_replicated([committing(some, publish=False) for some in calls], replicas, _WAIT_MS)
    else:
        replies = await store.pipe([committing(some) for some in calls], errors=True)
    outcomes: list[AnyOutcome] = []
    for some, reply in zip(calls, replies, strict=True):
        refused = isinstance(reply, StoreError)
        outcomes += [_refused(str(reply))] * len(some) if refused else [_outcome(one) for one in reply]
    return await _revealed(store, commits, outcomes) if replicas else outcomes


async def _revealed(store: Store, commits: Sequence[Commit], outcomes: list[AnyOutcome]) -> list[AnyOutcome]:
    """Make commits visible that are on enough replicas. If that fails, their messages may be lost, and their partitions
    must be taken anew: that makes everything visible and makes gateways read what they have missed."""
    written = [at for at, outcome in enumerate(outcomes) if outcome in COMMITTED]
    if not written:
        return outcomes
    shown = [(one.partition, one.lease.token, one.number, one.publications) for one in (commits[at] for at in written)]
    calls = [[one] for one in shown] if store.sharded else [shown]
    replies = await store.pipe([visibility.revealing_all(some) for some in calls], errors=True)
    results: list[Any] = []
    for some, reply in zip(calls, replies, strict=True):
        results += [reply] * len(some) if isinstance(reply, StoreError) else reply
    for at, result in zip(written, results, strict=True):
        if isinstance(result, StoreError):
            outcomes[at] = str(result)
        elif not result:
            outcomes[at] = CommitOutcome.FENCED
    return outcomes


def _refused(error: str) -> AnyOutcome:
    """The outcome if the store has refused the whole call. A script that may not exceed the memory limit is refused
    before it begins; once it has begun, all its writes are carried out."""
    return CommitOutcome.FULL if error.startswith("OOM") else error


def _outcome(reply: bytes) -> AnyOutcome:
    return _OUTCOMES.get(reply) or reply.decode()


_OUTCOMES = {outcome.encode(): outcome for outcome in CommitOutcome}


def _calls(commits: Sequence[Commit]) -> Iterator[Sequence[Commit]]:
    """The commits in groups that do not block the store for long."""
    begin = writes = 0
    for at, one in enumerate(commits):
        count = len(one.writes) + _LOG_WRITES
        if writes and writes + count > _MOST_WRITES:
            yield commits[begin:at]
            begin, writes = at, 0
        writes += count
    if commits:
        yield commits[begin:]
