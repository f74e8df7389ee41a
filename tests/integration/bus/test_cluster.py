"""A Cluster of six nodes: commands find their node while slots move and primaries are killed."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from shared.bus import command_streams, commits, keys, leases, store_address
from shared.bus.commits import Commit, CommitOutcome
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.topology import SharedStore, StoreTopology, topology_of
from shared.ids import CommitNumber, GatewayId, Partition, WorkerId
from tests.support.bus import envelope
from tests.support.valkey_cluster import ClusterServers
from tests.support.waiting import eventually_async, eventually_awaited

PARTITIONS = keys.all_keys(16, sharded=True)
GATEWAY = GatewayId("g-1")
LONG_MS = 60_000


@pytest.fixture(scope="module")
def servers() -> Iterator[ClusterServers]:
    """Shared by the tests of this module; each begins with three primaries and a replica of each."""
    with ClusterServers() as running:
        yield running


@pytest.fixture
async def topology(servers: ClusterServers) -> AsyncIterator[StoreTopology]:
    made = topology_of(store_address.parse(servers.url))
    await made.start()
    yield made
    await made.stop()
    servers.heal()  # not in another thread: a server ends with the thread that started it


@pytest.fixture
async def store(topology: StoreTopology) -> AsyncIterator[SharedStore]:
    made = topology.store()
    await made.start()
    yield made
    await made.stop()


async def taken(store: SharedStore, partition: Keys) -> Lease:
    (lease,) = await leases.take(store, [partition], WorkerId("w"), LONG_MS)
    assert lease is not None
    return lease


def commit(partition: Keys, lease: Lease, number: int, message: bytes = b"") -> Commit:
    last, after = max(number - 1, lease.commit), f"{number}-0"
    messages = ((partition.out(GATEWAY), message),) if message else ()
    before = lease.cursor if last == lease.commit else f"{last}-0"
    return Commit(partition, lease, before, after, (), messages, CommitNumber(number), records=b"[[],[]]")


async def test_partitions_of_all_nodes_are_committed_together(store: SharedStore) -> None:
    held = [await taken(store, partition) for partition in PARTITIONS]
    batch = [commit(one, lease, lease.commit + 1) for one, lease in zip(PARTITIONS, held, strict=True)]
    assert await commits.commit(store, batch) == [CommitOutcome.OK] * len(PARTITIONS)


async def test_a_reader_finds_the_commands_of_every_partition(topology: StoreTopology, store: SharedStore) -> None:
    reader = topology.reader("w", store)
    store.cast([command_streams.adding(partition, [envelope(1)]) for partition in PARTITIONS])
    cursors = {Partition(number): (partition, "0-0") for number, partition in enumerate(PARTITIONS)}
    found: set[Partition] = set()

    async def read() -> bool:
        found.update(await reader.read(cursors, 10, 1_000))
        return len(found) == len(PARTITIONS)

    await eventually_awaited(read, "all partitions are read")
    await reader.stop()


async def test_a_waiting_reader_gets_a_command_and_can_be_woken(topology: StoreTopology, store: SharedStore) -> None:
    reader, partition = topology.reader("w", store), PARTITIONS[3]
    (last,) = await store.call("XREVRANGE", partition.commands, "+", "-", "COUNT", 1) or [[b"0-0"]]
    cursors = {Partition(3): (partition, last[0].decode())}
    waiting = asyncio.create_task(reader.read(cursors, 10, 20_000))
    while b"blocked_clients:1" not in b"".join((await store.each("INFO", "clients")).values()):
        await asyncio.sleep(0)
    await store.call(*command_streams.adding(partition, [envelope(2)]))
    assert (await waiting)[Partition(3)][0][1] == (envelope(2),)
    woken = asyncio.create_task(reader.read({Partition(3): (partition, "$")}, 10, 20_000))
    await asyncio.sleep(0)
    while not woken.done():
        await reader.wake()
        await asyncio.sleep(0)
    assert await woken == {}
    await reader.stop()


async def test_commands_and_messages_follow_a_slot_that_moves(
    topology: StoreTopology, store: SharedStore, servers: ClusterServers
) -> None:
    partition = PARTITIONS[5]
    lease = await taken(store, partition)
    number = lease.commit + 1
    received: list[bytes] = []
    gaps: list[None] = []
    subscriber = topology.subscription()
    subscriber.start((partition.out(GATEWAY),), lambda _channel, data: received.append(data), lambda: gaps.append(None))
    await eventually_async(lambda: gaps, "the channel is subscribed")
    before = store.server_of(partition.owner)
    moving = asyncio.create_task(asyncio.to_thread(servers.move, partition.owner))
    outcomes = []
    while not moving.done():
        outcomes += await commits.commit(store, [commit(partition, lease, number)])
        number += outcomes[-1] == CommitOutcome.OK
    await moving
    await eventually_async(lambda: len(gaps) > 1, "the channel is subscribed at the new node")

    async def received_more() -> bool:
        nonlocal number
        outcome = await commits.commit(store, [commit(partition, lease, number, b"1")])
        number += outcome == [CommitOutcome.OK]
        return bool(received)

    await eventually_awaited(received_more, "a message arrives from the new node")
    await subscriber.stop()
    assert store.server_of(partition.owner) not in ("", before)
    assert {outcome for outcome in outcomes if not str(outcome).startswith("TRYAGAIN")} <= {CommitOutcome.OK}
    assert await store.call("XLEN", partition.journal_log) == number - 1


async def test_the_replica_of_a_killed_primary_takes_over(
    topology: StoreTopology, store: SharedStore, servers: ClusterServers
) -> None:
    partition = PARTITIONS[9]
    lease = await taken(store, partition)
    assert await commits.commit(store, [commit(partition, lease, lease.commit + 1)]) == [CommitOutcome.OK]
    before = store.server_of(partition.owner)
    await asyncio.to_thread(servers.fail_over, partition.owner)
    await eventually_async(lambda: store.server_of(partition.owner) not in ("", before), "the replica is connected")
    again = await taken(store, partition)
    assert again.epoch > lease.epoch
    assert again.commit >= lease.commit
