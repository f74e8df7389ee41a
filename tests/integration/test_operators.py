"""Requests of operators to the store: drains, owners, and the last steps of a room."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from gateway.http.room_records import RoomRecords
from shared.acts import ActKind, AuditEntry, OperatorAct
from shared.bus import audit, drains, keys, leases
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
        await store.call(*batches.written(P, step))
    records = RoomRecords(store, keys.all_keys(4))
    assert [step.offset for step in await records.latest(ROOM, 3)] == [5]
    await store.call("XADD", P.updates_log, "4-1", "b", msgspec.json.encode(steps[4:]))
    assert [step.offset for step in await records.latest(ROOM, 3)] == [5, 6, 7]


def act(room: int, number: int) -> AuditEntry:
    return AuditEntry(
        number, RoomId(room), Offset(1), number, OperatorAct(f"a-{number}", ActKind.CLOSE, "olga", "spam")
    )


async def test_the_audit_of_all_partitions_is_read_latest_first_and_page_by_page(store: Store) -> None:
    partitions = keys.all_keys(4)
    for number in range(10):
        await store.call(*audit.adding(partitions[number % 3], act(1_000 + number % 3, number)))
    seen: list[str] = []
    page = await audit.read(store, partitions, 3)
    while page.acts:
        seen += [one.entry.act.id for one in page.acts]
        page = await audit.read(store, partitions, 3, page.acts[-1].id)
    # Acts of different partitions within a millisecond have no order among them.
    assert sorted(seen) == [f"a-{number}" for number in range(10)]
    for partition in range(3):
        own = [name for name in seen if int(name[2:]) % 3 == partition]
        assert own == sorted(own, reverse=True)
    assert not (await audit.read(store, partitions, 10)).more


async def test_the_audit_of_a_partition_keeps_the_last_acts(store: Store) -> None:
    await store.pipe([audit.adding(P, act(1_001, number)) for number in range(audit.MOST_KEPT + 5)])
    page = await audit.read(store, [P], audit.MOST_KEPT + 5)
    assert len(page.acts) == audit.MOST_KEPT
    assert page.acts[-1].entry.number == 5
