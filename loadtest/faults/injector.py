"""Makes the faults of a run, one after the other, and marks the time of each."""

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from random import Random
from typing import Any

from loadtest.checks.checker import Findings
from loadtest.clients.connection import PlayerConnection
from loadtest.cluster_file import KnownProcess, read_cluster
from loadtest.faults.connections import reconnect_storm, slow_readers
from loadtest.faults.kinds import FaultKind, FaultMark, FaultPlan, schedule
from loadtest.faults.nodes import resize_store
from loadtest.faults.processes import BEYOND_LEASE_S, NotRestored, ProcessFaults
from shared.bus.operator_requests import cut_subscriptions
from shared.bus.store import StoreError
from shared.bus.store_changes import failover, move_partitions, ways_to_move

STORE = "valkey"
"""The role of the store in `cluster.json`."""
_ROLES = {"worker": "worker", "gateway": "gateway", "store": STORE}
_STORE_CHANGES = frozenset((FaultKind.FAILOVER, FaultKind.MOVE_SLOTS, FaultKind.RESIZE_STORE))
"""Faults that are made in several steps. Broken off, they would leave slots that no node serves whole."""


class FaultInjector:
    """Makes faults in the cluster on a data folder and in the players' connections until it is cancelled. A change of
    the store that is under way then is completed."""

    def __init__(
        self,
        plan: FaultPlan,
        data: Path,
        connections: Callable[[], Iterable[PlayerConnection]],
        marks: list[FaultMark],
        findings: Findings,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._plan = plan
        self._data = data
        self._connections = connections
        self._marks = marks
        self._findings = findings
        self._clock = clock
        self._dice = Random(plan.seed)
        self._processes = ProcessFaults(data, plan.spare_first, self._dice.choice)
        self._moves = 0
        """The number of times that slots were moved: the ways to do so take turns."""
        self._replacing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        begin = self._clock()
        try:
            for kind in schedule(self._plan.kinds, self._dice):
                begin = max(begin + self._plan.every_s, self._clock())
                await asyncio.sleep(begin - self._clock())
                mark = FaultMark(kind, begin)
                work = self._note_failure(mark, self._perform(mark))
                await (_uninterrupted(work) if kind in _STORE_CHANGES else work)
        finally:
            for task in self._replacing:
                task.cancel()

    async def _note_failure(self, mark: FaultMark, work: Coroutine[Any, Any, None]) -> None:
        """Do a part of a fault. If the cluster does not recover, that is a finding."""
        try:
            await work
        except (NotRestored, StoreError) as error:
            self._findings.add("faults", f"after {mark.kind}: {error}")

    def _store_url(self) -> str:
        cluster = read_cluster(self._data)
        return cluster.redis_url if cluster is not None else ""

    def _begin(self, mark: FaultMark, target: str) -> None:
        """The fault is made now."""
        mark.target = target
        mark.begun = self._clock()
        self._marks.append(mark)

    async def _perform(self, mark: FaultMark) -> None:
        match mark.kind:
            case FaultKind.CUT_PUBSUB:
                self._begin(mark, "all subscribers")
                await cut_subscriptions(self._store_url())
            case FaultKind.FAILOVER:
                self._begin(mark, "the store's primary")
                mark.target = f"to {await failover(self._store_url())}"
            case FaultKind.MOVE_SLOTS:
                self._begin(mark, "slots of the store")
                mark.target = await self._move_slots()
            case FaultKind.RESIZE_STORE:
                self._begin(mark, "a node of the store")
                mark.target = await self._resize_store()
            case FaultKind.SLOW_READERS:
                self._begin(mark, "a tenth of the clients")
                await slow_readers(list(self._connections()), self._dice)
            case FaultKind.RECONNECT_STORM:
                self._begin(mark, "all clients")
                reconnect_storm(list(self._connections()))
            case _:
                verb, _, role = mark.kind.partition("-")
                if verb == "freeze":
                    await self._freeze(mark, self._processes.pick(_ROLES[role], may_spare=False))
                else:
                    await self._end(mark, _ROLES[role], signal.SIGKILL if verb == "kill" else signal.SIGTERM)
                return
        mark.ended = self._clock()

    async def _move_slots(self) -> str:
        url = self._store_url()
        ways = await ways_to_move(url)
        way = ways[self._moves % len(ways)]
        self._moves += 1
        return f"slots {await move_partitions(url, way)}, {way}"

    async def _resize_store(self) -> str:
        url = self._store_url()
        return await resize_store(url, self._processes.pick(STORE), (await ways_to_move(url))[-1])

    async def _freeze(self, mark: FaultMark, process: KnownProcess) -> None:
        self._begin(mark, str(process))
        await self._processes.freeze(process, self._processes.lease_s(process) + BEYOND_LEASE_S)
        mark.ended = self._clock()

    async def _end(self, mark: FaultMark, role: str, number: signal.Signals) -> None:
        if role != STORE:  # while a replica takes over, two servers may say that they are the primary
            await self._processes.until_one_can_be_spared(role)
        process = self._processes.pick(role)
        self._begin(mark, str(process))
        stop_s = self._processes.stop_s(process) if number is signal.SIGTERM else 0.0
        self._processes.send(process, number)
        if not self._plan.overlap:
            await self._replaced(mark, process, stop_s)
            return
        task = asyncio.create_task(self._note_failure(mark, self._replaced(mark, process, stop_s)))
        self._replacing.add(task)
        task.add_done_callback(self._replacing.discard)

    async def _replaced(self, mark: FaultMark, process: KnownProcess, stop_s: float) -> None:
        await self._processes.until_replaced(process, stop_s)
        mark.ended = self._clock()


async def _uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Do the work. If this task is cancelled meanwhile, it ends after the work."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    finally:
        await asyncio.wait({task})
