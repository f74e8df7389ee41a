"""Ownership: taking, renewing and handing over partitions, and cleaning up after processes that have died."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from shared.bus import command_streams, leases
from shared.bus.leases import Lease
from shared.bus.registry import GATEWAYS
from shared.bus.store import Argument, OutcomeUnknown
from shared.commands import Compensate, Enter, Envelope
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId, WorkerId
from tests.support.fake_store import FakeServer, VirtualTime
from tests.support.worker_bench import G1, KEYS, ROOM, TOY, WorkerBench


@pytest.fixture
def bench() -> Iterator[WorkerBench]:
    time = VirtualTime()
    with time.installed():
        yield WorkerBench(time, FakeServer())


async def test_a_single_worker_takes_all_partitions(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    assert sorted(bench.ownership.partitions) == [0, 1]


async def test_a_newcomer_gets_its_share_once_it_is_released(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    await bench.ownership.tick()
    await bench.consumer.release_leaving()
    await other.ownership.tick()
    assert (len(bench.ownership.partitions), len(other.ownership.partitions)) == (1, 1)


async def test_a_dead_workers_partitions_are_taken_when_its_lease_has_run_out(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    bench.time.advance(1_001)
    await other.ownership.tick()
    assert sorted(other.ownership.partitions) == [0, 1]


async def test_a_worker_that_lost_a_partition_notices_when_it_renews(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    bench.time.advance(1_001)
    await WorkerBench(bench.time, bench.store.server, "w-2").ownership.take([Partition(0)])
    bench.time.advance(-600)
    await bench.ownership.tick()
    assert Partition(0) not in bench.ownership.partitions


async def test_a_lease_that_ran_out_is_taken_anew_and_its_clocks_are_put_back(bench: WorkerBench) -> None:
    await bench.write_last_format()
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    before = bench.ownership.partitions[Partition(0)]
    bench.time.advance(4_000)
    await bench.ownership.tick()
    after = bench.ownership.partitions[Partition(0)]
    entries = await command_streams.read(bench.store, {Partition(0): (KEYS[0], after.cursor)}, 100, None)
    assert after.lease.epoch > before.lease.epoch
    assert Compensate(4_000) in [envelope.body for _, some in entries[Partition(0)] for envelope in some]


async def test_work_stops_when_the_lease_was_not_renewed_in_time(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    bench.time.advance(700)
    assert not bench.ownership.may_work()


@pytest.mark.parametrize(("there_ms", "back_ms"), [(0, 500), (500, 0), (250, 250)])
async def test_the_time_to_work_is_measured_from_when_the_renewal_was_sent(
    bench: WorkerBench, there_ms: int, back_ms: int
) -> None:
    """The store may have counted from that moment on: the time that the answer took is not ours."""
    await bench.ownership.tick()
    bench.time.advance(300)
    bench.store.there_ms, bench.store.back_ms = there_ms, back_ms
    await bench.ownership.tick()
    assert len(bench.ownership.partitions) == 2
    bench.time.advance(160)
    assert bench.ownership.may_work()
    bench.time.advance(10)
    assert not bench.ownership.may_work()


async def test_a_renewal_without_an_answer_gives_no_time_to_work(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    bench.time.advance(300)
    bench.store.lost = True
    with pytest.raises(OutcomeUnknown):
        await bench.ownership.tick()
    bench.time.advance(360)
    assert bench.ownership.may_work()
    bench.time.advance(10)
    assert not bench.ownership.may_work()


async def test_a_draining_worker_gives_everything_away(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.ownership.drain()
    await bench.consumer.release_leaving()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    assert (bench.ownership.partitions, sorted(other.ownership.partitions)) == ({}, [0, 1])


async def test_a_worker_that_drains_while_it_takes_partitions_gives_them_away(
    bench: WorkerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    taking, may_take = asyncio.Event(), asyncio.Event()
    take = leases.take

    async def take_late(*arguments: Any) -> list[Lease | None]:
        taking.set()
        await may_take.wait()
        return await take(*arguments)

    monkeypatch.setattr(leases, "take", take_late)
    tick = asyncio.create_task(bench.ownership.tick())
    await taking.wait()
    drain = asyncio.create_task(bench.ownership.drain())
    for _ in range(20):
        await asyncio.sleep(0)
    drained_early = drain.done()
    may_take.set()
    await asyncio.gather(tick, drain)
    await bench.consumer.release_leaving()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    assert not drained_early  # the process ends when it has drained, and would leave the leases behind
    assert (bench.ownership.partitions, sorted(other.ownership.partitions)) == ({}, [0, 1])


async def test_rooms_with_clocks_are_compensated_after_an_outage(bench: WorkerBench) -> None:
    await bench.write_last_format()
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    bench.time.advance(60_000)
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    assert await bench.compensations() == [Compensate(60_000)]


async def test_an_outage_is_made_up_for_although_a_new_owner_dies_before_it_could(bench: WorkerBench) -> None:
    await bench.write_last_format()
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    bench.time.advance(60_000)
    await leases.take(bench.store, [KEYS[0]], WorkerId("w-2"), 1_000)
    bench.time.advance(1_001)
    await WorkerBench(bench.time, bench.store.server, "w-3").ownership.tick()
    assert await bench.compensations() == [Compensate(61_001)]


async def test_an_outage_is_made_up_for_once_although_the_new_owner_dies_right_after(bench: WorkerBench) -> None:
    await bench.write_last_format()
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    for worker in ("w-2", "w-3"):
        bench.time.advance(60_000)
        await WorkerBench(bench.time, bench.store.server, worker).ownership.take([Partition(0)])
    assert await bench.compensations() == [Compensate(60_000), Compensate(60_000)]


async def test_a_quick_hand_over_needs_no_compensation(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    await bench.ownership.drain()
    await bench.consumer.release_leaving()
    before = await bench.store.call("XLEN", KEYS[0].commands)
    await WorkerBench(bench.time, bench.store.server, "w-2").ownership.tick()
    assert await bench.store.call("XLEN", KEYS[0].commands) == before


async def test_deadlines_are_learned_with_a_partition_and_fired_at_their_time(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.consumer.consume(None)
    bench.time.advance(900)
    await bench.ownership.drain()
    await bench.consumer.release_leaving()
    other = WorkerBench(bench.time, bench.store.server, "w-2")
    await other.ownership.tick()
    await other.ownership.deadlines.fire()
    early = await other.consumer.consume(None)
    bench.time.advance(9_000)
    await other.ownership.deadlines.fire()
    journal = await bench.journal()
    await other.consumer.consume(None)
    assert early
    assert await bench.journal() > journal


async def test_players_of_a_dead_gateway_are_away(bench: WorkerBench) -> None:
    await GATEWAYS.heartbeat(bench.store, G1, 1_000, b"{}", first=True)
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    for _ in range(4):
        bench.time.advance(300)
        await bench.ownership.tick()
    await bench.consumer.consume(None)
    await bench.consumer.consume(None)
    held = bench.ownership.partitions[Partition(0)].rooms[ROOM]
    assert not any(place.here for place in held.state.seats.values())


async def test_a_player_whom_a_dead_gateway_seats_late_is_away_as_well(bench: WorkerBench) -> None:
    other = RoomId(1002)
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    honest = bench.store.call

    async def call(*command: Argument) -> Any:
        reply = await honest(*command)
        if command[:2] == ("SMEMBERS", KEYS[0].at(G1)) and other not in bench.ownership.partitions[Partition(0)].rooms:
            await bench.add(Enter("bob", TOY), room=other, who="bob")  # the gateway had added this before its death
            await bench.consumer.consume(None)
        return reply

    bench.store.call = call  # type: ignore[method-assign]
    for _ in range(8):
        bench.time.advance(300)
        await bench.ownership.tick()
        await bench.consumer.consume(None)
    rooms = bench.ownership.partitions[Partition(0)].rooms
    assert not any(place.here for room in (ROOM, other) for place in rooms[room].state.seats.values())
    assert await honest("EXISTS", KEYS[0].at(G1), KEYS[0].gateways) == 0


async def test_a_gateway_that_registers_while_another_is_removed_is_not_taken_for_dead(bench: WorkerBench) -> None:
    other, newcomer = RoomId(1001), GatewayId("g-2")
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    honest = bench.store.call

    async def call(*command: Argument) -> Any:
        if command[0] == "SMEMBERS":
            await GATEWAYS.heartbeat(bench.store, newcomer, 1_000, b"{}", first=True)
            envelope = Envelope(other, SessionId("bob"), CommandId(1), Enter("bob", TOY), newcomer, 1)
            await bench.store.pipe([command_streams.adding(KEYS[1], [envelope])])
            await bench.consumer.consume(None)
        return await honest(*command)

    bench.store.call = call  # type: ignore[method-assign]
    for _ in range(5):
        bench.time.advance(300)
        await bench.ownership.tick()
    assert await honest("EXISTS", KEYS[0].at(G1), KEYS[1].at(newcomer)) == 1
    assert [sorted(holding.gateways) for holding in bench.ownership.partitions.values()] == [[], [newcomer]]


async def test_players_of_a_living_gateway_stay(bench: WorkerBench) -> None:
    await bench.ownership.tick()
    await bench.add(Enter("ada", TOY))
    await bench.consumer.consume(None)
    for _ in range(4):
        await GATEWAYS.heartbeat(bench.store, G1, 1_000, b"{}", first=True)
        bench.time.advance(300)
        await bench.ownership.tick()
    held = bench.ownership.partitions[Partition(0)].rooms[ROOM]
    assert all(place.here for place in held.state.seats.values())
