"""A worker of the simulation: the real loops of tenancy, intake and alarm, over a line that the simulation drives."""

import asyncio
from random import Random

from shared.bus import keys
from shared.bus.store import StoreError
from shared.ids import WorkerId
from shared.runtime.settings import WorkerSettings
from tests.support.sim_store import Line, World
from worker.games import GameCatalog
from worker.metrics import Metrics
from worker.partitions.consumer import Consumer
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock


class CountingMetrics(Metrics):
    """Remembers how often a stale owner was kept from writing."""

    def __init__(self) -> None:
        super().__init__()
        self.fenced = 0

    def refused_commit(self, outcome: str) -> None:
        super().refused_commit(outcome)
        self.fenced += outcome == "FENCED"


class SimWorker:
    def __init__(self, world: World, number: int, settings: WorkerSettings, engines: GameCatalog) -> None:
        self.id = WorkerId(f"w-{number}")
        self.store, self.reader = Line(world), Line(world)
        self.paused_until_s = 0.0
        self.metrics = CountingMetrics()
        self._world = world
        self._wake = asyncio.Event()

        def monotonic() -> float:
            return world.time.now_s

        self.tenancy = Ownership(self.id, self.store, settings, engines, StoreClock(monotonic), monotonic)
        intake = Consumer(self.reader, self.store, self.tenancy, settings, self.metrics)
        self.news = world.server.listen((keys.TENANCY,))
        loops = (self.tenancy.run(self._wake, lambda: b"{}"), intake.run(), self.tenancy.alarm.run())
        self.tasks = [asyncio.ensure_future(loop) for loop in loops]

    @property
    def lines(self) -> tuple[Line, Line]:
        return self.store, self.reader

    @property
    def dead(self) -> bool:
        return self.store.dead

    @property
    def paused(self) -> bool:
        return self._world.time.now_s < self.paused_until_s

    def pause(self, for_ms: int) -> None:
        self.paused_until_s = self._world.time.now_s + for_ms / 1_000

    def listen(self) -> None:
        """Wake up if another worker said something."""
        if self.news.heard():
            self._wake.set()

    def lose_the_store(self, dice: Random) -> None:
        for line in self.lines:
            line.lose(dice)

    def reconnect(self) -> None:
        for line in self.lines:
            line.down = False
        self.tenancy.reconnected()
        self._wake.set()

    def crash(self, dice: Random) -> None:
        for line in self.lines:
            line.die(dice)
        for task in self.tasks:
            task.cancel()
        self.news.close()

    async def drain(self) -> None:
        """Leave in order; what cannot be handed over is taken when the lease has run out."""
        try:
            await self.tenancy.drain()
        except StoreError:
            pass
        await asyncio.Event().wait()

    def check(self) -> None:
        """A loop that ended is a bug."""
        for task in self.tasks:
            if task.done() and not self.dead:
                task.result()
                raise AssertionError(f"a loop of {self.id} has ended")
