"""The consumer: reads the command streams of the owned partitions, has the commands handled, commits the results."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest

from shared.bus import command_streams, commits, journal, keys, quarantine
from shared.bus.command_streams import CommandReader, StreamEntry
from shared.bus.commits import COMMITTED, AnyOutcome, Commit, CommitOutcome
from shared.bus.keys import Keys
from shared.bus.store import Store, StoreError
from shared.commands import Envelope
from shared.ids import LOBBY, Partition, RoomId, partition_of
from shared.results import Result
from shared.runtime.settings import WorkerSettings
from worker.metrics import WorkerMetrics
from worker.partitions.ownership import Ownership
from worker.partitions.partition import OwnedPartition

log = logging.getLogger("tavolata.consumer")

_BLOCK_MS = 1_000
_MANY_COMMANDS = 16
"""After a round with this many commands more are on their way, and handling them together is cheaper."""
_TURNS_IN_A_LEASE = 30
"""Between two renewals a worker makes several round trips, and each of them can wait for a whole turn. A turn is also
the time for which the rooms of all other partitions wait."""
_ROOMS_AT_ONCE = 16
"""Rooms read in one round trip. Replaying their journals is not interrupted, so few of them must fit into a turn."""
_WITHOUT_LEASE_S = 0.02
_RETRY_S = 0.1
_FULL_S = 0.5


class TurnBudget:
    """Limits how long a turn loads rooms and handles commands before it commits. The watchdog limits a single command;
    many of moderate cost would together keep the worker from renewing its leases. The budget is CPU time of the
    process, so that waiting for the store or for the processor does not count."""

    __slots__ = ("_cpu", "_ends", "_may_end", "_monotonic", "_turn_s")

    def __init__(self, cpu: Callable[[], float], monotonic: Callable[[], float], lease_ms: int) -> None:
        """`cpu` is the CPU time that the process has used so far, in seconds."""
        self._cpu = cpu
        self._monotonic = monotonic
        self._turn_s = lease_ms / 1_000 / _TURNS_IN_A_LEASE
        self._ends = self._may_end = 0.0

    def begin(self) -> None:
        """Begin a turn."""
        self._ends = self._cpu() + self._turn_s
        self._may_end = self._monotonic() + self._turn_s

    def is_spent(self) -> bool:
        # Reading the CPU time takes a system call, more than 1 us. No process uses more of it than time has passed.
        return self._monotonic() >= self._may_end and self._cpu() >= self._ends


@dataclass(slots=True)
class PartitionBatch:
    """The part of a turn that concerns one partition: its entries, which wait with it until they are handled, and what
    they came to."""

    partition: OwnedPartition
    since_ms: int
    """The time of the first entry."""
    results: list[Result] = field(default_factory=list)
    """One for each command."""
    after: str = ""
    """The cursor once the handled entries are committed; empty: none was handled."""
    cold: bool = False
    """Some rooms were not in memory when the turn began."""

    def handle_next(self) -> StreamEntry | None:
        """Handle the next entry. None if none is left, or if rooms of the next one are still to be loaded.

        Nothing keeps a handled entry, so that the memory of its commands is used again at once, while it is in the
        caches of the processor."""
        waiting = self.partition.waiting
        if not waiting or (self.cold and self.partition.missing((waiting[0],))):
            return None
        entry = waiting.popleft()
        self.partition.handle_entry(entry, self.results)
        self.after = entry[0]
        return entry


class Consumer:
    """The main loop of a worker. Each part of a turn is a method of its own."""

    def __init__(
        self,
        reader: CommandReader,
        store: Store,
        ownership: Ownership,
        settings: WorkerSettings,
        metrics: WorkerMetrics,
        cpu: Callable[[], float],
        monotonic: Callable[[], float],
        commit_store: Store | None = None,
    ) -> None:
        """`commit_store` is a connection on which waiting for replicas holds up nothing else."""
        self._reader = reader
        self._store = store
        self._commit_store = commit_store or store
        self._replicas = settings.needed_replicas
        self._ownership = ownership
        self._settings = settings
        self._metrics = metrics
        self._budget = TurnBudget(cpu, monotonic, settings.lease_ms)
        self._first = Partition(0)
        """The partition that the next turn begins with."""
        self.waits_for_space = False
        """The store is full, and results wait to be committed."""
        self._lobby = keys.all_keys(settings.partitions, sharded=store.sharded)[
            partition_of(LOBBY, settings.partitions)
        ]

    async def read(self, block_ms: int | None) -> list[PartitionBatch]:
        """The new entries of the owned partitions. A partition with entries that the last turn did not get to is not
        read: those come first."""
        owned = dict(self._ownership.partitions)
        cursors = {number: (one.keys, one.cursor) for number, one in owned.items() if not one.waiting}
        if cursors:
            if len(cursors) < len(owned):
                block_ms = None
            # The limit is for all partitions together: decoding the entries is part of no turn.
            count = max(1, self._settings.batch // len(owned))
            found = await self._reader.read(cursors, count, block_ms)
            for number, entries in found.items():
                owned[number].waiting = deque(entries)
        ready = [one for one in owned.values() if one.waiting and self._owns(one)]
        ready.sort(key=lambda one: (one.partition - self._first) % self._settings.partitions)
        return [PartitionBatch(one, one.time_of(one.waiting[0][0])) for one in ready]

    def _owns(self, partition: OwnedPartition) -> bool:
        """Whether this is still the same ownership. A partition that was lost and taken again during the read may have
        another cursor, so that these entries may have been handled by another worker."""
        return self._ownership.partitions.get(partition.partition) is partition

    async def load(self, batches: list[PartitionBatch]) -> None:
        """Load the rooms that the commands are for, a few at a time, until a budget is used up. No command of the
        turn has been handled yet: a room whose last steps are not committed must not be loaded."""
        self._budget.begin()
        wanted: list[list[tuple[OwnedPartition, RoomId]]] = []
        for batch in batches:
            missing = batch.partition.missing(batch.partition.waiting)
            if missing:
                batch.cold = True
                wanted.append([(batch.partition, room) for room in missing])
        if not wanted:
            return
        in_turns = [place for places in zip_longest(*wanted) for place in places if place is not None]
        for at in range(0, len(in_turns), _ROOMS_AT_ONCE):
            await self._load_together(in_turns[at : at + _ROOMS_AT_ONCE])
            if self._budget.is_spent():
                break

    async def _load_together(self, wanted: list[tuple[OwnedPartition, RoomId]]) -> None:
        stored = await journal.load(self._store, [(partition.keys, room) for partition, room in wanted])
        failed: list[tuple[Keys, RoomId, str]] = []
        for (partition, room), found in zip(wanted, stored, strict=True):
            if reason := partition.load(room, found):
                failed.append((partition.keys, room, reason))
        await quarantine.mark(self._store, failed)

    def handle(self, batches: list[PartitionBatch]) -> list[PartitionBatch]:
        """Handle the commands until a budget is used up; the batches that have results. The partitions take turns,
        entry by entry, so that expensive commands of one do not keep the others waiting. At least one entry is handled
        if the rooms of one are loaded. The rest stays with its partition for the next turn, which begins with the
        partition that is next in line."""
        watchdog, budget = self._ownership.watchdog, self._budget
        watchdog.overtime = False
        budget.begin()  # anew: a turn that has loaded rooms must also get commands done
        in_line, logs = deque(batches), log.isEnabledFor(logging.DEBUG)
        while in_line:
            batch = in_line.popleft()
            entry = batch.handle_next()
            if entry is None:
                continue
            in_line.append(batch)
            if logs:
                _log_commands(entry)
            if watchdog.overtime or budget.is_spent():
                self._first = in_line[0].partition.partition
                break
        return [batch for batch in batches if batch.after]

    async def commit(self, batches: list[PartitionBatch]) -> None:
        """Commit the results; clients see them only now. A partition whose commit is refused or uncertain is dropped:
        our memory of its rooms is ahead of the store, or may be."""
        encoded = [batch.partition.encode(batch.results, batch.after) for batch in batches]
        outcomes = await self._commit(encoded)
        notices: list[Envelope] = []
        done: list[Commit] = []
        now_ms = oldest_ms = self._ownership.now_ms()
        for batch, commit, outcome in zip(batches, encoded, outcomes, strict=True):
            if outcome not in COMMITTED:
                log.warning("partition %s is dropped and has to be taken anew: %s", batch.partition.partition, outcome)
                self._ownership.drop(batch.partition)
                self._metrics.commit_failed(outcome)
                continue
            batch.partition.committed(commit)
            done.append(commit)
            for changes in commit.changes:
                self._ownership.deadlines.follow(batch.partition.partition, changes.deadlines)
                notices += changes.notices
            oldest_ms = min(oldest_ms, batch.since_ms)
        if done:
            self._metrics.committed(done)
        self._metrics.lagged(now_ms - oldest_ms)
        if notices:
            await self._notify_lobby(notices)

    async def _commit(self, encoded: list[Commit]) -> list[AnyOutcome]:
        """Commit, and wait while the store is full: nothing was written then, so that the results in memory hold until
        there is space. Gateways refuse new commands meanwhile."""
        outcomes = await self._try_to_commit(encoded)
        while CommitOutcome.FULL in outcomes:
            self.waits_for_space = True
            waiting = [at for at, outcome in enumerate(outcomes) if outcome == CommitOutcome.FULL]
            log.warning("the store is full: the results of %d partitions wait", len(waiting))
            self._metrics.commit_failed(CommitOutcome.FULL)
            await asyncio.sleep(_FULL_S)
            again = await self._try_to_commit([encoded[at] for at in waiting])
            for at, outcome in zip(waiting, again, strict=True):
                outcomes[at] = outcome
        self.waits_for_space = False
        return outcomes

    async def _try_to_commit(self, encoded: list[Commit]) -> list[AnyOutcome]:
        try:
            return await commits.commit(self._commit_store, encoded, self._replicas)
        except StoreError as error:
            return [str(error)] * len(encoded)

    async def _notify_lobby(self, notices: list[Envelope]) -> None:
        """Add notices to the lobby's stream. A lost one is repeated when that room refuses a player."""
        try:
            await self._store.pipe(command_streams.adding_many(self._lobby, notices))
        except StoreError as error:
            log.info("a notice to the lobby may be lost: %s", error)

    async def release_leaving(self) -> None:
        """Hand over what others should own. Between two batches no command of these partitions is under way, so that
        the next owner continues exactly where this one stops."""
        for partition in list(self._ownership.partitions.values()):
            if partition.leaving:
                await self._ownership.release(partition)

    async def consume(self, block_ms: int | None) -> int:
        """One turn: read, load, handle, commit, renew the leases if that is due. Returns the number of commands that
        were handled."""
        batches = await self.read(block_ms)
        if not batches:
            return 0
        await self.load(batches)
        handled = self.handle(batches)
        if handled:
            await self.commit(handled)
        await self._ownership.renew_if_due()
        return sum(len(batch.results) for batch in handled)

    async def run(self) -> None:
        """Consume until cancelled."""
        ownership = self._ownership
        while True:
            try:
                await self.release_leaving()
                if not ownership.partitions:
                    await ownership.wait_for_partitions()
                elif not ownership.may_work():
                    await asyncio.sleep(_WITHOUT_LEASE_S)
                elif await self.consume(_BLOCK_MS) >= _MANY_COMMANDS:
                    await asyncio.sleep(self._settings.linger_ms / 1_000)
            except StoreError as error:
                log.warning("cannot read commands, will try again: %s", error)
                await asyncio.sleep(_RETRY_S)


def _log_commands(entry: StreamEntry) -> None:
    for envelope in entry[1]:
        log.debug("%s: room %s has handled %s", envelope.trace, envelope.room, envelope.id)
