"""Deadlines of a worker's partitions: which are due, which were replaced, and how many are kept."""

from collections.abc import Sequence
from typing import Any

from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.store import RedisCommand, StoreDown
from shared.ids import Epoch, Partition, RoomId
from shared.results import DueDeadline
from tests.support.fake_store import FakeServer, FakeStore
from tests.support.room_bench import CATALOG, SETTINGS
from worker.partitions.deadlines import DeadlineScheduler
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock

ROOM = RoomId(1000)
OURS, LOST = Partition(0), Partition(1)


class DeafStore(FakeStore):
    """Takes nothing while it is deaf."""

    deaf = False

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        if self.deaf:
            raise StoreDown("away")
        return await super().pipe(wanted, errors=errors)


class Bench:
    def __init__(self) -> None:
        self.now_s = 0.0
        clock = StoreClock(lambda: self.now_s)
        clock.set(0)
        self.store = DeafStore(FakeServer())
        self.keys = Keys(OURS, 2)
        partition = OwnedPartition(OURS, self.keys, Lease(Epoch(1), "w:1:x", "0-0", 0), CATALOG, SETTINGS)
        self.deadlines = DeadlineScheduler(self.store, clock, {OURS: partition}, lambda: True)

    def passed(self, at_ms: int) -> dict[Partition, list[DueDeadline]]:
        self.now_s = at_ms / 1_000
        return self.deadlines.passed()


def due(at_ms: int, generation: int = 0, name: str = "turn") -> DueDeadline:
    return DueDeadline(at_ms, ROOM, name, generation)


def test_a_deadline_is_due_at_its_time_and_once() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000)])
    assert bench.passed(999) == {}
    assert bench.passed(1_100) == {OURS: [due(1_000)]}
    assert bench.passed(1_200) == {}


def test_a_deadline_that_was_replaced_is_not_due() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000, 1), due(2_000, 2)])
    assert bench.passed(1_100) == {}
    assert bench.passed(2_100) == {OURS: [due(2_000, 2)]}


def test_a_deadline_that_was_cleared_is_not_due() -> None:
    bench = Bench()
    bench.deadlines.follow(OURS, [(due(1_000), True), (due(1_000), False)])
    assert bench.passed(1_100) == {}


def test_a_deadline_that_was_cleared_and_started_again_is_due() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000)])
    bench.deadlines.follow(OURS, [(due(1_000), False), (due(1_000), True)])
    assert bench.passed(1_100) == {OURS: [due(1_000)]}


def test_clearing_a_deadline_that_was_replaced_does_not_concern_the_new_one() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000, 1), due(2_000, 2)])
    bench.deadlines.follow(OURS, [(due(1_000, 1), False)])
    assert bench.passed(2_100) == {OURS: [due(2_000, 2)]}


def test_rooms_that_come_and_go_need_no_more_memory() -> None:
    bench = Bench()
    for number in range(10_000):
        timer = DueDeadline(10**9, RoomId(number), "turn", 0)
        bench.deadlines.follow(OURS, [(timer, True)])
        bench.deadlines.follow(OURS, [(timer, False)])
    assert len(bench.deadlines) < 2_000


def test_deadlines_of_other_names_do_not_replace_each_other() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000), due(1_000, name="abandoned")])
    assert len(bench.passed(1_100)[OURS]) == 2


def test_deadlines_of_a_lost_partition_are_not_fired() -> None:
    bench = Bench()
    bench.deadlines.add(LOST, [due(1_000)])
    assert bench.passed(1_100) == {}


def test_a_room_that_moves_on_and_on_needs_no_more_memory() -> None:
    bench = Bench()
    for move in range(100_000):
        bench.deadlines.add(OURS, [due(10**9 + move, move)])
    assert len(bench.deadlines) < 2_000
    assert bench.passed(2 * 10**9) == {OURS: [due(10**9 + 99_999, 99_999)]}


async def test_deadlines_that_the_store_did_not_take_are_added_again() -> None:
    bench = Bench()
    bench.deadlines.add(OURS, [due(1_000)])
    bench.now_s = 1.1
    bench.store.deaf = True
    await bench.deadlines.fire()
    bench.store.deaf = False
    await bench.deadlines.fire()
    assert await bench.store.call("XLEN", bench.keys.commands) == 1
