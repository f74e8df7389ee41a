"""Deadlines turned into commands: one that has passed is put on the stream by the room's owner, and happens once."""

import asyncio
import heapq
import logging
from collections.abc import Callable, Iterable
from typing import TypeAlias

from shared.bus import command_streams
from shared.bus.store import Store, StoreError
from shared.commands import Envelope, Expired
from shared.ids import CommandId, Partition, RoomId, SessionId
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock
from worker.room.batch import DueDeadline

log = logging.getLogger("tavolata.clock")

_CHUNK = 200
_LATE_MS = 5
_PAUSE_S = 0.05
_NOBODY = SessionId("")
_SPARE = 1_000
"""So many deadlines that are out of date may lie about before they are looked for."""

_Key: TypeAlias = tuple[Partition, RoomId, str]


class DeadlineScheduler:
    """All deadlines of a worker's partitions, and the one timer that they need."""

    def __init__(
        self, store: Store, clock: StoreClock, holdings: dict[Partition, OwnedPartition], may_work: Callable[[], bool]
    ) -> None:
        self._store = store
        self._clock = clock
        self._holdings = holdings
        self._may_work = may_work
        self._heap: list[tuple[int, Partition, DueDeadline]] = []
        self._latest: dict[_Key, DueDeadline] = {}
        """A room has one deadline of a name at most; any other one in the heap has been replaced or cleared."""
        self._sooner = asyncio.Event()

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, partition: Partition, dues: Iterable[DueDeadline]) -> None:
        self.follow(partition, ((due, True) for due in dues))

    def follow(self, partition: Partition, retimed: Iterable[tuple[DueDeadline, bool]]) -> None:
        """Take note of deadlines that were started (True) or cleared."""
        for due, running in retimed:
            if running:
                if not self._heap or due.due_ms < self._heap[0][0]:
                    self._sooner.set()
                self._latest[partition, due.room, due.name] = due
                heapq.heappush(self._heap, (due.due_ms, partition, due))
            elif self._counts(partition, due):
                del self._latest[partition, due.room, due.name]
        if len(self._heap) > 2 * len(self._latest) + _SPARE:
            self._heap = [entry for entry in self._heap if self._counts(entry[1], entry[2])]
            heapq.heapify(self._heap)

    def _counts(self, partition: Partition, due: DueDeadline) -> bool:
        return self._latest.get((partition, due.room, due.name)) == due

    def passed(self) -> dict[Partition, list[DueDeadline]]:
        """Take out what is due now. What belongs to a partition that we lost is somebody else's business."""
        passed: dict[Partition, list[DueDeadline]] = {}
        now_ms = self._clock.now_ms() - _LATE_MS
        while self._heap and self._heap[0][0] <= now_ms:
            _, partition, due = heapq.heappop(self._heap)
            if not self._counts(partition, due):
                continue
            del self._latest[partition, due.room, due.name]
            if partition in self._holdings:
                passed.setdefault(partition, []).append(due)
        return passed

    async def fire(self) -> None:
        """Put what is due on the streams. A repetition is harmless: a deadline counts once per generation."""
        passed = self.passed()
        adds = []
        for partition, dues in passed.items():
            envelopes = [Envelope(due.room, _NOBODY, CommandId(0), Expired(due.name, due.generation)) for due in dues]
            keys = self._holdings[partition].keys
            adds += [
                command_streams.adding(keys, envelopes[at : at + _CHUNK]) for at in range(0, len(envelopes), _CHUNK)
            ]
        if not adds:
            return
        try:
            await self._store.pipe(adds)
        except StoreError as error:
            log.warning("deadlines wait for the store: %s", error)
            for partition, dues in passed.items():
                self.add(partition, [due for due in dues if (partition, due.room, due.name) not in self._latest])
            await asyncio.sleep(0.2)

    async def run(self) -> None:
        while True:
            self._sooner.clear()
            wait_s = None
            if self._heap:
                wait_s = max(0.0, (self._heap[0][0] + _LATE_MS - self._clock.now_ms()) / 1_000)
            try:
                async with asyncio.timeout(wait_s):
                    await self._sooner.wait()
            except TimeoutError:
                if self._may_work():
                    await self.fire()
                else:  # an outage, most likely: its length is made up for before anything is due
                    await asyncio.sleep(_PAUSE_S)
