"""What is committed, what is refused, and what is said of it."""

import asyncio
from contextlib import closing

import msgspec

from shared.bus import commits, leases
from shared.bus.address import Address
from shared.bus.commits import WRITE, Commit, entry
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.store import RedisCommand, Store
from shared.bus.subscription import Subscription
from shared.ids import (
    Epoch,
    Offset,
    Partition,
)
from tests.support.bus import ANN, BOB, ROOM, P, Q, linked, take, taken, taken_in_time
from tests.support.fake_store import FakeStore
from tests.support.valkey import ValkeyServer

WRITES: tuple[RedisCommand, ...] = (("XADD", P.journal(ROOM), "1-0", "r", "x"), ("HSET", P.directory, 1001, "y"))
WRITES_Q: tuple[RedisCommand, ...] = (
    ("XADD", Q.journal(ROOM), "1-0", "r", "x"),
    ("HSET", Q.directory, 1001, "y"),
    ("XADD", Q.journal(ROOM), "2-0", "r", "x"),
)


async def test_a_batch_of_the_owner_is_written(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", WRITES, ())])
    assert await store.call("HGET", P.directory, 1001) == b"y"


async def test_entries_are_appended_in_order_before_the_other_writes(store: Store) -> None:
    entries = [entry(ROOM, Offset(offset), 0, b'{"at": %d}' % offset) for offset in (1, 2)]
    trim: RedisCommand = ("XTRIM", P.journal(ROOM), "MINID", "2-0")
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (trim,), (), entries)]) == ["OK"]
    assert await store.call("XRANGE", P.journal(ROOM), "-", "+") == [[b"2-0", [b"b", b'{"at": 2}']]]


async def test_line_breaks_between_the_words_of_a_body_do_no_harm(store: Store) -> None:
    broken = entry(ROOM, Offset(1), 0, b'{\n"a\\n":\r\n[1,\n"\xc3\xa9"]\n}\n')
    after = entry(ROOM, Offset(2), 0, b"2", b"[\n3]")
    await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", (), (), (broken, after))])
    (_, (_, body)), (_, (_, two)) = await store.call("XRANGE", P.journal(ROOM), "-", "+")
    ((_, (_, three)),) = await store.call("XRANGE", P.updates(ROOM), "-", "+")
    assert [msgspec.json.decode(one) for one in (body, two, three)] == [{"a\n": [1, "é"]}, 2, [3]]


async def test_an_entry_that_the_store_refuses_ends_its_batch(store: Store) -> None:
    entries = [entry(ROOM, Offset(offset), 0, b"{}") for offset in (2, 1)]
    (outcome,) = await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", WRITES, (), entries)])
    assert "XADD" in outcome
    assert await store.call("HGET", P.directory, 1001) is None


async def test_a_write_in_its_place_among_entries_is_done_before_those_behind_it(store: Store) -> None:
    one, two, refused = [entry(ROOM, Offset(offset), 0, b"{}") for offset in (1, 2, 1)]
    entries = (one, WRITE, two, WRITE, WRITE, refused, WRITE)
    writes: list[RedisCommand] = [("SADD", P.gateways, number) for number in range(5)]
    (outcome,) = await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", writes, (), entries)])
    assert "XADD" in outcome
    assert sorted(await store.call("SMEMBERS", P.gateways)) == [b"0", b"1", b"2"]


async def test_all_writes_are_done_where_entries_are_appended(store: Store) -> None:
    entries = (WRITE, entry(ROOM, Offset(1), 0, b"{}"), WRITE)
    writes: list[RedisCommand] = [("SADD", P.gateways, number) for number in range(3)]
    commit = Commit(P, await taken(store), "0-0", "5-0", writes, (), entries)
    assert await commits.commit(store, [commit]) == ["OK"]
    assert await store.pipe((("SCARD", P.gateways), ("XLEN", P.journal(ROOM)))) == [3, 1]


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


async def two_leases(store: Store) -> tuple[Lease, Lease]:
    mine = await take(store, ANN, partition=Q)
    assert mine is not None
    return await taken(store), mine


async def test_one_fenced_partition_does_not_hinder_the_others(one_server: Store) -> None:
    _, mine = await two_leases(one_server)
    stale = Lease(Epoch(1), "w:1:x", "0-0", 0)
    both = [Commit(P, stale, "0-0", "5-0", WRITES), Commit(Q, mine, "0-0", "6-0", (("SADD", Q.gateways, "x"),))]
    assert await commits.commit(one_server, both) == ["FENCED", "OK"]
    assert await one_server.pipe((("EXISTS", P.directory), ("SMEMBERS", Q.gateways))) == [0, [b"x"]]


async def test_one_refused_write_does_not_hinder_the_others(one_server: Store) -> None:
    ours, mine = await two_leases(one_server)
    both = [Commit(P, ours, "0-0", "5-0", (("HSET", P.commands),)), Commit(Q, mine, "0-0", "6-0", WRITES_Q)]
    refused, outcome = await commits.commit(one_server, both)
    assert (refused not in ("OK", "DONE", "FENCED"), outcome) == (True, "OK")
    assert await one_server.call("XLEN", Q.journal(ROOM)) == 2


async def test_large_batches_are_committed_in_portions(one_server: Store) -> None:
    ours, mine = await two_leases(one_server)
    many: list[RedisCommand] = [("SADD", P.gateways, number) for number in range(900)]
    both = [Commit(P, ours, "0-0", "5-0", many), Commit(Q, mine, "0-0", "6-0", [("SADD", Q.gateways, *range(9))] * 900)]
    assert await commits.commit(one_server, both) == ["OK", "OK"]
    assert await one_server.pipe((("SCARD", P.gateways), ("SCARD", Q.gateways))) == [900, 9]


async def test_what_partitions_say_to_a_channel_is_one_message_without_those_that_were_fenced() -> None:
    store = FakeStore()
    ours, mine = await two_leases(store)
    third = Keys(Partition(3), 4)
    news = store.server.listen(("a", "b"))
    await commits.commit(
        store,
        [
            Commit(P, ours, "0-0", "5-0", WRITES, (("a", b"1,2"), ("b", b"3"))),
            Commit(third, Lease(Epoch(1), "w:1:x", "0-0", 0), "0-0", "5-0", (), (("a", b"4"),)),
            Commit(Q, mine, "0-0", "6-0", (), (("a", b"5"),)),
        ],
    )
    assert news.heard() == [("a", b"[1,2,5]"), ("b", b"[3]")]


async def test_a_partition_of_which_a_write_was_refused_says_nothing() -> None:
    store = FakeStore()
    ours, mine = await two_leases(store)
    news = store.server.listen(("a",))
    refused = Commit(P, ours, "0-0", "5-0", (*WRITES, ("HSET", P.commands)), (("a", b"1"),))
    await commits.commit(store, [refused, Commit(Q, mine, "0-0", "6-0", WRITES_Q, (("a", b"2"),))])
    assert news.heard() == [("a", b"[2]")]


async def test_nothing_is_said_before_enough_replicas_have_it(own_valkey: ValkeyServer) -> None:
    link, onlooker = await linked(own_valkey.url), await linked(own_valkey.url)
    ours, mine = await two_leases(link)
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    subscribed = asyncio.Event()
    news = Subscription(Address.parse(own_valkey.url))
    news.start(("a",), lambda _channel, data: heard.put_nowait(data), subscribed.set)
    await subscribed.wait()
    three = [
        Commit(P, ours, "0-0", "5-0", WRITES, (("a", b"1,2"),)),
        Commit(Keys(Partition(3), 4), Lease(Epoch(1), "w:1:x", "0-0", 0), "0-0", "5-0", (), (("a", b"3"),)),
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
