"""A store that Sentinels watch: clients find its primary, and follow when another server takes over."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from shared.bus import meta, store_address, store_changes
from shared.bus.store import StoreDown, StoreError, StoreRefused
from shared.bus.topology import SharedStore, StoreTopology, topology_of
from tests.support.bus import P
from tests.support.sentinels import SentinelServers
from tests.support.waiting import eventually_async, eventually_awaited


@pytest.fixture(scope="module")
def servers() -> Iterator[SentinelServers]:
    """Shared by the tests of this module; each begins with a primary and two replicas."""
    with SentinelServers() as running:
        yield running


@pytest.fixture
async def topology(servers: SentinelServers) -> AsyncIterator[StoreTopology]:
    made = topology_of(store_address.parse(servers.url))
    await made.start()
    yield made
    await made.stop()
    servers.heal()  # not in another thread: a server ends with the thread that started it


async def started(topology: StoreTopology, durability: str = "applied") -> SharedStore:
    """A store that is connected. For a moment after a failover the Sentinels name no primary."""
    store = topology.store(checks=meta.durability_checks(durability))

    async def connects() -> bool:
        try:
            await store.start()
        except StoreDown:
            return False
        return True

    await eventually_awaited(connects, "a primary is found")
    return store


async def test_a_client_and_a_subscription_follow_a_failover(topology: StoreTopology, servers: SentinelServers) -> None:
    connected, gaps = asyncio.Event(), asyncio.Queue[None]()
    store, subscriber = topology.store(on_connect=connected.set), topology.subscription()
    await store.start()
    received: list[bytes] = []
    subscriber.start(("news",), lambda _channel, message: received.append(message), lambda: gaps.put_nowait(None))
    await gaps.get()
    before = store.server_of(P.owner)
    await asyncio.to_thread(servers.fail_over)
    await connected.wait()
    await gaps.get()
    after = store.server_of(P.owner)
    await store.call("PUBLISH", "news", "again")
    await eventually_async(lambda: received == [b"again"], "the message arrives")
    await subscriber.stop()
    await store.stop()
    assert after not in ("", before)


async def test_a_primary_that_comes_back_is_not_used(topology: StoreTopology, servers: SentinelServers) -> None:
    store = await started(topology)
    old = await asyncio.to_thread(servers.fail_over)
    servers.end_failovers()  # the next one might choose the old primary
    old.restart()
    old.ask("REPLICAOF", "NO", "ONE")
    assert (await asyncio.to_thread(old.ask, "ROLE"))[0] == b"master"
    late = await started(topology)
    used = late.server_of(P.owner)
    await store.stop()
    await late.stop()
    assert used
    assert str(old.port) not in used


async def test_a_promoted_server_that_does_not_write_to_disk_is_refused(
    topology: StoreTopology, servers: SentinelServers
) -> None:
    primary = await asyncio.to_thread(servers.primary)
    for replica in (server for server in servers.servers if server is not primary):
        replica.ask("CONFIG", "SET", "appendfsync", "everysec")
    store = await started(topology, "fsync")
    await asyncio.to_thread(servers.fail_over)
    with pytest.raises(StoreRefused, match="appendfsync always"):
        await started(topology, "fsync")
    assert not store.up
    await store.stop()


@pytest.mark.verify
async def test_a_forced_failover_undoes_no_write_that_one_of_two_replicas_has_confirmed(
    topology: StoreTopology, servers: SentinelServers
) -> None:
    """A replica is promoted while the primary still answers, and the other replica still confirms."""
    store = await started(topology)
    confirmed: list[int] = []

    async def write() -> None:
        for number in count():
            try:
                (reply,) = await store.pipe_replicated([("RPUSH", P.commands, number)], 1, 1_000)
            except StoreError:
                await asyncio.sleep(0.01)
                continue
            if not isinstance(reply, StoreError):
                confirmed.append(number)

    writing = asyncio.create_task(write())
    for _ in range(2):
        enough = len(confirmed) + 100
        await eventually_async(lambda enough=enough: len(confirmed) > enough, "writes are confirmed")  # type: ignore[misc]
        await store_changes.failover(servers.url)
        servers.heal()  # the old primary would become a replica after ten seconds
    enough = len(confirmed) + 100
    await eventually_async(lambda: len(confirmed) > enough, "the new primary confirms writes")
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    kept = set(map(int, await store.call("LRANGE", P.commands, 0, -1)))
    await store.call("DEL", P.commands)
    await store.stop()
    assert [number for number in confirmed if number not in kept] == []
