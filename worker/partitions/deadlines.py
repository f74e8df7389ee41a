"""The deadline scheduler: puts a command on a room's stream when one of its deadlines has passed.

Time reaches a room as a command like any other: it is journaled, and a repetition is recognized.
"""

import asyncio
import heapq
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from shared.bus import command_streams
from shared.bus.store import Store, StoreError
from shared.commands import Envelope, Expired
from shared.ids import CommandId, Partition, RoomId, SessionId
from shared.results import DeadlineChange, DueDeadline
from shared.runtime.events import set_within
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock

log = logging.getLogger("tavolata.deadlines")

_LATE_MS = 5
"""Delay of every deadline: the estimate of the store's clock may run ahead a little."""
_PAUSE_S = 0.05
_RETRY_S = 0.2
_STALE_ALLOWED = 1_000
"""Stale heap entries tolerated before the heap is rebuilt."""

_Key: TypeAlias = tuple[Partition, RoomId, str]


class DeadlineScheduler:
    """All deadlines of a worker's partitions, behind one timer."""

    def __init__(
        self,
        store: Store,
        clock: StoreClock,
        partitions: Mapping[Partition, OwnedPartition],
        may_work: Callable[[], bool],
    ) -> None:
        self._store = store
        self._clock = clock
        self._partitions = partitions
        self._may_work = may_work
        self._heap: list[tuple[int, Partition, DueDeadline]] = []
        self._latest: dict[_Key, DueDeadline] = {}
        """A room has at most one deadline of each name. Any other heap entry of that name is stale: removing it from
        the middle of the heap would cost more than skipping it later."""
        self._sooner = asyncio.Event()

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, partition: Partition, deadlines: Iterable[DueDeadline]) -> None:
        self.follow(partition, ((due, True) for due in deadlines))

    def follow(self, partition: Partition, changes: Iterable[DeadlineChange]) -> None:
        """Follow the changes of a committed result."""
        for due, started in changes:
            if started:
                if not self._heap or due.due_ms < self._heap[0][0]:
                    self._sooner.set()
                self._latest[partition, due.room, due.name] = due
                heapq.heappush(self._heap, (due.due_ms, partition, due))
            elif self._is_current(partition, due):
                del self._latest[partition, due.room, due.name]
        if len(self._heap) > 2 * len(self._latest) + _STALE_ALLOWED:
            self._heap = [entry for entry in self._heap if self._is_current(entry[1], entry[2])]
            heapq.heapify(self._heap)

    def _is_current(self, partition: Partition, due: DueDeadline) -> bool:
        return self._latest.get((partition, due.room, due.name)) == due

    def passed(self) -> dict[Partition, list[DueDeadline]]:
        """Take out the deadlines that are due now. Those of a partition that was lost are left to its next owner."""
        passed: dict[Partition, list[DueDeadline]] = {}
        now_ms = self._clock.now_ms() - _LATE_MS
        while self._heap and self._heap[0][0] <= now_ms:
            _, partition, due = heapq.heappop(self._heap)
            if not self._is_current(partition, due):
                continue
            del self._latest[partition, due.room, due.name]
            if partition in self._partitions:
                passed.setdefault(partition, []).append(due)
        return passed

    async def fire(self) -> None:
        """Put the deadlines that are due on the streams. A repetition is harmless: a room heeds a deadline once per
        generation."""
        passed = self.passed()
        adds = []
        for partition, deadlines in passed.items():
            envelopes = [
                Envelope(due.room, SessionId(""), CommandId(0), Expired(due.name, due.generation)) for due in deadlines
            ]
            adds += command_streams.adding_many(self._partitions[partition].keys, envelopes)
        if not adds:
            return
        try:
            await self._store.pipe(adds)
        except StoreError as error:
            log.warning("cannot add passed deadlines, will try again: %s", error)
            for partition, deadlines in passed.items():
                self.add(partition, [due for due in deadlines if (partition, due.room, due.name) not in self._latest])
            await asyncio.sleep(_RETRY_S)

    async def run(self) -> None:
        """Fire deadlines until cancelled."""
        while True:
            self._sooner.clear()
            wait_s = None
            if self._heap:
                wait_s = max(0.0, (self._heap[0][0] + _LATE_MS - self._clock.now_ms()) / 1_000)
            if await set_within(self._sooner, wait_s):
                continue
            if self._may_work():
                await self.fire()
            else:
                # Most likely the store is down. Rooms get the length of the outage back before any of their deadlines
                # counts, so nothing may fire before the leases are renewed or taken again.
                await asyncio.sleep(_PAUSE_S)
