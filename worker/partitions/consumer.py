"""The consumer: reads the command streams of the owned partitions, has the commands handled, commits the results."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus import command_streams, commits, journal, keys, quarantine
from shared.bus.command_streams import StreamEntry
from shared.bus.commits import AnyOutcome, CommitOutcome
from shared.bus.keys import Keys
from shared.bus.store import OutcomeUnknown, Store, StoreDown, StoreError
from shared.commands import Envelope
from shared.ids import LOBBY, RoomId, partition_of
from shared.results import Result
from shared.runtime.settings import WorkerSettings
from worker.metrics import WorkerMetrics
from worker.partitions.ownership import Ownership
from worker.partitions.partition import OwnedPartition

log = logging.getLogger("tavolata.consumer")

_BLOCK_MS = 1_000
_MANY_COMMANDS = 16
"""After a round with this many commands more are on their way, and handling them together is cheaper."""
_WITHOUT_LEASE_S = 0.02
_RETRY_S = 0.1


@dataclass(slots=True)
class PartitionBatch:
    """Entries of one partition on their way from reading to commit, and what they came to."""

    partition: OwnedPartition
    entries: list[StreamEntry]
    results: Sequence[Result] = ()

    @property
    def after(self) -> str:
        """The cursor once this is committed."""
        return self.entries[-1][0]


class Consumer:
    """The main loop of a worker. Each of its steps can be taken alone."""

    def __init__(
        self, reader: Store, store: Store, ownership: Ownership, settings: WorkerSettings, metrics: WorkerMetrics
    ) -> None:
        self._reader = reader
        self._store = store
        self._ownership = ownership
        self._settings = settings
        self._metrics = metrics
        self._lobby = keys.all_keys(settings.partitions)[partition_of(LOBBY, settings.partitions)]

    async def read(self, block_ms: int | None) -> list[PartitionBatch]:
        """The new entries of the owned partitions."""
        owned = dict(self._ownership.partitions)
        cursors = {number: (partition.keys, partition.cursor) for number, partition in owned.items()}
        if not cursors:
            return []
        entries = await command_streams.read(self._reader, cursors, self._settings.batch, block_ms)
        return [PartitionBatch(owned[number], items) for number, items in entries.items() if self._owns(owned[number])]

    def _owns(self, partition: OwnedPartition) -> bool:
        """Whether this is still the same ownership. A partition that was lost and taken again during the read may have
        another cursor, so that these entries may have been handled by another worker."""
        return self._ownership.partitions.get(partition.partition) is partition

    async def load(self, batches: list[PartitionBatch]) -> None:
        """Load the rooms that the commands are for."""
        wanted = [(batch.partition, room) for batch in batches for room in batch.partition.missing(batch.entries)]
        if not wanted:
            return
        stored = await journal.load(self._store, [(partition.keys, room) for partition, room in wanted])
        failed: list[tuple[Keys, RoomId, str]] = []
        for (partition, room), found in zip(wanted, stored, strict=True):
            if reason := partition.load(room, found):
                failed.append((partition.keys, room, reason))
        await quarantine.mark(self._store, failed)

    def handle(self, batches: list[PartitionBatch]) -> list[PartitionBatch]:
        """Handle the commands; the batches for which there was time. The rest is still on its streams, and is read
        again."""
        watchdog = self._ownership.watchdog
        watchdog.overtime = False
        handled: list[PartitionBatch] = []
        for batch in batches:
            if watchdog.overtime:
                break
            batch.results = batch.partition.handle(batch.entries)
            handled.append(batch)
        return handled

    async def commit(self, batches: list[PartitionBatch]) -> None:
        """Commit the results; clients see them only now. A partition whose commit is refused or uncertain is dropped:
        our memory of its rooms is ahead of the store, or may be."""
        encoded = [batch.partition.encode(batch.results, batch.after) for batch in batches]
        replicas = self._settings.replicas if self._settings.durability == "replicated" else 0
        outcomes: list[AnyOutcome]
        try:
            outcomes = await commits.commit(self._store, encoded, replicas)
        except StoreError as error:
            outcomes = [str(error)] * len(encoded)
        notices: list[Envelope] = []
        done: list[tuple[Sequence[StreamEntry], Sequence[Result]]] = []
        now_ms = oldest_ms = self._ownership.now_ms()
        for batch, commit, outcome in zip(batches, encoded, outcomes, strict=True):
            if outcome not in (CommitOutcome.OK, CommitOutcome.DONE):
                log.warning("partition %s is dropped: %s", batch.partition.partition, outcome)
                self._ownership.drop(batch.partition)
                self._metrics.commit_failed(outcome)
                continue
            batch.partition.committed(commit)
            done.append((batch.entries, batch.results))
            notices += self._follow(batch)
            oldest_ms = min(oldest_ms, command_streams.time_of(batch.entries[0][0]))
        if done:
            self._metrics.committed(done)
        self._metrics.lagged(now_ms - oldest_ms)
        if notices:
            await self._notify_lobby(notices)

    def _follow(self, batch: PartitionBatch) -> list[Envelope]:
        """Schedule the deadlines of committed results; their notices to the lobby."""
        notices: list[Envelope] = []
        for result in batch.results:
            if result.deadlines:
                self._ownership.deadlines.follow(batch.partition.partition, result.deadlines)
            if result.notices:
                notices += result.notices
        return notices

    async def _notify_lobby(self, notices: list[Envelope]) -> None:
        """A lost notice is repeated when a player comes to that room in vain."""
        try:
            await self._store.pipe((command_streams.adding(self._lobby, notices),))
        except (StoreDown, OutcomeUnknown) as error:
            log.info("a notice to the lobby may be lost: %s", error)

    async def release_leaving(self) -> None:
        """Hand over what others should own. Between two batches no command of these partitions is under way, so that
        the next owner continues exactly where this one stops."""
        for partition in list(self._ownership.partitions.values()):
            if partition.leaving:
                await self._ownership.release(partition)

    async def consume(self, block_ms: int | None) -> int:
        """Read, load, handle, commit; the number of commands that were read."""
        batches = await self.read(block_ms)
        if batches:
            await self.load(batches)
            await self.commit(self.handle(batches))
        return sum(len(envelopes) for batch in batches for _, envelopes in batch.entries)

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
