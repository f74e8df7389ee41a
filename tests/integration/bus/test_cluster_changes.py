"""Slots that move and nodes that join and leave, on a Cluster of six nodes."""

from collections.abc import AsyncIterator
from contextlib import closing

import pytest

from deploy import resize_cluster
from shared.bus import cluster_changes, keys, meta, store_address, store_changes
from shared.bus.cluster_changes import SlotTransfer
from shared.bus.keys import SLOTS
from shared.bus.store import Store, StoreError, StoreRefused
from shared.bus.store_address import ClusterAddress
from shared.bus.topology import topology_of
from tests.support.valkey import ValkeyServer
from tests.support.valkey_cluster import ClusterServers
from tests.support.waiting import eventually_awaited

PARTITIONS = 16


@pytest.fixture
def cluster(cluster_servers: ClusterServers) -> ClusterAddress:
    address = store_address.parse(cluster_servers.url)
    assert isinstance(address, ClusterAddress)
    return address


@pytest.fixture
async def filled(cluster: ClusterAddress) -> AsyncIterator[Store]:
    """A store with a key in each partition."""
    topology = topology_of(cluster)
    await topology.start()
    store = topology.store()
    await store.start()
    await meta.agree(store, PARTITIONS)
    await store.pipe([("HSET", one.owner, "worker", one.owner) for one in keys.all_keys(PARTITIONS, sharded=True)])
    yield store
    await store.pipe([("DEL", one.owner) for one in keys.all_keys(PARTITIONS, sharded=True)])
    await store.call("DEL", keys.META)
    await store.stop()
    await topology.stop()


async def contents(store: Store) -> list[str]:
    partitions = keys.all_keys(PARTITIONS, sharded=True)
    return [value.decode() for value in await store.pipe([("HGET", one.owner, "worker") for one in partitions])]


async def is_complete(store: Store) -> bool:
    try:
        return await contents(store) == [one.owner for one in keys.all_keys(PARTITIONS, sharded=True)]
    except StoreError:
        return False


async def slots(cluster: ClusterAddress) -> dict[str, tuple[int, ...]]:
    return {node.id: node.slots for node in await cluster_changes.primaries(cluster)}


@pytest.mark.parametrize("way", list(SlotTransfer))
async def test_partitions_are_moved_and_brought_back(cluster: ClusterAddress, filled: Store, way: SlotTransfer) -> None:
    before, url = await slots(cluster), f"redis+cluster://{cluster}"
    moved = await store_changes.move_partitions(url, way)
    lobby = (await cluster_changes.partition_slots(cluster))[0]
    assert len(moved.split(",")) == 8
    assert str(lobby) in moved.split(",")
    assert await slots(cluster) == before
    assert await contents(filled) == [one.owner for one in keys.all_keys(PARTITIONS, sharded=True)]


@pytest.mark.verify
async def test_a_node_joins_with_its_replica_and_leaves_again(cluster: ClusterAddress, filled: Store) -> None:
    extra = ("--repl-diskless-sync-delay", "0", "--cluster-node-timeout", "1000")
    servers = [ValkeyServer(cluster=True, alone=False, extra=extra) for _ in range(2)]
    with closing(servers[0].start()) as primary, closing(servers[1].start()) as replica:
        address, copy = (f"127.0.0.1:{server.port}" for server in (primary, replica))
        await resize_cluster.resize(cluster, ["join", address, copy])
        added = next(node for node in await cluster_changes.primaries(cluster) if str(node.address) == address)
        assert SLOTS // 4 - 3 <= len(added.slots) <= SLOTS // 4
        assert b"connected_slaves:1" in primary.ask("INFO", "replication")
        await eventually_awaited(lambda: is_complete(filled), "all keys are found at the nodes that there are")
        await resize_cluster.resize(cluster, ["leave", address])
        known = {str(node.address) for node in await cluster_changes.nodes(cluster)}
        assert len(known) == 6
        assert address not in known
    assert sum(map(len, (await slots(cluster)).values())) == SLOTS
    await eventually_awaited(lambda: is_complete(filled), "all keys are found at the nodes that stay")


async def test_a_server_that_is_no_node_cannot_leave(cluster: ClusterAddress) -> None:
    with pytest.raises(StoreRefused, match=r"127\.0\.0\.1:1 is not a node of the Cluster"):
        await resize_cluster.resize(cluster, ["leave", "127.0.0.1:1"])
