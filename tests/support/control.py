"""Control players: a table that plays beside an attack, and the cost of every one of its moves.

Cost is the CPU time of the attacked processes between a player's frame and its answer, so that a busy machine does not
change it.
"""

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import psutil

from tests.support.cluster import Cluster, Node
from tests.support.player import Player
from tests.support.stones import StonesTable

MOST_CPU_S = 0.25
"""CPU time of a gateway or worker between a frame of the control and its answer, at most."""
_STONES = 400
_LAST_STONES = 40
"""Stones that are kept for the end of the game."""
_THINK_S = 0.005
_AFTER = 5
"""Moves after the attack."""
_MEGABYTE = 1_000_000


@dataclass
class Memory:
    """Memory in megabytes: resident size of the processes, `used_memory` of the store."""

    gateway: float
    worker: float
    store: float


@dataclass
class Limits:
    """The most that an attack may add to the memory of each process, in megabytes."""

    gateway: float = 24
    worker: float = 24
    store: float = 8


@dataclass
class Costs:
    """CPU seconds of the gateway and the worker for each move, and of the gateway for each ping."""

    gateway: list[float] = field(default_factory=list)
    worker: list[float] = field(default_factory=list)
    pings: list[float] = field(default_factory=list)


class Control:
    """Two players who move all the time at a table of their own. Leaving the block ends their game and checks all."""

    def __init__(self, cluster: Cluster, limits: Limits | None = None) -> None:
        self._cluster = cluster
        self._limits = limits or Limits()
        self._gateway, self._worker = cluster.gateways[0], cluster.workers[0]
        self.players = (Player(), Player())
        self.costs = Costs()
        self.before = self.peak = self.memory()
        self._stop = asyncio.Event()
        self._moves: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        for player in self.players:
            await player.log_in(self._gateway.url)
        self._table = await StonesTable.open(*self.players, stones=_STONES)
        for _ in range(_AFTER):
            await self._move()
        self.before = self.peak = self.memory()
        self._moves = asyncio.create_task(self._play())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._moves is not None
        self._stop.set()
        try:
            if error is None:
                await self._moves
                await self._finish()
        finally:
            self._moves.cancel()
            await asyncio.gather(self._moves, return_exceptions=True)
            for player in self.players:
                await player.close()
        if error is None:
            self.check_costs()

    @property
    def _left(self) -> int:
        return _STONES - len(self._table.acked)

    async def _play(self) -> None:
        while not self._stop.is_set():
            await self._ping()
            if self._left > _LAST_STONES:
                await self._move()
            self._note_memory()
            await asyncio.sleep(_THINK_S)

    async def _move(self) -> None:
        before = _cpu_s(self._gateway), _cpu_s(self._worker)
        await self._table.move()
        self.costs.gateway.append(_cpu_s(self._gateway) - before[0])
        self.costs.worker.append(_cpu_s(self._worker) - before[1])

    async def _ping(self) -> None:
        before = _cpu_s(self._gateway)
        await self.players[0].ping()
        self.costs.pings.append(_cpu_s(self._gateway) - before)

    async def rounds(self, number: int) -> None:
        """Wait until the players have made so many more rounds of pings and moves."""
        assert self._moves is not None
        enough = len(self.costs.pings) + number
        while len(self.costs.pings) < enough:
            if self._moves.done():
                self._moves.result()
            await asyncio.sleep(_THINK_S)

    async def _finish(self) -> None:
        """Play to the end. Every acknowledged move must be in the journal, from which replays are read."""
        for _ in range(_AFTER):
            await self._move()
        taken = len(self._table.acked)
        while (left := _STONES - taken) > 0:
            count = min(3, left)
            await self._table.move(count)
            taken += count
        room = self._table.room
        for player in self.players:
            await player.wait_for_event(room, "room.ended")
        await self._table.check()
        replay = await asyncio.to_thread(self._gateway.json, f"/api/replays/{room}")
        kept = {step["offset"]: [event["type"] for event in step["events"]] for step in replay["steps"]}
        assert all("taken" in kept[offset] for _, offset in self._table.acked)
        assert sum(kinds.count("taken") for kinds in kept.values()) == len(self._table.acked)

    def memory(self) -> Memory:
        with self._cluster.redis() as store:
            used = store.info("memory")["used_memory"] / _MEGABYTE
        return Memory(_resident(self._gateway), _resident(self._worker), used)

    def _note_memory(self) -> None:
        now, peak = self.memory(), self.peak
        self.peak = Memory(max(now.gateway, peak.gateway), max(now.worker, peak.worker), max(now.store, peak.store))

    def check_costs(self) -> None:
        costs, peak, before, limits = self.costs, self.peak, self.before, self._limits
        assert max(costs.pings, default=0) <= MOST_CPU_S, f"a ping cost the gateway {max(costs.pings):.2f} s"
        assert max(costs.gateway) <= MOST_CPU_S, f"a move cost the gateway {max(costs.gateway):.2f} s"
        assert max(costs.worker) <= MOST_CPU_S, f"a move cost the worker {max(costs.worker):.2f} s"
        assert peak.gateway - before.gateway <= limits.gateway, f"memory of the gateway: {before} to {peak}"
        assert peak.worker - before.worker <= limits.worker, f"memory of the worker: {before} to {peak}"
        assert peak.store - before.store <= limits.store, f"memory of the store: {before} to {peak}"


def _cpu_s(node: Node) -> float:
    times = psutil.Process(node.pid).cpu_times()
    return float(times.user + times.system)


def _resident(node: Node) -> float:
    return float(psutil.Process(node.pid).memory_info().rss) / _MEGABYTE
