"""A real store at its memory limit: leases are kept, commits wait, and work goes on once there is space."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.bus import command_streams, commits, leases, store_figures
from shared.bus.client import StoreClient
from shared.bus.command_streams import StreamReader
from shared.bus.commits import Commit, CommitOutcome
from shared.bus.store import StoreRefused
from shared.commands import Enter, Envelope
from shared.ids import CommandId, GatewayId, Partition, SessionId, WorkerId
from shared.room_events import RoomSpec
from shared.runtime.settings import WorkerSettings
from tests.support.bus import LONG_MS, ROOM, P, envelope, linked, taken
from worker.games import load_catalog
from worker.metrics import WorkerMetrics
from worker.partitions.consumer import Consumer
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock

SETTINGS = WorkerSettings(partitions=4, lease_ms=LONG_MS)


@pytest.fixture
async def link(valkey_url: str) -> AsyncIterator[StoreClient]:
    client = await linked(valkey_url)
    await client.call("CONFIG", "RESETSTAT")
    yield client
    await limit(client, 0)
    await client.stop()


async def limit(link: StoreClient, size: int) -> None:
    await link.call("CONFIG", "SET", "maxmemory", size)


async def test_the_used_share_is_that_of_the_limit(link: StoreClient) -> None:
    assert await store_figures.used_share(link) == 0.0
    await limit(link, 1)
    assert await store_figures.used_share(link) > 1.0
    await limit(link, 2**40)
    assert 0.0 < await store_figures.used_share(link) < 0.1


async def test_a_commit_to_a_full_store_writes_nothing_and_can_be_repeated(link: StoreClient) -> None:
    lease = await taken(link)
    batch = Commit(P, lease, "0-0", "5-0", (), records=b"[[],[]]", steps=b"[]")
    await limit(link, 1)
    assert await commits.commit(link, [batch]) == [CommitOutcome.FULL]
    await limit(link, 0)
    assert await link.call("EXISTS", P.journal_log, P.updates_log) == 0
    assert await commits.commit(link, [batch]) == [CommitOutcome.OK]
    assert await link.call("XLEN", P.journal_log) == 1


async def test_leases_are_kept_while_the_store_is_full(link: StoreClient) -> None:
    lease = await taken(link)
    await limit(link, 1)
    assert await leases.renew(link, [(P, lease)], LONG_MS) == [True]
    with pytest.raises(StoreRefused):
        await link.call(*command_streams.adding(P, [envelope(1)]))
    await leases.release(link, P, lease)
    assert (await taken(link)).epoch > lease.epoch


async def test_a_worker_waits_with_its_results_until_there_is_space(link: StoreClient) -> None:
    loop = asyncio.get_running_loop()
    catalog = load_catalog("")
    ownership = Ownership(WorkerId("w-1"), link, SETTINGS, catalog, StoreClock(loop.time), loop.time)
    consumer = Consumer(StreamReader(link, link), link, ownership, SETTINGS, WorkerMetrics(16), lambda: 0.0, loop.time)
    await ownership.take([Partition(1)])
    body = Enter("ada", RoomSpec("stones", 2))
    await link.call(*command_streams.adding(P, [Envelope(ROOM, SessionId("s"), CommandId(1), body, GatewayId("g"), 1)]))
    batches = await consumer.read(None)
    await consumer.load(batches)
    await limit(link, 1)
    committing = asyncio.create_task(consumer.commit(consumer.handle(batches)))
    while not await _refused(link):
        await asyncio.sleep(0)
    assert await link.call("EXISTS", P.journal(ROOM)) == 0
    assert not committing.done()
    await limit(link, 0)
    await committing
    assert await link.call("XLEN", P.journal_log) == 1
    assert Partition(1) in ownership.partitions


async def _refused(link: StoreClient) -> bool:
    return b"errorstat_OOM" in await link.call("INFO", "errorstats")
