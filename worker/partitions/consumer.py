"""Reads the command streams of the held partitions in batches, has them handled, and commits what they come to."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus import command_streams, commits, journal, keys
from shared.bus.command_streams import StreamEntry
from shared.bus.store import OutcomeUnknown, RedisCommand, Store, StoreDown, StoreError
from shared.ids import LOBBY, partition_of
from shared.runtime.settings import WorkerSettings
from worker.metrics import Metrics
from worker.partitions.ownership import Ownership
from worker.partitions.partition import OwnedPartition
from worker.room.batch import Batch

log = logging.getLogger("tavolata.intake")

_BLOCK_MS = 1_000
_MANY = 16
"""Commands: after a turn with so many, more are on their way, and handling them together is cheaper."""


@dataclass(slots=True)
class PartitionWork:
    """A batch of one partition between reading and commit."""

    holding: OwnedPartition
    entries: list[StreamEntry]

    @property
    def after(self) -> str:
        return self.entries[-1][0]


class Consumer:
    """The loop of a worker. Each of its steps can be taken alone, which is how the simulation drives it."""

    def __init__(
        self, reader: Store, store: Store, tenancy: Ownership, settings: WorkerSettings, metrics: Metrics
    ) -> None:
        self._reader = reader
        self._store = store
        self._tenancy = tenancy
        self._settings = settings
        self._metrics = metrics
        self._lobby = keys.all_keys(settings.partitions)[partition_of(LOBBY, settings.partitions)]

    async def read(self, block_ms: int | None) -> list[PartitionWork]:
        """What has come for the partitions that we hold."""
        held = dict(self._tenancy.holdings)
        cursors = {partition: (holding.keys, holding.cursor) for partition, holding in held.items()}
        if not cursors:
            return []
        entries = await command_streams.read(self._reader, cursors, self._settings.batch, block_ms)
        return [
            PartitionWork(held[partition], items)
            for partition, items in entries.items()
            if self._holds(held[partition])
        ]

    def _holds(self, holding: OwnedPartition) -> bool:
        """Whether it is still the same tenancy: one that was lost and taken again stands elsewhere in the stream."""
        return self._tenancy.holdings.get(holding.partition) is holding

    async def load(self, works: list[PartitionWork]) -> None:
        """Bring the rooms that are needed into memory."""
        wanted = [(work.holding, room) for work in works for room in work.holding.missing(work.entries)]
        if not wanted:
            return
        kept = await journal.load(self._store, [(holding.keys, room) for holding, room in wanted])
        marks: list[RedisCommand] = []
        for (holding, room), found in zip(wanted, kept, strict=True):
            if wrong := holding.load(room, found):
                marks.append(("HSET", holding.keys.quarantine, room, wrong))
        if marks:
            await self._store.pipe(marks)

    def handle(self, works: list[PartitionWork]) -> list[tuple[PartitionWork, Batch]]:
        """What there was time for: the rest is still on its streams, and is read again."""
        watch = self._tenancy.watch
        watch.overtime = False
        handled: list[tuple[PartitionWork, Batch]] = []
        for work in works:
            if watch.overtime:
                break
            handled.append((work, work.holding.handle(work.entries)))
        return handled

    async def commit(self, handled: list[tuple[PartitionWork, Batch]]) -> None:
        """Write it all down; only now anybody hears of it. What is refused or uncertain costs us the partition."""
        sealed = [(work, batch, *work.holding.seal(batch, work.after)) for work, batch in handled]
        replicas = self._settings.replicas if self._settings.durability == "replicated" else 0
        try:
            outcomes = await commits.commit(self._store, [commit for _, _, commit, _ in sealed], replicas)
        except StoreError as error:
            outcomes = [str(error)] * len(sealed)
        onward: list[RedisCommand] = []
        done: list[tuple[Sequence[StreamEntry], Batch]] = []
        now_ms = oldest_ms = self._tenancy.now_ms()
        for (work, batch, _, numbers), outcome in zip(sealed, outcomes, strict=True):
            holding = work.holding
            if outcome not in ("OK", "DONE"):
                log.warning("partition %s is dropped: %s", holding.partition, outcome)
                self._tenancy.drop(holding)
                self._metrics.refused_commit(outcome)
                continue
            holding.committed(work.after, numbers)
            self._tenancy.alarm.follow(holding.partition, batch.retimed)
            done.append((work.entries, batch))
            oldest_ms = min(oldest_ms, command_streams.time_of(work.entries[0][0]))
            if batch.onward:
                onward.append(command_streams.adding(self._lobby, batch.onward))
        if done:
            self._metrics.committed(done)
        self._metrics.lagged(now_ms - oldest_ms)
        if onward:
            await self._pass_on(onward)

    async def _pass_on(self, adds: list[RedisCommand]) -> None:
        try:
            await self._store.pipe(adds)
        except (StoreDown, OutcomeUnknown) as error:
            log.info("the lobby was not told of a change: %s", error)

    async def release_leaving(self) -> None:
        """Hand over what others should hold: here, between two batches, nothing of it is under way."""
        for holding in list(self._tenancy.holdings.values()):
            if holding.leaving:
                await self._tenancy.release(holding)

    async def turn(self, block_ms: int | None) -> int:
        """Read, load, handle, commit. How many commands there were."""
        works = await self.read(block_ms)
        if works:
            await self.load(works)
            await self.commit(self.handle(works))
        return sum(len(envelopes) for work in works for _, envelopes in work.entries)

    async def run(self) -> None:
        tenancy = self._tenancy
        while True:
            try:
                await self.release_leaving()
                if not tenancy.holdings:
                    tenancy.changed.clear()
                    await tenancy.changed.wait()
                elif not tenancy.may_work():
                    await asyncio.sleep(0.02)
                elif await self.turn(_BLOCK_MS) >= _MANY:
                    await asyncio.sleep(self._settings.linger_ms / 1_000)
            except StoreError as error:
                log.warning("reading waits for the store: %s", error)
                await asyncio.sleep(0.1)
