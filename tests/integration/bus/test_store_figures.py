"""Figures of real servers: memory, clients, and replicas that come and go."""

from collections.abc import AsyncIterator

import pytest

from shared.bus import store_figures
from shared.bus.client import StoreClient
from tests.support.bus import linked
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually_awaited


@pytest.fixture
async def link(own_valkey: ValkeyServer) -> AsyncIterator[StoreClient]:
    client = await linked(own_valkey.url)
    yield client
    await client.stop()


async def test_memory_and_clients_are_reported(link: StoreClient) -> None:
    [before] = await store_figures.read(link)
    await link.call("SET", "key", b"x" * 1_000_000)
    [after] = await store_figures.read(link)
    assert after.memory >= before.memory + 1_000_000
    assert after.clients >= 1
    assert after.replicas == ()


async def test_a_replica_is_counted_while_it_is_connected(link: StoreClient, own_valkey: ValkeyServer) -> None:
    async def replicas(wanted: int) -> bool:
        [figures] = await store_figures.read(link)
        return len(figures.replicas) == wanted

    with ValkeyServer(extra=("--replicaof", f"127.0.0.1 {own_valkey.port}")):
        await eventually_awaited(lambda: replicas(1), "the replica is connected")
    await eventually_awaited(lambda: replicas(0), "the replica is gone")
