"""Rooms make up for outages of their partition, or of their game version, when they are next touched."""

from collections.abc import Iterator

import pytest

from shared.commands import Enter, Watch
from shared.ids import Partition, RoomId
from shared.room_events import RoomSpec
from tests.support.fake_store import FakeServer, VirtualTime
from tests.support.room_bench import CATALOG
from tests.support.toys import TOY
from tests.support.worker_bench import KEYS, ROOM, WorkerBench
from worker.games import GameCatalog

OTHER = RoomId(1002)
STONES = RoomSpec("stones", 2, turn_ms=3_600_000)


@pytest.fixture
def bench() -> Iterator[WorkerBench]:
    time = VirtualTime()
    with time.installed():
        yield WorkerBench(time, FakeServer())


async def with_rooms(bench: WorkerBench) -> None:
    """Let the worker own two rooms in play, each with a turn timer."""
    await bench.ownership.tick()
    for room in (ROOM, OTHER):
        await bench.add(Enter("ada", STONES), room=room)
        await bench.add(Enter("bob"), room=room, who="bob")
    await bench.consumer.consume(None)


def due_ms(bench: WorkerBench, room: RoomId = ROOM) -> int:
    return bench.ownership.partitions[Partition(0)].rooms[room].state.deadlines["turn"].due_ms


async def test_a_room_that_is_touched_after_an_outage_gets_the_lost_time_back(bench: WorkerBench) -> None:
    await with_rooms(bench)
    before = due_ms(bench)
    bench.time.advance(60_000)
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    await other.add(Watch(), who="bob")
    await other.consumer.consume(None)
    assert due_ms(other) == before + 60_000
    assert list(other.ownership.partitions[Partition(0)].rooms) == [ROOM]


async def test_several_outages_are_made_up_for_together(bench: WorkerBench) -> None:
    await with_rooms(bench)
    before, workers = due_ms(bench), [bench]
    for number in (2, 3):
        bench.time.advance(60_000)
        workers.append(WorkerBench(bench.time, bench.store.server, f"w-{number}"))
        await workers[-1].ownership.tick()
    await workers[-1].add(Watch(), who="bob")
    await workers[-1].consumer.consume(None)
    assert due_ms(workers[-1]) == before + 120_000


async def test_an_outage_is_made_up_for_once(bench: WorkerBench) -> None:
    await with_rooms(bench)
    before = due_ms(bench)
    bench.time.advance(60_000)
    for number in (2, 3):
        other = WorkerBench(bench.time, bench.store.server, f"w-{number}")
        await other.ownership.take([Partition(0)])
        await other.add(Watch(), who="bob")
        await other.consumer.consume(None)
        assert due_ms(other) == before + 60_000
        await other.ownership.release(other.ownership.partitions[Partition(0)])


async def test_a_move_that_waited_during_an_outage_counts_from_its_end(bench: WorkerBench) -> None:
    """The next player has the whole time for the turn."""
    await with_rooms(bench)
    await bench.add(Enter("ada", STONES), room=RoomId(1004))
    bench.time.advance(60_000)
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    await other.consumer.consume(None)
    room = other.ownership.partitions[Partition(0)].rooms[RoomId(1004)]
    assert room.state.created_ms == other.ownership.partitions[Partition(0)].lease.taken_ms


async def test_a_room_whose_owner_could_not_play_it_gets_that_time_back(bench: WorkerBench) -> None:
    await with_rooms(bench)
    before = due_ms(bench)
    ignorant = WorkerBench(bench.time, bench.store.server, "w-2", GameCatalog((TOY,)))
    await bench.ownership.release(bench.ownership.partitions[Partition(0)])
    await ignorant.ownership.take([Partition(0)])
    await ignorant.add(Watch(), who="bob")
    await ignorant.consumer.consume(None)
    bench.time.advance(90_000)
    await ignorant.ownership.release(ignorant.ownership.partitions[Partition(0)])
    able = WorkerBench(bench.time, bench.store.server, "w-3", CATALOG)
    await able.ownership.take([Partition(0)])
    await able.consumer.consume(None)
    assert due_ms(able) == before + 90_000
    assert await able.store.call("HLEN", KEYS[0].parked) == 0
