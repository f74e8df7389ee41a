"""What the bus promises, on every kind of store: fakeredis, a Valkey, and a Valkey Cluster of one node."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing

import msgspec
import pytest

from shared.bus import commands, commits, directory, journal, keys, leases, meta, names, updates
from shared.bus.commits import Commit
from shared.bus.directory import Change
from shared.bus.entries import entry
from shared.bus.journal import Record
from shared.bus.keys import Keys
from shared.bus.leases import Registry, Tenure
from shared.bus.meta import GameCard, Unfit
from shared.bus.names import Claimed, Taken
from shared.bus.scripts import LOADING, script
from shared.bus.store import Command, Store, StoreRefused
from shared.bus.wire import Address, Link, Subscription
from shared.envelopes import Act, Envelope, Told
from shared.ids import (
    CommandId,
    Epoch,
    GatewayId,
    Offset,
    Partition,
    RoomId,
    Seat,
    SessionId,
    WorkerId,
)
from shared.rooms import Listing, Position
from tests.support import batches
from tests.support.fake_store import FakeStore
from tests.support.valkey import ValkeyServer

P, Q = Keys(Partition(1), 4), Keys(Partition(2), 4)
ROOM = RoomId(1001)
ANN, BOB = WorkerId("w-ann"), WorkerId("w-bob")
LONG_MS = 60_000
KINDS = ("fakeredis", "valkey", "cluster")


async def _opened(kind: str, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    if kind == "fakeredis":
        yield FakeStore()
        return
    url: str = request.getfixturevalue("valkey_url" if kind == "valkey" else "valkey_cluster_url")
    link = Link(Address.parse(url), greeting=LOADING)
    await link.start()
    yield link
    await link.stop()


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    async for opened in _opened(request.param, request):
        yield opened


@pytest.fixture(params=KINDS[:2])
async def one_server(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Not a Cluster, where every partition would have to be committed by itself."""
    async for opened in _opened(request.param, request):
        yield opened


async def take(store: Store, worker: WorkerId, lease_ms: int = LONG_MS, partition: Keys = P) -> Tenure | None:
    return leases.tenure(await store.call(*leases.taking(partition, worker, lease_ms)))


async def taken(store: Store, worker: WorkerId = ANN, lease_ms: int = LONG_MS) -> Tenure:
    tenure = await take(store, worker, lease_ms)
    assert tenure is not None
    return tenure


async def taken_in_time(store: Store, worker: WorkerId) -> Tenure:
    """As soon as the lease before has run out."""
    while (tenure := await take(store, worker)) is None:
        pass
    return tenure


def envelope(number: int) -> Envelope:
    return Envelope(ROOM, SessionId("s-1"), CommandId(number), Act(msgspec.Raw(b'{"n":1}')), GatewayId("g-1"), 3)


def told(offset: int, epoch: int = 7, **parts: msgspec.Raw) -> Told:
    public = msgspec.Raw(b'{"public":%d}' % offset)
    return Told(ROOM, Epoch(epoch), Offset(offset), public, {Seat(1): parts["seat"]} if "seat" in parts else {})


async def tell(store: Store, *steps: Told) -> None:
    await store.pipe([batches.told(P, step) for step in steps])


# --- leases -----------------------------------------------------------------------------------------------------------


async def test_a_free_partition_is_taken_from_the_beginning_of_its_stream(store: Store) -> None:
    assert (await taken(store)).cursor == "0-0"


async def test_a_partition_that_nobody_ever_held_was_not_idle(store: Store) -> None:
    assert (await taken(store)).idle_ms == 0


async def test_a_held_partition_is_not_given_to_another_worker(store: Store) -> None:
    await taken(store, ANN)
    assert await take(store, BOB) is None


async def test_a_worker_may_take_its_own_partition_again_under_a_new_epoch(store: Store) -> None:
    first, second = await taken(store, ANN), await taken(store, ANN)
    assert second.epoch > first.epoch


async def test_a_lease_that_ran_out_can_be_taken_by_another_worker(store: Store) -> None:
    await taken(store, ANN, 1)
    assert (await taken_in_time(store, BOB)).token.startswith(BOB)


async def test_epochs_rise_and_never_recur(store: Store) -> None:
    epochs = [(await taken(store)).epoch for _ in range(20)]
    assert epochs == sorted(set(epochs))


async def test_the_lower_bits_of_an_epoch_are_random(store: Store) -> None:
    parts = {(await taken(store)).epoch % (1 << 20) for _ in range(10)}
    assert len(parts) > 1


async def test_a_held_lease_can_be_renewed(store: Store) -> None:
    mine = await taken(store)
    assert await leases.renew(store, [(P, mine)], LONG_MS) == [True]


async def test_a_lease_that_another_worker_took_cannot_be_renewed(store: Store) -> None:
    mine = await taken(store, ANN, 1)
    await taken_in_time(store, BOB)
    assert await leases.renew(store, [(P, mine)], LONG_MS) == [False]


async def test_a_lease_that_ran_out_is_not_renewed_but_taken_anew(store: Store) -> None:
    mine = await taken(store, ANN, -1)
    assert await leases.renew(store, [(P, mine)], LONG_MS) == [False]
    assert (await taken(store, ANN)).epoch > mine.epoch


async def test_a_renewed_lease_lasts(store: Store) -> None:
    mine = await taken(store, ANN, LONG_MS)
    before = await leases.owner(store, P)
    await leases.renew(store, [(P, mine)], 2 * LONG_MS)
    after = await leases.owner(store, P)
    assert int(after["until_ms"]) >= int(before["until_ms"]) + LONG_MS


async def test_nothing_to_renew_asks_nothing(store: Store) -> None:
    assert await leases.renew(store, [], LONG_MS) == []


async def test_a_released_partition_is_free_at_once(store: Store) -> None:
    await leases.release(store, P, await taken(store, ANN))
    assert await take(store, BOB) is not None


async def test_a_released_partition_keeps_its_place_in_the_stream(store: Store) -> None:
    mine = await taken(store, ANN)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (), ())])
    await leases.release(store, P, mine)
    assert (await taken(store, BOB)).cursor == "5-0"


async def test_only_the_owner_can_release(store: Store) -> None:
    old = await taken(store, ANN, 1)
    await taken_in_time(store, BOB)
    await leases.release(store, P, old)
    assert await take(store, ANN) is None


async def test_the_time_without_an_owner_is_told_to_the_next(store: Store) -> None:
    await taken(store, ANN, 1)
    idle = [(await taken_in_time(store, BOB)).idle_ms]
    assert idle[0] >= 1


async def test_partitions_are_leased_apart(store: Store) -> None:
    await taken(store, ANN)
    assert await take(store, BOB, partition=Keys(Partition(2), 4)) is not None


# --- registries -------------------------------------------------------------------------------------------------------

REGISTRIES = (leases.WORKERS, leases.GATEWAYS)
registries = pytest.mark.parametrize("registry", REGISTRIES, ids=("workers", "gateways"))


@registries
async def test_a_beating_process_is_alive(store: Store, registry: Registry) -> None:
    roll = await registry.beat(store, "x", LONG_MS, b"{}", first=True)
    assert roll.live == ["x"]


@registries
async def test_everybody_on_the_roll_is_told(store: Store, registry: Registry) -> None:
    await registry.beat(store, "x", LONG_MS, b"{}", first=True)
    roll = await registry.beat(store, "y", LONG_MS, b"{}", first=True)
    assert roll.live == ["x", "y"]


async def test_a_process_without_a_sign_of_life_expires(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", 1, b"{}", first=True)
    expired: list[str] = []
    while not expired:
        expired = (await leases.WORKERS.roll(store)).expired
    assert expired == ["x"]


async def test_the_living_cannot_be_struck_as_expired(store: Store) -> None:
    await leases.GATEWAYS.beat(store, "x", LONG_MS, b"{}", first=True)
    assert not await leases.GATEWAYS.strike(store, "x", expired=True)


async def test_the_expired_can_be_struck(store: Store) -> None:
    await leases.GATEWAYS.beat(store, "x", 1, b"{}", first=True)
    while not await leases.GATEWAYS.strike(store, "x", expired=True):
        pass
    assert (await leases.GATEWAYS.roll(store)).ends == {}


async def test_who_leaves_is_struck_at_once(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)
    assert await leases.WORKERS.strike(store, "x")


async def test_striking_a_stranger_does_nothing(store: Store) -> None:
    assert await leases.WORKERS.strike(store, "nobody")


async def test_who_was_struck_learns_it_with_the_next_beat(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)
    await leases.WORKERS.strike(store, "x")
    assert (await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=False)).struck


async def test_who_was_struck_is_not_put_back_by_a_beat(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=False)
    assert (await leases.WORKERS.roll(store)).ends == {}


async def test_who_was_struck_may_register_anew(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)
    await leases.WORKERS.strike(store, "x")
    assert not (await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)).struck


async def test_the_last_status_of_a_process_is_kept(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"one", first=True)
    await leases.WORKERS.beat(store, "x", LONG_MS, b"two", first=False)
    assert await leases.WORKERS.status(store) == {"x": b"two"}


async def test_the_status_goes_with_the_process(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"one", first=True)
    await leases.WORKERS.strike(store, "x")
    assert await leases.WORKERS.status(store) == {}


async def test_the_roll_tells_the_time_of_the_store(store: Store) -> None:
    beat = await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)
    assert (await leases.WORKERS.roll(store)).now_ms >= beat.now_ms > 1_600_000_000_000


# --- commands ---------------------------------------------------------------------------------------------------------


async def read(store: Store, cursor: str = "0-0", count: int = 100) -> list[commands.Entry]:
    return (await commands.read(store, {Partition(1): (P, cursor)}, count, None)).get(Partition(1), [])


async def test_an_empty_stream_has_nothing_to_read(store: Store) -> None:
    assert await read(store) == []


async def test_commands_come_back_as_they_were_added(store: Store) -> None:
    await store.call(*commands.adding(P, [envelope(1), envelope(2)]))
    ((_, found),) = await read(store)
    assert found == (envelope(1), envelope(2))


async def test_only_what_comes_after_the_cursor_is_read(store: Store) -> None:
    first = (await store.call(*commands.adding(P, [envelope(1)]))).decode()
    await store.call(*commands.adding(P, [envelope(2)]))
    ((_, found),) = await read(store, first)
    assert found == (envelope(2),)


async def test_a_batch_has_a_limit(store: Store) -> None:
    for number in range(5):
        await store.call(*commands.adding(P, [envelope(number)]))
    assert len(await read(store, count=3)) == 3


async def test_the_time_of_a_command_is_that_of_its_entry(store: Store) -> None:
    await leases.WORKERS.beat(store, "x", LONG_MS, b"{}", first=True)
    before = (await leases.WORKERS.roll(store)).now_ms
    entry = (await store.call(*commands.adding(P, [envelope(1)]))).decode()
    assert commands.time_of(entry) >= before


async def test_trimming_keeps_what_comes_after_the_cursor(store: Store) -> None:
    ids = [(await store.call(*commands.adding(P, [envelope(number)]))).decode() for number in range(300)]
    await store.call(*commands.trimming(P, ids[200]))
    assert [entry for entry, _ in await read(store, ids[200], 1_000)] == ids[201:]


async def test_trimming_drops_most_of_what_came_before(store: Store) -> None:
    ids = [(await store.call(*commands.adding(P, [envelope(number)]))).decode() for number in range(300)]
    await store.call(*commands.trimming(P, ids[299]))
    assert len(await read(store, count=1_000)) < 200


# --- commits ----------------------------------------------------------------------------------------------------------

WRITES: tuple[Command, ...] = (("XADD", P.journal(ROOM), "1-0", "r", "x"), ("HSET", P.directory, 1001, "y"))
WRITES_Q: tuple[Command, ...] = (
    ("XADD", Q.journal(ROOM), "1-0", "r", "x"),
    ("HSET", Q.directory, 1001, "y"),
    ("XADD", Q.journal(ROOM), "2-0", "r", "x"),
)


async def test_a_batch_of_the_owner_is_written(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", WRITES, ())])
    assert await store.call("HGET", P.directory, 1001) == b"y"


async def test_entries_are_appended_in_order_before_the_other_writes(store: Store) -> None:
    entries = [entry(P.journal(ROOM), Offset(offset), 0, b'{"at": %d}' % offset) for offset in (1, 2)]
    trim: Command = ("XTRIM", P.journal(ROOM), "MINID", "2-0")
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (trim,), (), entries)]) == ["OK"]
    assert await store.call("XRANGE", P.journal(ROOM), "-", "+") == [[b"2-0", [b"b", b'{"at": 2}']]]


async def test_line_breaks_between_the_words_of_a_body_do_no_harm(store: Store) -> None:
    broken = entry(P.journal(ROOM), Offset(1), 0, b'{\n"a\\n":\r\n[1,\n"\xc3\xa9"]\n}\n')
    after = entry(P.updates(ROOM), Offset(1), 0, b"2")
    await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", (), (), (broken, after))])
    ((_, (_, body)),) = await store.call("XRANGE", P.journal(ROOM), "-", "+")
    assert (msgspec.json.decode(body), await store.call("XLEN", P.updates(ROOM))) == ({"a\n": [1, "é"]}, 1)


async def test_an_entry_that_the_store_refuses_ends_its_batch(store: Store) -> None:
    entries = [entry(P.journal(ROOM), Offset(offset), 0, b"{}") for offset in (2, 1)]
    (outcome,) = await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", WRITES, (), entries)])
    assert "XADD" in outcome
    assert await store.call("HGET", P.directory, 1001) is None


async def test_a_committed_batch_moves_the_place_in_the_stream(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", WRITES, ())])
    assert (await taken(store)).cursor == "5-0"


async def test_a_committed_batch_is_ok(store: Store) -> None:
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "0-0", "5-0", WRITES, ())]) == ["OK"]


async def test_the_same_batch_again_is_done_already(store: Store) -> None:
    batch = Commit(P, await taken(store), "0-0", "5-0", WRITES, ())
    assert await commits.commit(store, [batch, batch]) == ["OK", "DONE"]


async def test_the_same_batch_again_is_not_written_again(store: Store) -> None:
    batch = Commit(P, await taken(store), "0-0", "5-0", (("SADD", P.gateways, "x"),), ())
    await commits.commit(store, [batch])
    await store.call("SREM", P.gateways, "x")
    await commits.commit(store, [batch])
    assert await store.call("SMEMBERS", P.gateways) == []


async def test_a_worker_that_lost_its_lease_cannot_commit(store: Store) -> None:
    old = await taken(store, ANN, 1)
    await taken_in_time(store, BOB)
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", WRITES, ())]) == ["FENCED"]


async def test_a_worker_that_took_its_partition_again_cannot_commit_under_the_old_epoch(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", WRITES, ())]) == ["FENCED"]


async def test_a_worker_that_released_its_partition_cannot_commit(store: Store) -> None:
    old = await taken(store, ANN)
    await leases.release(store, P, old)
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", WRITES, ())]) == ["FENCED"]


async def test_a_batch_from_another_place_in_the_stream_is_fenced(store: Store) -> None:
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "4-0", "5-0", WRITES, ())]) == ["FENCED"]


async def test_a_fenced_batch_writes_nothing(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    await commits.commit(store, [Commit(P, old, "0-0", "5-0", WRITES, ())])
    assert await store.pipe([("EXISTS", P.journal(ROOM)), ("EXISTS", P.directory)]) == [0, 0]


async def test_a_fenced_batch_does_not_move_the_place_in_the_stream(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    await commits.commit(store, [Commit(P, old, "0-0", "5-0", WRITES, ())])
    assert (await taken(store)).cursor == "0-0"


async def two_tenures(store: Store) -> tuple[Tenure, Tenure]:
    mine = await take(store, ANN, partition=Q)
    assert mine is not None
    return await taken(store), mine


async def test_one_fenced_partition_does_not_hinder_the_others(one_server: Store) -> None:
    _, mine = await two_tenures(one_server)
    stale = Tenure(Epoch(1), "w:1:x", "0-0", 0)
    both = [Commit(P, stale, "0-0", "5-0", WRITES), Commit(Q, mine, "0-0", "6-0", (("SADD", Q.gateways, "x"),))]
    assert await commits.commit(one_server, both) == ["FENCED", "OK"]
    assert await one_server.pipe((("EXISTS", P.directory), ("SMEMBERS", Q.gateways))) == [0, [b"x"]]


async def test_one_refused_write_does_not_hinder_the_others(one_server: Store) -> None:
    ours, mine = await two_tenures(one_server)
    both = [Commit(P, ours, "0-0", "5-0", (("HSET", P.commands),)), Commit(Q, mine, "0-0", "6-0", WRITES_Q)]
    refused, outcome = await commits.commit(one_server, both)
    assert (refused not in ("OK", "DONE", "FENCED"), outcome) == (True, "OK")
    assert await one_server.call("XLEN", Q.journal(ROOM)) == 2


async def test_large_batches_are_committed_in_portions(one_server: Store) -> None:
    ours, mine = await two_tenures(one_server)
    many: list[Command] = [("SADD", P.gateways, number) for number in range(900)]
    both = [Commit(P, ours, "0-0", "5-0", many), Commit(Q, mine, "0-0", "6-0", [("SADD", Q.gateways, *range(9))] * 900)]
    assert await commits.commit(one_server, both) == ["OK", "OK"]
    assert await one_server.pipe((("SCARD", P.gateways), ("SCARD", Q.gateways))) == [900, 9]


async def test_what_partitions_say_to_a_channel_is_one_message_without_those_that_were_fenced() -> None:
    store = FakeStore()
    ours, mine = await two_tenures(store)
    third = Keys(Partition(3), 4)
    news = store.server.listen(("a", "b"))
    await commits.commit(
        store,
        [
            Commit(P, ours, "0-0", "5-0", WRITES, (("a", b"1,2"), ("b", b"3"))),
            Commit(third, Tenure(Epoch(1), "w:1:x", "0-0", 0), "0-0", "5-0", (), (("a", b"4"),)),
            Commit(Q, mine, "0-0", "6-0", (), (("a", b"5"),)),
        ],
    )
    assert news.heard() == [("a", b"[1,2,5]"), ("b", b"[3]")]


async def test_a_partition_of_which_a_write_was_refused_says_nothing() -> None:
    store = FakeStore()
    ours, mine = await two_tenures(store)
    news = store.server.listen(("a",))
    refused = Commit(P, ours, "0-0", "5-0", (*WRITES, ("HSET", P.commands)), (("a", b"1"),))
    await commits.commit(store, [refused, Commit(Q, mine, "0-0", "6-0", WRITES_Q, (("a", b"2"),))])
    assert news.heard() == [("a", b"[2]")]


async def test_nothing_is_said_before_enough_replicas_have_it(own_valkey: ValkeyServer) -> None:
    link, onlooker = await linked(own_valkey.url), await linked(own_valkey.url)
    ours, mine = await two_tenures(link)
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    subscribed = asyncio.Event()
    news = Subscription(Address.parse(own_valkey.url))
    news.start(("a",), lambda _channel, data: heard.put_nowait(data), subscribed.set)
    await subscribed.wait()
    three = [
        Commit(P, ours, "0-0", "5-0", WRITES, (("a", b"1,2"),)),
        Commit(Keys(Partition(3), 4), Tenure(Epoch(1), "w:1:x", "0-0", 0), "0-0", "5-0", (), (("a", b"3"),)),
        Commit(Q, mine, "0-0", "6-0", WRITES_Q, (("a", b"4"),)),
    ]
    committing = asyncio.create_task(commits.commit(link, three, replicas=1))
    while not await onlooker.call("EXISTS", Q.journal(ROOM)):
        await asyncio.sleep(0)
    await onlooker.call("PUBLISH", "a", "no replica yet")
    replica = ValkeyServer(extra=("--replicaof", "127.0.0.1", str(own_valkey.port)))
    with closing(await asyncio.to_thread(replica.start)):
        assert await committing == ["OK", "FENCED", "OK"]
        assert [await heard.get(), await heard.get()] == [b"no replica yet", b"[1,2,4]"]
    await asyncio.gather(news.stop(), link.stop(), onlooker.stop())


async def test_a_batch_without_entries_of_the_stream_can_be_committed(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "0-0", WRITES, ())])
    assert await store.call("HGET", P.directory, 1001) == b"y"


async def test_what_the_store_says_against_a_batch_is_its_outcome(store: Store) -> None:
    mine = await taken(store)
    (outcome,) = await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (("HSET", P.commands),), ())])
    assert outcome not in ("OK", "DONE", "FENCED")


# --- journal and snapshots --------------------------------------------------------------------------------------------


def record(number: int) -> Record:
    return Record(1_000 + number, Epoch(7), SessionId("s-1"), CommandId(number), Seat(0), code="x" * number)


async def test_a_room_that_never_was_has_nothing(store: Store) -> None:
    assert await journal.load(store, [(P, ROOM)]) == [journal.Kept(None, ())]


async def test_records_come_back_in_order_with_their_places(store: Store) -> None:
    places = [(1, 0), (1, 1), (2, 0), (10, 0), (10, 11)]
    await store.pipe([batches.filed(P, ROOM, o, n, record(n)) for o, n in places])
    (kept,) = await journal.load(store, [(P, ROOM)])
    assert [(offset, number) for offset, number, _ in kept.records] == places


async def test_a_record_that_cannot_be_read_damages_its_own_room_only(store: Store) -> None:
    good, bad = ROOM, RoomId(ROOM + 4)
    await store.call(*batches.filed(P, good, 1, 0, record(1)))
    await store.call("XADD", P.journal(bad), "1-0", "r", b"torn")
    kept, damaged = await journal.load(store, [(P, good), (P, bad)])
    assert (len(kept.records), kept.damage) == (1, "")
    assert (damaged.records, bool(damaged.damage)) == ((), True)


async def test_a_record_comes_back_as_it_was_filed(store: Store) -> None:
    await store.call(*batches.filed(P, ROOM, 1, 0, record(3)))
    ((_, _, found),) = [filed async for portion in journal.portions(store, P, ROOM) for filed in portion]
    assert found == record(3)


async def test_only_records_after_the_snapshot_are_loaded(store: Store) -> None:
    places = [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0)]
    await store.pipe([batches.filed(P, ROOM, o, n, record(n)) for o, n in places])
    await store.call(*journal.snapshotting(P, ROOM, Offset(2), 1, b"body\nof two lines"))
    (kept,) = await journal.load(store, [(P, ROOM)])
    assert (kept.snapshot, [(o, n) for o, n, _ in kept.records]) == (b"body\nof two lines", [(2, 2), (3, 0)])


async def test_rooms_are_loaded_together_in_the_order_asked_for(store: Store) -> None:
    other = RoomId(1005)
    await store.call(*batches.filed(P, other, 1, 0, record(1)))
    kept = await journal.load(store, [(P, ROOM), (P, other)])
    assert [len(one.records) for one in kept] == [0, 1]


async def test_a_step_cannot_be_filed_twice(store: Store) -> None:
    await store.call(*batches.filed(P, ROOM, 1, 0, record(1)))
    with pytest.raises(StoreRefused):
        await store.call(*batches.filed(P, ROOM, 1, 0, record(1)))


# --- updates ----------------------------------------------------------------------------------------------------------


async def missed(store: Store, offset: int, epoch: int = 7) -> updates.Missed:
    (found,) = await updates.missed(store, [(P, ROOM, Position(Epoch(epoch), Offset(offset)))])
    return found


async def test_what_was_missed_are_the_steps_after_the_position(store: Store) -> None:
    await tell(store, told(1), told(2), told(3))
    assert await missed(store, 1) == updates.Missed((told(2), told(3)))


async def test_who_has_seen_everything_missed_nothing(store: Store) -> None:
    await tell(store, told(1), told(2))
    assert await missed(store, 2) == updates.Missed()


async def test_steps_of_later_epochs_follow_those_of_earlier_ones(store: Store) -> None:
    await tell(store, told(1, 7), told(2, 8), told(3, 9))
    assert [step.epoch for step in (await missed(store, 1, 7)).steps] == [8, 9]


async def test_a_position_of_another_epoch_was_rewound(store: Store) -> None:
    await tell(store, told(1, 7), told(2, 8))
    assert await missed(store, 2, 7) == updates.Missed(lost="rewound")


async def test_a_position_beyond_the_top_was_rewound(store: Store) -> None:
    await tell(store, told(1), told(2))
    assert await missed(store, 3) == updates.Missed(lost="rewound")


async def test_a_position_of_a_room_without_updates_was_rewound(store: Store) -> None:
    assert await missed(store, 1) == updates.Missed(lost="rewound")


async def test_nobody_is_told_of_steps_with_a_hole_between_them(store: Store) -> None:
    await tell(store, told(1), told(2), told(4))
    assert await missed(store, 1) == updates.Missed(lost="trimmed")


async def test_a_position_that_is_kept_no_more_was_trimmed(store: Store) -> None:
    await tell(store, told(5), told(6))
    assert await missed(store, 3) == updates.Missed(lost="trimmed")


async def test_the_parts_of_seats_and_spectators_are_kept_apart(store: Store) -> None:
    step = Told(ROOM, Epoch(7), Offset(2), msgspec.Raw(b"1"), {Seat(12): msgspec.Raw(b"2")}, msgspec.Raw(b"3"))
    await tell(store, told(1), step)
    assert (await missed(store, 1)).steps == (step,)


async def test_only_so_many_updates_are_kept(store: Store) -> None:
    await tell(store, *(told(number) for number in range(1, 400)))
    await store.call(*updates.trimming(P, ROOM, 10))
    assert (await missed(store, 1)).lost == "trimmed"


async def test_asking_for_nothing_finds_nothing(store: Store) -> None:
    assert await updates.missed(store, []) == []


async def test_updates_can_be_read_from_an_offset(store: Store) -> None:
    await tell(store, told(1), told(2), told(3))
    assert await updates.read(store, P, ROOM, 1, 10) == ([told(2), told(3)], False)


async def test_reading_says_when_the_first_steps_are_gone(store: Store) -> None:
    await tell(store, told(3))
    assert await updates.read(store, P, ROOM, 1, 10) == ([told(3)], True)


# --- the directory ----------------------------------------------------------------------------------------------------

LISTING = Listing(ROOM, "stones", 2, "waiting", {Seat(0): "ada"}, free=1, created_ms=5)


async def test_a_changed_room_is_listed(store: Store) -> None:
    await store.pipe(directory.storing(P, [Change(ROOM, LISTING)]))
    assert await directory.get(store, P, ROOM) == LISTING


async def test_a_room_that_is_over_is_not_listed(store: Store) -> None:
    for change in (Change(ROOM, LISTING), Change(ROOM)):
        await store.pipe(directory.storing(P, [change]))
    assert await directory.get(store, P, ROOM) is None


async def test_rooms_of_all_partitions_are_gathered(store: Store) -> None:
    partitions = keys.all_keys(4)
    other = msgspec.structs.replace(LISTING, room=RoomId(1002))
    for partition, listing in ((partitions[1], LISTING), (partitions[2], other)):
        await store.pipe(directory.storing(partition, [Change(listing.room, listing)]))
    assert await directory.gather(store, partitions) == [LISTING, other]


def test_changes_come_back_as_they_were_published() -> None:
    changes = (Change(ROOM, LISTING), Change(RoomId(1002)))
    _, items = directory.telling(changes)
    assert directory.changed(b"[" + items + b"]") == changes


# --- names ------------------------------------------------------------------------------------------------------------

ADA, EVE = SessionId("s-ada"), SessionId("s-eve")
G1, G2 = GatewayId("g-1"), GatewayId("g-2")


async def test_a_free_name_can_be_claimed(store: Store) -> None:
    assert await names.claim(store, "ada", ADA, G1, 1) == Claimed(GatewayId(""), 0)


async def test_a_claimed_name_is_taken(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    assert await names.claim(store, "ada", EVE, G2, 2) == Taken(ADA, G1, ())


async def test_a_taken_name_tells_the_rooms_that_keep_it(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.note(store, "ada", ROOM)
    assert await names.claim(store, "ada", EVE, G2, 2) == Taken(ADA, G1, (ROOM,))


async def test_a_session_that_claims_its_name_again_learns_where_it_was(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 7)
    assert await names.claim(store, "ada", ADA, G2, 2) == Claimed(G1, 7)


async def test_a_stale_claim_can_be_taken_over(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.claim(store, "ada", EVE, G2, 2, taken_from=ADA)
    assert await names.claim(store, "ada", ADA, G1, 3) == Taken(EVE, G2, ())


async def test_a_claim_cannot_be_taken_over_from_somebody_who_does_not_have_it(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    assert isinstance(await names.claim(store, "ada", EVE, G2, 2, taken_from=SessionId("s-x")), Taken)


async def test_rooms_of_the_holder_before_do_not_pass_to_the_next(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.note(store, "ada", ROOM)
    await names.claim(store, "ada", EVE, G2, 2, taken_from=ADA)
    assert await names.rooms(store, "ada") == ()


async def test_rooms_pass_to_the_session_of_a_player_who_came_back(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.note(store, "ada", ROOM)
    await names.claim(store, "ada", EVE, G2, 2, taken_from=ADA, with_rooms=True)
    assert await names.rooms(store, "ada") == (ROOM,)


async def test_a_name_that_is_let_go_without_a_time_is_free(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.let_go(store, "ada", ADA, G1, 1, 0)
    assert isinstance(await names.claim(store, "ada", EVE, G2, 2), Claimed)


async def test_a_name_that_is_let_go_with_a_time_is_kept(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.let_go(store, "ada", ADA, G1, 1, LONG_MS)
    assert await names.claim(store, "ada", EVE, G2, 2) == Taken(ADA, GatewayId(""), ())


async def test_a_name_that_is_kept_for_a_time_is_free_afterwards(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.let_go(store, "ada", ADA, G1, 1, 5)
    while isinstance(await names.claim(store, "ada", EVE, G2, 2), Taken):
        pass
    assert isinstance(await names.claim(store, "ada", ADA, G1, 3), Taken)


async def test_who_comes_back_in_time_keeps_the_name_for_good(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.let_go(store, "ada", ADA, G1, 1, LONG_MS)
    await names.claim(store, "ada", ADA, G2, 5)
    assert await store.call("PTTL", keys.name("ada")) == -1


async def test_an_old_connection_cannot_let_go_of_a_name_that_a_newer_one_has(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    await names.claim(store, "ada", ADA, G2, 5)
    await names.let_go(store, "ada", ADA, G1, 1, 0)
    assert await names.claim(store, "ada", EVE, G1, 9) == Taken(ADA, G2, ())


async def test_rooms_are_forgotten_one_by_one(store: Store) -> None:
    await names.claim(store, "ada", ADA, G1, 1)
    for room in (ROOM, RoomId(1002)):
        await names.note(store, "ada", room)
    await names.forget(store, "ada", (ROOM,))
    assert await names.rooms(store, "ada") == (RoomId(1002),)


# --- what all agree on ------------------------------------------------------------------------------------------------

CARD = GameCard("stones", "Stones", 1, (2, 3), msgspec.Raw(b"{}"), msgspec.Raw(b"{}"))


async def test_processes_with_the_same_partitions_agree(store: Store) -> None:
    await meta.agree(store, 4)
    await meta.agree(store, 4)


async def test_a_process_with_other_partitions_is_unfit(store: Store) -> None:
    await meta.agree(store, 4)
    with pytest.raises(Unfit, match="TAVOLATA_PARTITIONS=4"):
        await meta.agree(store, 8)


async def test_a_store_of_another_format_is_unfit(store: Store) -> None:
    await store.call("HSET", keys.META, "format", 99)
    with pytest.raises(Unfit, match="format 99"):
        await meta.agree(store, 4)


async def test_a_secret_is_made_once(store: Store) -> None:
    assert await meta.secret(store, "tokens", "") == await meta.secret(store, "tokens", "")


async def test_a_secret_that_is_set_is_not_stored(store: Store) -> None:
    assert await meta.secret(store, "tokens", "mine") == "mine"
    assert await store.call("EXISTS", keys.SECRETS) == 0


async def test_secrets_have_nothing_in_common(store: Store) -> None:
    assert await meta.secret(store, "tokens", "") != await meta.secret(store, "admin_token", "")


async def test_announced_games_are_known(store: Store) -> None:
    await meta.announce(store, [CARD])
    assert await meta.games(store) == {"stones": CARD}


@pytest.mark.parametrize(
    ("statuses", "known"),
    [
        ((), {"stones", "coin"}),
        (('{"games":["stones"]}',), {"stones"}),
        (('{"games":["stones"]}', '{"games":["coin","lost"]}'), {"stones", "coin"}),
        (('{"games":[]}',), set()),
        (('{"games":["stones"]}', '{"pid":1}'), {"stones", "coin"}),
    ],
)
async def test_a_game_is_known_as_long_as_a_worker_plays_it(
    store: Store, statuses: tuple[str, ...], known: set[str]
) -> None:
    await meta.announce(store, [CARD, msgspec.structs.replace(CARD, name="coin")])
    for number, status in enumerate(statuses):
        await leases.WORKERS.beat(store, f"w-{number}", LONG_MS, status.encode(), first=True)
    assert (await meta.games(store)).keys() == known
    for number in range(len(statuses)):
        await leases.WORKERS.strike(store, f"w-{number}")
    assert (await meta.games(store)).keys() == {"stones", "coin"}


async def test_a_worker_without_games_announces_nothing(store: Store) -> None:
    await meta.announce(store, [])
    assert await meta.games(store) == {}


# --- slots and scripts ------------------------------------------------------------------------------------------------


async def linked(url: str) -> Link:
    link = Link(Address.parse(url), greeting=LOADING)
    await link.start()
    return link


async def test_all_keys_of_a_partition_live_in_one_slot(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    everything = (P.commands, P.owner, P.directory, P.deadlines, P.gateways, P.quarantine)
    rooms = (P.journal(ROOM), P.updates(ROOM), P.snapshot(ROOM), P.at(G1))
    slots = await link.pipe([("CLUSTER", "KEYSLOT", key) for key in (*everything, *rooms)])
    await link.stop()
    assert len(set(slots)) == 1


async def test_partitions_spread_over_the_slots(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    slots = await link.pipe([("CLUSTER", "KEYSLOT", one.owner) for one in keys.all_keys(64)])
    await link.stop()
    assert [slot * 64 // keys.SLOTS for slot in slots] == list(range(64))


async def test_a_cluster_refuses_a_script_that_touches_keys_it_did_not_declare(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    mine = await taken(link)
    foreign = Keys(Partition(3), 4).directory
    undeclared = script("commit", (P.owner,), (mine.token, "0-0", "5-0", 1, 5, 0, 4, "HSET", foreign, "a", "b"))
    (outcome,) = await link.call(*undeclared)
    await link.stop()
    assert outcome not in (b"OK", b"DONE", b"FENCED")


# --- reading that waits, on the real servers --------------------------------------------------------------------------


@pytest.mark.parametrize("server", ["valkey_url", "valkey_cluster_url"])
async def test_a_waiting_read_returns_as_soon_as_a_command_comes(server: str, request: pytest.FixtureRequest) -> None:
    address = Address.parse(request.getfixturevalue(server))
    reader, writer = Link(address), Link(address)
    await reader.start()
    await writer.start()
    cursors = {Partition(1): (P, "0-0")}
    waiting = asyncio.create_task(commands.read(reader, cursors, 10, 20_000))
    while b"blocked_clients:1" not in await writer.call("INFO", "clients"):
        pass
    await writer.call(*commands.adding(P, [envelope(1)]))
    entries = await waiting
    await reader.stop()
    await writer.stop()
    assert entries[Partition(1)][0][1] == (envelope(1),)


async def test_a_read_that_waited_in_vain_finds_nothing(valkey_url: str) -> None:
    reader = Link(Address.parse(valkey_url))
    await reader.start()
    found = await commands.read(reader, {Partition(1): (P, "0-0")}, 10, 1)
    await reader.stop()
    assert found == {}


async def test_the_run_id_of_a_server_stays_the_same_while_it_runs(valkey_url: str) -> None:
    link = Link(Address.parse(valkey_url))
    await link.start()
    run_id = await meta.run_id(link)
    again = await meta.run_id(link)
    await link.stop()
    assert run_id == again != ""


async def test_a_server_that_writes_every_move_to_disk_is_fit_for_fsync(valkey_url: str) -> None:
    link = Link(Address.parse(valkey_url))
    await link.start()
    await meta.check_durability(link, "fsync")
    await link.stop()


async def test_a_server_that_writes_every_second_is_unfit_for_fsync(valkey_url: str) -> None:
    link = Link(Address.parse(valkey_url))
    await link.start()
    await link.call("CONFIG", "SET", "appendfsync", "everysec")
    try:
        with pytest.raises(Unfit, match="fsync"):
            await meta.check_durability(link, "fsync")
    finally:
        await link.call("CONFIG", "SET", "appendfsync", "always")
        await link.stop()


async def test_any_server_is_fit_for_applied(valkey_url: str) -> None:
    link = Link(Address.parse(valkey_url))
    await link.start()
    await link.call("CONFIG", "SET", "appendfsync", "everysec")
    await meta.check_durability(link, "applied")
    await link.call("CONFIG", "SET", "appendfsync", "always")
    await link.stop()
