"""The node of a worker: what it does when its store comes back."""

import time
from collections.abc import Callable, Sequence

from shared.bus import meta
from shared.bus.command_streams import StreamReader
from shared.bus.store import Argument, OnMessage, OutcomeUnknown
from shared.ids import WorkerId
from shared.runtime.settings import WorkerSettings
from tests.support.fake_store import FakeStore
from worker.games import load_catalog
from worker.metrics import WorkerMetrics
from worker.node import WorkerNode


class Leaving(FakeStore):
    """Names its server; commands fail until it is here to stay."""

    here = False
    server_name = "first"

    def server_of(self, key: str) -> str:
        return self.server_name

    async def call(self, *command: Argument) -> object:
        if not self.here:
            raise OutcomeUnknown("the connection to the store was lost")
        return await super().call(*command)


class QuietSubscription:
    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        """No message ever comes."""


def node(store: Leaving, monotonic: Callable[[], float] = time.monotonic) -> WorkerNode:
    catalog = load_catalog("")
    settings, subscription, metrics = WorkerSettings(), QuietSubscription(), WorkerMetrics(16)
    return WorkerNode(
        WorkerId("w-1"),
        settings,
        catalog,
        store,
        StreamReader(store, store),
        subscription,
        monotonic,
        metrics,
        time.process_time,
    )


async def test_games_are_announced_when_a_restarted_store_stays_after_it_was_lost_again() -> None:
    store = Leaving()
    worker = node(store)
    await worker.check_store()
    store.here = True
    await worker.check_store()
    assert "stones" in await meta.games(store)


async def test_a_restarted_store_makes_the_node_drop_all_partitions() -> None:
    store = Leaving()
    store.here = True
    worker = node(store)
    await worker.ownership.tick()
    assert worker.ownership.partitions
    store.server_name = "second"
    await worker.check_store()
    assert not worker.ownership.partitions


async def test_a_reconnection_to_the_same_store_keeps_all_partitions() -> None:
    store = Leaving()
    store.here = True
    worker = node(store)
    await worker.check_store()
    await worker.ownership.tick()
    await worker.check_store()
    assert worker.ownership.partitions


async def test_a_worker_is_ready_while_its_leases_are_renewed() -> None:
    now = [1_000.0]
    store = Leaving()
    store.here = True
    worker = node(store, lambda: now[0])
    await worker.ownership.tick()
    assert worker.unready == ""
    now[0] += 2.5
    assert worker.unready == "lease"
    await worker.ownership.tick()
    assert worker.unready == ""


async def test_a_worker_that_drains_is_not_ready() -> None:
    worker = node(Leaving())
    worker.stop.set()
    assert worker.unready == "draining"


async def test_a_worker_whose_results_wait_for_space_is_not_ready() -> None:
    worker = node(Leaving())
    worker._consumer.waits_for_space = True
    assert worker.unready == "store_full"


async def test_a_worker_is_not_ready_while_replicas_are_missing_that_the_durability_needs() -> None:
    worker = node(Leaving())
    worker._replicas_missing = True
    assert worker.unready == "durability"
