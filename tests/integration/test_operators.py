"""What operators ask of the store: draining, owners, and the last steps of a room."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from gateway.http.room_records import RoomRecords
from shared.bus import drains, keys, leases
from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.keys import Keys
from shared.bus.scripts import LOADING
from shared.bus.store import Store
from shared.deliveries import StepMessage
from shared.ids import Epoch, Offset, Partition, RoomId, WorkerId
from tests.support import batches

P = Keys(Partition(1), 4)
ROOM = RoomId(1001)


@pytest.fixture(params=["valkey_url", "valkey_cluster_url"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    link = StoreClient(Address.parse(request.getfixturevalue(request.param)), greeting=LOADING)
    await link.start()
    yield link
    await link.stop()


async def test_a_process_is_told_once_that_it_shall_stop(store: Store) -> None:
    await drains.ask(store, "w-1")
    assert await drains.waiting(store) == ["w-1"]
    assert not await drains.asked(store, "w-2")
    assert await drains.asked(store, "w-1")
    assert not await drains.asked(store, "w-1")
    assert await drains.waiting(store) == []


async def test_a_process_that_never_hears_that_it_shall_stop_is_forgotten_by_and_by(store: Store) -> None:
    await drains.ask(store, "w-1")
    assert 0 < await store.call("TTL", keys.DRAIN) <= 600


async def test_the_owner_of_a_partition_is_known_with_its_epoch(store: Store) -> None:
    assert await leases.owner(store, P) == {}
    (lease,) = await leases.take(store, [P], WorkerId("w-1"), 60_000)
    assert lease is not None
    owner = await leases.owner(store, P)
    assert (owner["worker"], owner["epoch"]) == ("w-1", lease.epoch)


async def test_the_last_steps_come_oldest_first_from_the_room_and_from_the_log(store: Store) -> None:
    steps = [
        StepMessage(ROOM, Epoch(1), Offset(offset), msgspec.Raw(b'{"offset":%d}' % offset)) for offset in range(1, 8)
    ]
    for step in steps[:5]:
        await store.call(*batches.told(P, step))
    records = RoomRecords(store, keys.all_keys(4))
    assert [step.offset for step in await records.latest(ROOM, 3)] == [5]
    await store.call("XADD", P.updates_log, "4-1", "b", msgspec.json.encode(steps[4:]))
    assert [step.offset for step in await records.latest(ROOM, 3)] == [5, 6, 7]
