"""Reading, handling and committing, step by step over a store in the test process."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from shared.bus import command_streams, journal, keys, leases
from shared.bus.registry import GATEWAYS
from shared.bus.scripts import script
from shared.bus.store import Argument, OutcomeUnknown, RedisCommand
from shared.commands import Compensate, Enter, Envelope, RoomCommand, Say, Watch
from shared.deliveries import Delivery
from shared.ids import LOBBY, CommandId, GatewayId, Partition, RoomId, SessionId, WorkerId
from shared.room_events import RoomSpec
from shared.runtime.settings import WorkerSettings
from tests.support.fake_store import FakeServer, FakeStore, VirtualTime
from tests.support.room_bench import ENGINES, act
from tests.support.toys import Poison
from worker.metrics import Metrics
from worker.partitions.consumer import Consumer, PartitionWork
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock

SETTINGS = WorkerSettings(partitions=2, lease_ms=1_000, gateway_lease_ms=1_000)
KEYS = keys.all_keys(2)
ROOM = RoomId(1000)
G1 = GatewayId("g-1")
TOY = RoomSpec("toy", 2, turn_ms=9_000)


class FlakyStore(FakeStore):
    """Loses the answer to the next commit, if told to."""

    lose_next = False

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await super().pipe(wanted, errors=errors)
        if self.lose_next and errors:
            self.lose_next = False
            raise OutcomeUnknown("lost")
        return replies


class SlowStore(FlakyStore):
    """Takes its time for renewals: on the way there, on the way back; a lost answer never comes."""

    def __init__(self, time: VirtualTime, server: FakeServer) -> None:
        super().__init__(server)
        self._time = time
        self.there_ms = self.back_ms = 0
        self.lost = False

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        renewing = any(command[:2] == script("renew", (), ())[:2] for command in wanted)
        self._time.advance(self.there_ms if renewing else 0)
        replies = await super().pipe(wanted, errors=errors)
        self._time.advance(self.back_ms if renewing else 0)
        if renewing and self.lost:
            raise OutcomeUnknown("lost")
        return replies


class Stop(Exception):
    """The loop has gone round once."""


def stopping_after_one(read: Callable[[int | None], Awaitable[list[PartitionWork]]]) -> Callable[[int | None], Any]:
    rounds = 0

    async def once(_block_ms: int | None) -> list[PartitionWork]:
        nonlocal rounds
        rounds += 1
        if rounds > 1:
            raise Stop
        return await read(None)

    return once


class Bench:
    """A worker without its loops."""

    def __init__(self, time: VirtualTime, server: FakeServer, name: str = "w-1") -> None:
        def monotonic() -> float:
            return time.now_s

        self.time = time
        self.store = SlowStore(time, server)
        self.tenancy = Ownership(WorkerId(name), self.store, SETTINGS, ENGINES, StoreClock(monotonic), monotonic)
        self.intake = Consumer(self.store, self.store, self.tenancy, SETTINGS, Metrics())
        self._ids = 0

    async def add(self, *bodies: RoomCommand, room: RoomId = ROOM, who: str = "ada") -> None:
        for body in bodies:
            self._ids += 1
            envelope = Envelope(room, SessionId(who), CommandId(self._ids), body, G1, 1)
            await self.store.call(*command_streams.adding(KEYS[room % 2], [envelope]))

    async def journal(self, room: RoomId = ROOM) -> int:
        return int(await self.store.call("XLEN", KEYS[room % 2].journal(room)))

    async def compensations(self) -> list[RoomCommand]:
        entries = await command_streams.read(self.store, {Partition(0): (KEYS[0], "0-0")}, 100, None)
        bodies = [envelope.body for _, some in entries[Partition(0)] for envelope in some]
        return [body for body in bodies if isinstance(body, Compensate)]


@pytest.fixture
def bench() -> Iterator[Bench]:
    time = VirtualTime()
    with time.installed():
        yield Bench(time, FakeServer())


async def test_nothing_is_read_without_a_partition(bench: Bench) -> None:
    await bench.add(Enter("ada", TOY))
    assert await bench.intake.turn(None) == 0


async def test_a_turn_reads_handles_and_commits(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    assert await bench.journal() == 1


@pytest.mark.parametrize(("many", "pauses"), [(16, [SETTINGS.linger_ms / 1_000]), (15, [])])
async def test_after_a_large_turn_more_is_let_come(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, many: int, pauses: list[float]
) -> None:
    paused: list[float] = []

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    await bench.tenancy.tick()
    await bench.add(*[Watch()] * many)
    monkeypatch.setattr(asyncio, "sleep", pause)
    monkeypatch.setattr(bench.intake, "read", stopping_after_one(bench.intake.read))
    with pytest.raises(Stop):
        await bench.intake.run()
    assert paused == pauses


async def test_what_was_committed_is_not_read_again(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    await bench.intake.turn(None)
    assert await bench.intake.turn(None) == 0


async def test_a_room_whose_entry_is_refused_does_not_cost_another_its_deadline(bench: Bench) -> None:
    other = RoomId(1002)
    await bench.tenancy.tick()
    await bench.store.call("XADD", KEYS[0].updates(other), "9-0", "b", "[]")
    for room in (ROOM, other):
        await bench.add(Enter("ada", TOY), room=room)
        await bench.add(Enter("bob"), room=room, who="bob")
    await bench.intake.turn(None)
    deadlines = await bench.store.call("ZRANGE", KEYS[0].deadlines, 0, -1)
    assert (await bench.journal(), {due.partition(b":")[0] for due in deadlines}) == (3, {b"%d" % ROOM})


async def test_nobody_hears_of_anything_before_it_is_committed(bench: Bench) -> None:
    news = bench.store.server.listen((keys.out(G1),))
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    works = await bench.intake.read(None)
    await bench.intake.load(works)
    handled = bench.intake.handle(works)
    before = news.heard()
    await bench.intake.commit(handled)
    assert (before, len(news.heard())) == ([], 1)


async def test_a_gateway_hears_of_the_commit(bench: Bench) -> None:
    news = bench.store.server.listen((keys.out(G1),))
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    ((_, data),) = news.heard()
    assert [reply.seat for one in msgspec.json.decode(data, type=list[Delivery]) for reply in one.replies] == [0]


async def test_the_lobby_is_told_of_a_new_table(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    await bench.intake.turn(None)
    assert await bench.journal(LOBBY) == 1


async def test_a_stale_owner_cannot_commit(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    works = await bench.intake.read(None)
    await bench.intake.load(works)
    handled = bench.intake.handle(works)
    bench.time.advance(1_001)
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.take([Partition(0)])
    await bench.intake.commit(handled)
    assert await bench.journal() == 0


async def test_a_refused_commit_drops_the_partition(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    bench.time.advance(1_001)
    await Bench(bench.time, bench.store.server, "w-2").tenancy.take([Partition(0)])
    await bench.intake.turn(None)
    assert list(bench.tenancy.holdings) == [Partition(1)]


async def test_a_commit_with_an_unknown_outcome_drops_the_partition(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    bench.store.lose_next = True
    await bench.intake.turn(None)
    assert list(bench.tenancy.holdings) == [Partition(1)]


async def test_a_batch_whose_outcome_was_unknown_is_not_handled_twice(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    bench.store.lose_next = True
    await bench.intake.turn(None)
    await bench.tenancy.tick()
    await bench.intake.turn(None)
    assert await bench.journal() == 1


async def test_entries_read_under_a_tenancy_that_was_lost_are_not_handled_under_the_next(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    honest = bench.store.pipe

    async def slow(wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await honest(wanted, errors=errors)
        if wanted[0][0] == "XREAD":
            bench.tenancy.drop(bench.tenancy.holdings[Partition(0)])
            await bench.tenancy.take([Partition(0)])
        return replies

    bench.store.pipe = slow  # type: ignore[method-assign]
    assert await bench.intake.read(None) == []


async def test_an_entry_that_cannot_be_read_is_passed_over(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.store.call("XADD", KEYS[0].commands, "*", "b", b"\xff nonsense")
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    assert await bench.journal() == 1


async def test_a_room_that_broke_stays_in_quarantine_at_the_next_owner(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.add(act(Poison()))
    await bench.intake.turn(None)
    bench.time.advance(1_001)
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.take([Partition(0)])
    assert other.tenancy.holdings[Partition(0)].quarantined == {ROOM}


async def test_a_room_that_cannot_be_loaded_is_marked(bench: Bench) -> None:
    await bench.store.call("SET", KEYS[0].snapshot(ROOM), b"1-0\nnonsense")
    await bench.tenancy.tick()
    await bench.add(Watch())
    await bench.intake.turn(None)
    assert await bench.store.call("HEXISTS", KEYS[0].quarantine, ROOM) == 1


async def test_a_player_who_is_refused_for_long_leaves_little_to_load(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    for _ in range(5):
        await bench.add(*[Say("")] * SETTINGS.snapshot_every)
        await bench.intake.turn(None)
    (kept,) = await journal.load(bench.store, [(KEYS[0], ROOM)])
    assert (await bench.journal(), len(kept.records)) == (2, 0)
    await bench.tenancy.drain()
    await bench.intake.release_leaving()
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.tick()
    await bench.add(Say(""))
    await other.intake.turn(None)
    assert await bench.journal() == 3


# --- tenancy ----------------------------------------------------------------------------------------------------------


async def test_a_lonely_worker_takes_everything(bench: Bench) -> None:
    await bench.tenancy.tick()
    assert sorted(bench.tenancy.holdings) == [0, 1]


async def test_a_newcomer_gets_its_share_once_it_is_released(bench: Bench) -> None:
    await bench.tenancy.tick()
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.tick()
    await bench.tenancy.tick()
    await bench.intake.release_leaving()
    await other.tenancy.tick()
    assert (len(bench.tenancy.holdings), len(other.tenancy.holdings)) == (1, 1)


async def test_a_dead_workers_partitions_are_taken_when_its_lease_has_run_out(bench: Bench) -> None:
    await bench.tenancy.tick()
    other = Bench(bench.time, bench.store.server, "w-2")
    bench.time.advance(1_001)
    await other.tenancy.tick()
    assert sorted(other.tenancy.holdings) == [0, 1]


async def test_a_worker_that_lost_a_partition_notices_when_it_renews(bench: Bench) -> None:
    await bench.tenancy.tick()
    bench.time.advance(1_001)
    await Bench(bench.time, bench.store.server, "w-2").tenancy.take([Partition(0)])
    bench.time.advance(-600)
    await bench.tenancy.tick()
    assert Partition(0) not in bench.tenancy.holdings


async def test_a_lease_that_ran_out_is_taken_anew_and_its_clocks_are_put_back(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    before = bench.tenancy.holdings[Partition(0)]
    bench.time.advance(4_000)
    await bench.tenancy.tick()
    after = bench.tenancy.holdings[Partition(0)]
    entries = await command_streams.read(bench.store, {Partition(0): (KEYS[0], after.cursor)}, 100, None)
    assert after.tenure.epoch > before.tenure.epoch
    assert Compensate(4_000) in [envelope.body for _, some in entries[Partition(0)] for envelope in some]


async def test_work_stops_when_the_lease_was_not_renewed_in_time(bench: Bench) -> None:
    await bench.tenancy.tick()
    bench.time.advance(700)
    assert not bench.tenancy.may_work()


@pytest.mark.parametrize(("there_ms", "back_ms"), [(0, 500), (500, 0), (250, 250)])
async def test_the_time_to_work_is_measured_from_when_the_renewal_was_sent(
    bench: Bench, there_ms: int, back_ms: int
) -> None:
    """The store may have counted from that moment on: the time that the answer took is not ours."""
    await bench.tenancy.tick()
    bench.time.advance(300)
    bench.store.there_ms, bench.store.back_ms = there_ms, back_ms
    await bench.tenancy.tick()
    assert len(bench.tenancy.holdings) == 2
    bench.time.advance(160)
    assert bench.tenancy.may_work()
    bench.time.advance(10)
    assert not bench.tenancy.may_work()


async def test_a_renewal_without_an_answer_gives_no_time_to_work(bench: Bench) -> None:
    await bench.tenancy.tick()
    bench.time.advance(300)
    bench.store.lost = True
    with pytest.raises(OutcomeUnknown):
        await bench.tenancy.tick()
    bench.time.advance(360)
    assert bench.tenancy.may_work()
    bench.time.advance(10)
    assert not bench.tenancy.may_work()


async def test_a_draining_worker_gives_everything_away(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.tenancy.drain()
    await bench.intake.release_leaving()
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.tick()
    assert (bench.tenancy.holdings, sorted(other.tenancy.holdings)) == ({}, [0, 1])


async def test_rooms_with_clocks_are_compensated_after_an_outage(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    bench.time.advance(60_000)
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.tick()
    assert await bench.compensations() == [Compensate(60_000)]


async def test_an_outage_is_made_up_for_although_a_new_owner_dies_before_it_could(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    bench.time.advance(60_000)
    await bench.store.call(*leases.taking(KEYS[0], WorkerId("w-2"), 1_000))
    bench.time.advance(1_001)
    await Bench(bench.time, bench.store.server, "w-3").tenancy.tick()
    assert await bench.compensations() == [Compensate(61_001)]


async def test_an_outage_is_made_up_for_once_although_the_new_owner_dies_right_after(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    for worker in ("w-2", "w-3"):
        bench.time.advance(60_000)
        await Bench(bench.time, bench.store.server, worker).tenancy.take([Partition(0)])
    assert await bench.compensations() == [Compensate(60_000), Compensate(60_000)]


async def test_a_quick_hand_over_needs_no_compensation(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    await bench.tenancy.drain()
    await bench.intake.release_leaving()
    before = await bench.store.call("XLEN", KEYS[0].commands)
    await Bench(bench.time, bench.store.server, "w-2").tenancy.tick()
    assert await bench.store.call("XLEN", KEYS[0].commands) == before


async def test_deadlines_are_learned_with_a_partition_and_fired_at_their_time(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.add(Enter("bob"), who="bob")
    await bench.intake.turn(None)
    bench.time.advance(900)
    await bench.tenancy.drain()
    await bench.intake.release_leaving()
    other = Bench(bench.time, bench.store.server, "w-2")
    await other.tenancy.tick()
    await other.tenancy.alarm.fire()
    early = await other.intake.turn(None)
    bench.time.advance(9_000)
    await other.tenancy.alarm.fire()
    journal = await bench.journal()
    await other.intake.turn(None)
    assert early
    assert await bench.journal() > journal


async def test_players_of_a_dead_gateway_are_away(bench: Bench) -> None:
    await GATEWAYS.beat(bench.store, G1, 1_000, b"{}", first=True)
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    for _ in range(4):
        bench.time.advance(300)
        await bench.tenancy.tick()
    await bench.intake.turn(None)
    await bench.intake.turn(None)
    held = bench.tenancy.holdings[Partition(0)].rooms[ROOM]
    assert not any(place.here for place in held.state.seats.values())


async def test_a_gateway_that_comes_while_another_is_buried_is_not_taken_for_dead(bench: Bench) -> None:
    other, newcomer = RoomId(1001), GatewayId("g-2")
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    honest = bench.store.call

    async def call(*command: Argument) -> Any:
        if command[0] == "SMEMBERS":
            await GATEWAYS.beat(bench.store, newcomer, 1_000, b"{}", first=True)
            envelope = Envelope(other, SessionId("bob"), CommandId(1), Enter("bob", TOY), newcomer, 1)
            await bench.store.pipe([command_streams.adding(KEYS[1], [envelope])])
            await bench.intake.turn(None)
        return await honest(*command)

    bench.store.call = call  # type: ignore[method-assign]
    for _ in range(4):
        bench.time.advance(300)
        await bench.tenancy.tick()
    assert await honest("EXISTS", KEYS[0].at(G1), KEYS[1].at(newcomer)) == 1
    assert [sorted(holding.gateways) for holding in bench.tenancy.holdings.values()] == [[], [newcomer]]


async def test_players_of_a_living_gateway_stay(bench: Bench) -> None:
    await bench.tenancy.tick()
    await bench.add(Enter("ada", TOY))
    await bench.intake.turn(None)
    for _ in range(4):
        await GATEWAYS.beat(bench.store, G1, 1_000, b"{}", first=True)
        bench.time.advance(300)
        await bench.tenancy.tick()
    held = bench.tenancy.holdings[Partition(0)].rooms[ROOM]
    assert all(place.here for place in held.state.seats.values())
