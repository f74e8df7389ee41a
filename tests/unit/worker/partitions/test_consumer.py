"""The consumer: reading, handling and committing, step by step."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from shared.bus import command_streams, journal, keys
from shared.bus.store import RedisCommand
from shared.commands import Enter, Envelope, Say, Watch
from shared.deliveries import Delivery
from shared.ids import LOBBY, CommandId, CommitNumber, Partition, RoomId, SessionId
from shared.results import Result
from tests.support.fake_store import FakeServer, VirtualTime
from tests.support.room_bench import act
from tests.support.toys import Poison
from tests.support.worker_bench import G1, KEYS, ROOM, SETTINGS, TOY, WorkerBench
from worker.partitions.consumer import PartitionBatch, TurnBudget
from worker.partitions.watchdog import CommandTookTooLong
from worker.room.room import Room


class Stop(Exception):
    """The loop has gone round once."""


def stopping_after_one(read: Callable[[int | None], Awaitable[list[PartitionBatch]]]) -> Callable[[int | None], Any]:
    rounds = 0

    async def once(_block_ms: int | None) -> list[PartitionBatch]:
        nonlocal rounds
        rounds += 1
        if rounds > 1:
            raise Stop
        return await read(None)

    return once


@pytest.fixture
def bench() -> Iterator[WorkerBench]:
    time = VirtualTime()
    with time.installed():
        yield WorkerBench(time, FakeServer())


async def test_nothing_is_read_without_a_partition(bench: WorkerBench) -> None:
    await bench.add(Enter("ada", TOY))
    assert await bench.consumer.consume(None) == 0


async def test_one_round_reads_handles_and_commits(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    assert await bench.journal() == 1


@pytest.mark.parametrize(("many", "pauses"), [(16, [SETTINGS.linger_ms / 1_000]), (15, [])])
async def test_the_consumer_lingers_after_a_round_with_many_commands(
    bench: WorkerBench, monkeypatch: pytest.MonkeyPatch, many: int, pauses: list[float]
) -> None:
    paused: list[float] = []

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    await bench.ownership.tick()
    await bench.add(*[Watch()] * many)
    monkeypatch.setattr(asyncio, "sleep", pause)
    monkeypatch.setattr(bench.consumer, "read", stopping_after_one(bench.consumer.read))
    with pytest.raises(Stop):
        await bench.consumer.run()
    assert paused == pauses


async def test_committed_entries_are_not_read_again(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    await bench.consumer.consume(None)
    assert await bench.consumer.consume(None) == 0


async def test_a_refused_entry_of_one_room_does_not_cost_another_its_deadline(bench: WorkerBench) -> None:
    other = RoomId(1002)
    await bench.ownership.tick()
    await bench.store.call("XADD", KEYS[0].updates(other), "9-0", "b", "[]")
    for room in (other, ROOM):
        await bench.add(Enter("ada", TOY), room=room)
        await bench.add(Enter("bob"), room=room, who="bob")
        await bench.add(Watch(view=False), room=room)
    await bench.consumer.consume(None)
    deadlines = await bench.store.call("ZRANGE", KEYS[0].deadlines, 0, -1)
    assert await bench.journal() == 3
    assert {due.partition(b":")[0] for due in deadlines} == {b"%d" % ROOM, b"%d" % other}


async def test_nothing_is_published_before_the_commit(bench: WorkerBench) -> None:
    subscriber = bench.store.server.subscribe((keys.out(G1),))
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    batches = await bench.consumer.read(None)
    await bench.consumer.load(batches)
    handled = bench.consumer.handle(batches)
    before = subscriber.received()
    await bench.consumer.commit(handled)
    assert (before, len(subscriber.received())) == ([], 1)


async def test_a_gateway_receives_a_delivery_after_the_commit(bench: WorkerBench) -> None:
    subscriber = bench.store.server.subscribe((keys.out(G1),))
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    ((_, data),) = subscriber.received()
    assert [reply.seat for one in msgspec.json.decode(data, type=list[Delivery]) for reply in one.replies] == [0]


async def test_the_lobby_gets_a_notice_of_a_new_table(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    await bench.consumer.consume(None)
    assert await bench.journal(LOBBY) == 1


async def test_a_stale_owner_cannot_commit(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    batches = await bench.consumer.read(None)
    await bench.consumer.load(batches)
    handled = bench.consumer.handle(batches)
    bench.time.advance(1_001)
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.take([Partition(0)])
    await bench.consumer.commit(handled)
    assert await bench.journal() == 0


async def test_a_refused_commit_drops_the_partition(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    bench.time.advance(1_001)
    await WorkerBench(bench.time, bench.store.server, "w-2").ownership.take([Partition(0)])
    await bench.consumer.consume(None)
    assert Partition(0) not in bench.ownership.partitions


async def test_a_commit_with_an_unknown_outcome_drops_the_partition(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    bench.store.lose_next = True
    await bench.consumer.consume(None)
    assert list(bench.ownership.partitions) == [Partition(1)]


async def test_a_batch_whose_outcome_was_unknown_is_not_handled_twice(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    bench.store.lose_next = True
    await bench.consumer.consume(None)
    await bench.ownership.tick()
    await bench.consumer.consume(None)
    assert await bench.journal() == 1


async def test_entries_read_before_a_partition_was_lost_and_retaken_are_not_handled(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    honest = bench.store.pipe

    async def slow(wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await honest(wanted, errors=errors)
        if wanted[0][0] == "XREAD":
            bench.ownership.drop(bench.ownership.partitions[Partition(0)])
            await bench.ownership.take([Partition(0)])
        return replies

    bench.store.pipe = slow  # type: ignore[method-assign]
    assert await bench.consumer.read(None) == []


async def test_an_entry_that_cannot_be_decoded_is_skipped(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.store.call("XADD", KEYS[0].commands, "*", "b", b"\xff nonsense")
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    assert await bench.journal() == 1


async def test_a_room_that_broke_stays_in_quarantine_at_the_next_owner(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.add(act(Poison()))
    await bench.consumer.consume(None)
    bench.time.advance(1_001)
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.take([Partition(0)])
    assert other.ownership.partitions[Partition(0)].quarantined == {ROOM}


async def test_a_room_that_cannot_be_loaded_is_marked(bench: WorkerBench) -> None:
    await bench.store.call("SET", KEYS[0].snapshot(ROOM), b"1-0\nnonsense")
    await bench.ownership.tick()
    await bench.add(Watch())
    await bench.consumer.consume(None)
    assert await bench.store.call("HEXISTS", KEYS[0].quarantine, ROOM) == 1


async def test_a_player_who_is_refused_for_long_leaves_little_to_load(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    for _ in range(5):
        await bench.add(*[Say("")] * SETTINGS.snapshot_every)
        await bench.consumer.consume(None)
    (kept,) = await journal.load(bench.store, [(KEYS[0], ROOM)])
    assert len(kept.records) == 0
    assert await written(bench) == 6  # the step, and the last refusal before each snapshot
    await bench.ownership.drain()
    await bench.consumer.release_leaving()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    await bench.add(Say(""))
    await other.consumer.consume(None)
    assert await written(bench) == 6
    assert len(other.ownership.partitions[Partition(0)].unwritten.records(ROOM)) == 1


async def written(bench: WorkerBench) -> int:
    """The number of records that the room's own journal has."""
    return sum([len(records) async for records in journal.portions(bench.store, KEYS[0], ROOM)])


# --- the budget of a turn --------------------------------------------------------------------------------------------


@pytest.fixture
def expensive(bench: WorkerBench, monkeypatch: pytest.MonkeyPatch) -> WorkerBench:
    """A worker for which every command costs more than the budget of a turn."""
    handle = Room.handle

    def slow(room: Room, envelope: Envelope, at_ms: int, number: CommitNumber) -> Result:
        bench.cpu_s += SETTINGS.lease_ms / 1_000 / 10
        return handle(room, envelope, at_ms, number)

    monkeypatch.setattr(Room, "handle", slow)
    return bench


async def test_a_turn_ends_with_the_entry_that_uses_up_the_budget(expensive: WorkerBench) -> None:
    await expensive.ownership.tick()
    await expensive.add(Enter("ada", TOY), Watch(), Watch())
    assert await expensive.consumer.consume(None) == 1
    assert len(expensive.ownership.partitions[Partition(0)].waiting) == 2
    assert await expensive.consumer.consume(None) == 1
    assert await expensive.consumer.consume(None) == 1


async def test_the_rest_of_a_batch_is_handled_in_order_and_once(expensive: WorkerBench) -> None:
    await expensive.ownership.tick()
    await expensive.add(Enter("ada", TOY), Say("one"), Say("two"), Say("three"))
    while await expensive.consumer.consume(None):
        pass
    room = expensive.ownership.partitions[Partition(0)].rooms[ROOM]
    assert [said.text for said in room.state.chat] == ["one", "two", "three"]
    assert await expensive.journal() == 4


async def test_entries_that_wait_are_lost_with_their_partition_and_read_by_the_next_owner(
    expensive: WorkerBench,
) -> None:
    await expensive.ownership.tick()
    await expensive.add(Enter("ada", TOY), Say("one"), Say("two"))
    await expensive.consumer.consume(None)
    expensive.time.advance(1_001)
    other = WorkerBench(expensive.time, expensive.store.server, "w-2")
    await other.ownership.take([Partition(0)])
    assert await expensive.consumer.consume(None) == 1
    assert Partition(0) not in expensive.ownership.partitions
    await other.consumer.consume(None)
    assert await expensive.journal() == 3


async def test_expensive_commands_of_one_partition_do_not_keep_the_others_waiting(expensive: WorkerBench) -> None:
    other = RoomId(1001)
    await expensive.ownership.tick()
    await expensive.add(*[Enter("ada", TOY)] * 5)
    await expensive.add(Enter("ada", TOY), room=other)
    await expensive.consumer.consume(None)
    await expensive.consumer.consume(None)
    assert await expensive.journal() == 1
    assert await expensive.journal(other) == 1


async def test_after_a_command_that_took_too_long_no_other_entry_is_begun(
    bench: WorkerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_room: Room, _envelope: Envelope, _at_ms: int, _number: CommitNumber) -> Result:
        bench.ownership.watchdog.overtime = True
        raise CommandTookTooLong

    monkeypatch.setattr(Room, "handle", slow)
    await bench.ownership.tick()
    await bench.add(Watch(), Watch())
    assert await bench.consumer.consume(None) == 1
    assert await bench.consumer.consume(None) == 1


async def test_rooms_are_loaded_a_portion_at_a_time(bench: WorkerBench, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = [RoomId(2_000 + 2 * number) for number in range(40)]
    replay = Room.__init__

    def slow(room: Room, *given: Any) -> None:
        bench.cpu_s += SETTINGS.lease_ms / 1_000 / 100
        replay(room, *given)

    monkeypatch.setattr(Room, "__init__", slow)
    await bench.ownership.tick()
    for room in rooms:
        await bench.add(Watch(), room=room)
    handled = [await bench.consumer.consume(None) for _ in range(3)]
    assert handled == [16, 16, 8]


async def test_an_entry_waits_until_all_its_rooms_are_loaded(
    bench: WorkerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = [RoomId(2_000 + 2 * number) for number in range(40)]
    await bench.ownership.tick()
    envelopes = [Envelope(room, SessionId("ada"), CommandId(1), Watch(), G1, 1) for room in rooms]
    await bench.store.call(*command_streams.adding(KEYS[0], envelopes))
    replay = Room.__init__

    def slow(room: Room, *given: Any) -> None:
        bench.cpu_s += SETTINGS.lease_ms / 1_000 / 100
        replay(room, *given)

    monkeypatch.setattr(Room, "__init__", slow)
    handled = [await bench.consumer.consume(None) for _ in range(4)]
    assert handled == [0, 0, len(rooms), 0]


async def test_the_consumer_renews_leases_that_the_regular_round_is_late_for(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    for _ in range(5):
        bench.time.advance(SETTINGS.lease_ms / 3)
        await bench.add(Watch())
        await bench.consumer.consume(None)
    await bench.ownership.tick()
    assert bench.ownership.now_ms() > 0
    assert set(bench.ownership.partitions) == {Partition(0), Partition(1)}
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.take([Partition(0), Partition(1)])
    assert not other.ownership.partitions


def test_the_cpu_time_of_a_turn_is_read_only_when_it_may_be_used_up() -> None:
    read: list[float] = []
    now = 0.0

    def cpu() -> float:
        read.append(now)
        return 0.0

    budget = TurnBudget(cpu, lambda: now, SETTINGS.lease_ms)
    budget.begin()
    assert not budget.is_spent()
    assert len(read) == 1
    now = SETTINGS.lease_ms / 1_000
    assert not budget.is_spent(), "the process has waited"
    assert len(read) == 2
