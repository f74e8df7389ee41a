"""A worker of the simulation: the node that ships, over connections that the simulation drives."""

import asyncio
from collections.abc import Callable, Sequence
from random import Random

from shared.bus.command_streams import StreamReader
from shared.bus.commits import AnyOutcome, CommitOutcome
from shared.bus.keys import Keys
from shared.bus.store import OnMessage
from shared.ids import WorkerId
from shared.runtime.settings import WorkerSettings
from tests.support.fake_store import FakeServer, FakeSubscriber
from tests.support.memory_store import MemoryConnection, MemoryStore
from worker.games import GameCatalog
from worker.metrics import WorkerMetrics
from worker.node import WorkerNode


class CountingMetrics(WorkerMetrics):
    """Counts how often the fence kept a stale owner from writing."""

    def __init__(self) -> None:
        super().__init__(partitions=1)
        self.fenced = 0

    def commit_failed(self, outcome: AnyOutcome) -> None:
        super().commit_failed(outcome)
        self.fenced += outcome == CommitOutcome.FENCED


class WorkerSubscription:
    """A subscription whose messages arrive when the simulation says so."""

    def __init__(self, server: FakeServer) -> None:
        self._server = server
        self._subscriber: FakeSubscriber | None = None
        self._on_message: OnMessage | None = None
        self._on_gap: Callable[[], None] = lambda: None

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._subscriber, self._on_message, self._on_gap = self._server.subscribe(channels), on_message, on_gap
        on_gap()

    def deliver(self) -> None:
        """Deliver all messages that were published since the last time."""
        assert self._subscriber is not None
        assert self._on_message is not None
        for channel, data in self._subscriber.received():
            self._on_message(channel, data)

    def renew(self) -> None:
        """The subscription was lost and made again, and so were the messages that were under way."""
        if self._subscriber is not None:
            self._subscriber.received()
            self._on_gap()

    def close(self) -> None:
        if self._subscriber is not None:
            self._subscriber.close()


class MemoryWorker:
    def __init__(
        self,
        world: MemoryStore,
        number: int,
        settings: WorkerSettings,
        catalog: GameCatalog,
        cpu: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.id = WorkerId(f"w-{number}")
        self.store, self.reader = MemoryConnection(world), MemoryConnection(world)
        self.paused_until_s = 0.0
        self._replaced_at: tuple[Keys, ...] = ()
        """The partitions of which the pause waits for another owner."""
        self.metrics = CountingMetrics()
        self._world = world
        self._subscription = WorkerSubscription(world.server)
        self.node = WorkerNode(
            self.id,
            settings,
            catalog,
            self.store,
            StreamReader(self.reader, self.store),
            self._subscription,
            lambda: world.time.now_s,
            self.metrics,
            cpu,
        )
        draining, *loops = self.node.loops()
        self._draining = asyncio.ensure_future(draining)
        self._loops = [asyncio.ensure_future(loop) for loop in loops]

    @property
    def lines(self) -> tuple[MemoryConnection, MemoryConnection]:
        return self.store, self.reader

    @property
    def dead(self) -> bool:
        return self.store.dead

    @property
    def paused(self) -> bool:
        if self._world.time.now_s >= self.paused_until_s:
            return False
        return not any(self._owner_of(partition) != self.id for partition in self._replaced_at)

    def pause(self, for_ms: int, *, until_replaced: bool = False) -> None:
        """Stand still for some time; with `until_replaced` only until another worker has taken one of its partitions,
        which is the moment at which the commit of a stale owner does the most harm."""
        self.paused_until_s = self._world.time.now_s + for_ms / 1_000
        owned = self.node.ownership.partitions.values()
        self._replaced_at = tuple(partition.keys for partition in owned) if until_replaced else ()

    def _owner_of(self, partition: Keys) -> str:
        owner: bytes = self._world.server.run(("HGET", partition.owner, "worker")) or b""
        return owner.decode()

    def listen(self) -> None:
        self._subscription.deliver()

    def resubscribe(self) -> None:
        self._subscription.renew()

    def lose_the_store(self, dice: Random) -> None:
        for line in self.lines:
            line.lose(dice)

    def reconnect(self) -> None:
        for line in self.lines:
            line.down = False
        self.node.reconnected()

    def drain(self) -> None:
        """Begin to hand everything over. If the simulation crashes the worker before the end, others take the rest when
        its lease has ended."""
        self.node.stop.set()

    def crash(self, dice: Random) -> None:
        for line in self.lines:
            line.die(dice)
        for task in (self._draining, *self._loops):
            task.cancel()
        self._subscription.close()

    def check(self) -> None:
        """Fail if a loop has ended. The one that drains ends when it is done; the process would exit then."""
        if self._draining.done() and not self.dead:
            self._draining.result()
        for task in self._loops:
            if task.done() and not self.dead:
                task.result()
                raise AssertionError(f"a loop of {self.id} has ended")
