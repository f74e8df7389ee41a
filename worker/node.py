"""The node of a worker: its loops, over an injected store, reader, subscription and clock.

Each loop runs until it is cancelled. `worker.app` builds the objects and connects them to a real store; the simulation
builds the same node over a store of its own.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

import msgspec

from shared.bus import drains, keys, meta, store_figures
from shared.bus.command_streams import CommandReader
from shared.bus.store import OnMessage, Store, StoreError
from shared.ids import Partition, WorkerId
from shared.runtime.settings import WorkerSettings
from shared.runtime.version import VERSION
from worker.games import GameCatalog
from worker.metrics import WorkerMetrics
from worker.partitions.consumer import Consumer
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock

log = logging.getLogger("tavolata.worker")

_encode = msgspec.json.Encoder().encode
_HAND_OVER_S = 10.0
_HAND_OVER_CHECK_S = 0.01
_DRAIN_CHECK_S = 1.0
_MEASURE_S = 1.0
_MEASURE_STORE_S = 2.0
_SHORTEST_CHECK_MS = 200
"""The watchdog's shortest interval: short leases must not make it break off commands that are merely slow."""


class Channels(Protocol):
    """A subscription to pub/sub channels."""

    def start(self, channels: tuple[str, ...], on_message: OnMessage, on_gap: Callable[[], None]) -> None: ...


class WorkerNode:
    """One worker. `run` returns when it has drained; it raises what a loop raises."""

    def __init__(
        self,
        worker: WorkerId,
        settings: WorkerSettings,
        catalog: GameCatalog,
        store: Store,
        reader: CommandReader,
        subscription: Channels,
        monotonic: Callable[[], float],
        metrics: WorkerMetrics,
        cpu: Callable[[], float],
        commit_store: Store | None = None,
    ) -> None:
        """`cpu` is the CPU time of the process in seconds. `commit_store` is a second connection, for commits that wait
        for replicas."""
        self.id = worker
        self.metrics = metrics
        self.process_status: Mapping[str, object] = {}
        """Facts of the process that go with each heartbeat."""
        self.stop = asyncio.Event()
        """Set to drain the node."""
        self.ownership = Ownership(worker, store, settings, catalog, StoreClock(monotonic), monotonic, commit_store)
        self._settings = settings
        self._catalog = catalog
        self._store = store
        self._reader = reader
        self._subscription = subscription
        self._consumer = Consumer(reader, store, self.ownership, settings, metrics, cpu, monotonic, commit_store)
        self._wake = asyncio.Event()
        self._announced_at = ""
        """The server that has the descriptions of our games."""
        self._replicas_missing = False
        self._background: set[asyncio.Task[None]] = set()

    async def prepare(self) -> None:
        """Check that the store fits this worker, and announce its games. Raises `StoreError` or
        `meta.IncompatibleStore`."""
        await meta.agree(self._store, self._settings.partitions)
        await meta.check_durability(self._store, self._settings.durability)
        await meta.check_replicas(self._store, self._settings.needed_replicas)
        await self._announce()

    def start_watchdog(self) -> None:
        """Begin to break off commands that run for two checks in a row: for a fifth of a lease of CPU time."""
        self.ownership.watchdog.start(max(self._settings.lease_ms // 10, _SHORTEST_CHECK_MS) / 1_000)

    def loops(self) -> list[Coroutine[Any, Any, None]]:
        """The loops of the node. The first one ends when the node has drained; the others never do."""
        self._subscription.start((keys.OWNERSHIP,), lambda _channel, _message: self._wake.set(), self._wake.set)
        return [
            self._drain_on_stop(),
            self.ownership.run(self._wake, self._status),
            self._consumer.run(),
            self.ownership.deadlines.run(),
            self._wake_reader_on_change(),
            self._follow_drain_requests(),
            self._measure(),
            self._measure_store(),
        ]

    async def run(self) -> None:
        """Run all loops until the node has drained, or one of them fails."""
        tasks = [asyncio.ensure_future(loop) for loop in self.loops()]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # --- draining ---------------------------------------------------------------------------------------------------

    async def _drain_on_stop(self) -> None:
        """Hand over all partitions, each between two of its batches, then end."""
        await self.stop.wait()
        try:
            async with asyncio.timeout(_HAND_OVER_S):
                await self.ownership.drain()
                while self.ownership.partitions:
                    await self._wake_reader()
                    await asyncio.sleep(_HAND_OVER_CHECK_S)
        except (StoreError, TimeoutError):
            log.warning("not all partitions could be handed over; their next owners wait until the leases end")

    async def _follow_drain_requests(self) -> None:
        """Stop when an operator asks for it."""
        while not self.stop.is_set():
            try:
                if await drains.asked(self._store, self.id):
                    log.info("worker %s was asked to drain", self.id)
                    self.stop.set()
            except StoreError as error:
                log.debug("cannot read drain requests: %s", error)
            await asyncio.sleep(_DRAIN_CHECK_S)
        await asyncio.Event().wait()

    # --- the blocked reader -----------------------------------------------------------------------------------------

    async def _wake_reader_on_change(self) -> None:
        """Wake the reader when partitions were added or shall be handed over: a read covers the
        streams that were owned when it began."""
        known: set[Partition] = set()
        while True:
            await self.ownership.changed.wait()
            self.ownership.changed.clear()
            partitions = self.ownership.partitions
            if partitions.keys() != known or any(partition.leaving for partition in partitions.values()):
                await self._wake_reader()
            known = set(partitions)

    async def _wake_reader(self) -> None:
        try:
            await self._reader.wake()
        except StoreError as error:
            log.debug("cannot wake the reader: %s", error)

    # --- the store --------------------------------------------------------------------------------------------------

    def reconnected(self) -> None:
        """Call this after every reconnection to the store."""
        self.ownership.reconnected()
        task = asyncio.get_running_loop().create_task(self.check_store())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def check_store(self) -> None:
        """Drop the partitions that another server serves now, or the same one after a restart: it may lack the last
        commits, so that our memory of their rooms is ahead of it."""
        lost = self.ownership.drop_moved()
        if lost:
            log.warning("another server, or a restarted one, serves %d partitions: loading their rooms again", lost)
        try:
            if self._store.server_of(keys.GAMES) != self._announced_at:
                await self._announce()
        except StoreError as error:
            log.debug("cannot announce the games, the next reconnection tries again: %s", error)
            return
        self._wake.set()

    async def _announce(self) -> None:
        server = self._store.server_of(keys.GAMES)
        await meta.announce(self._store, self._catalog.cards())
        self._announced_at = server

    async def _measure(self) -> None:
        """Update the gauges that no event updates."""
        moves = -1
        while True:
            if moves == self.metrics.moves:
                self.metrics.lagged(0)
            moves = self.metrics.moves
            self.metrics.partitions.set(len(self.ownership.partitions))
            self.metrics.rooms_counted(self._rooms_by_game())
            await asyncio.sleep(_MEASURE_S)

    async def _measure_store(self) -> None:
        """Update the figures of the store, and whether it has the replicas that the durability needs."""
        wanted = self._settings.needed_replicas
        while True:
            await asyncio.sleep(_MEASURE_STORE_S)
            try:
                servers = await store_figures.read(self._store)
            except StoreError as error:  # some hosted stores do not report them
                log.debug("cannot read the figures of the store: %s", error)
                continue
            self.metrics.store_measured(servers, wanted)
            self._replicas_missing = any(len(server.replicas) < wanted for server in servers)

    def _rooms_by_game(self) -> Counter[str]:
        rooms = (room for partition in self.ownership.partitions.values() for room in partition.rooms.values())
        return Counter(game for room in rooms if (game := room.state.spec.game))

    def _status(self) -> bytes:
        """The status in the registry, which operators see. Workers and gateways read from it what can be played."""
        return _encode(
            {
                **self.process_status,
                "version": VERSION,
                "format": meta.FORMAT,
                "games": self._catalog.names(),
                "plays": self._catalog.versions(),
                "partitions": sorted(self.ownership.partitions),
                "rooms": self.rooms,
                "moves": self.metrics.moves,
                "lag_ms": self.metrics.lag_ms,
                "unready": self.unready,
            }
        )

    @property
    def unready(self) -> str:
        """A word for the reason why this worker can make no move; empty if it can."""
        if self.stop.is_set():
            return "draining"
        if self._replicas_missing:  # before the leases, which cannot be taken without replicas
            return "durability"
        if not self.ownership.may_work():
            return "lease"
        return "store_full" if self._consumer.waits_for_space else ""

    @property
    def rooms(self) -> int:
        """The number of rooms in memory."""
        return sum(len(partition.rooms) for partition in self.ownership.partitions.values())
