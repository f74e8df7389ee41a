"""Commits: their writes, their refusals and their messages to gateways."""

from shared.bus import commits, leases
from shared.bus.commits import Commit
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.store import RedisCommand, Store
from shared.ids import CommitNumber, Epoch, Partition
from tests.support.bus import ANN, BOB, ROOM, P, Q, take, taken, taken_in_time
from tests.support.fake_store import FakeStore


def writes() -> tuple[RedisCommand, ...]:
    return ("XADD", P.journal(ROOM), "1-0", "r", "x"), ("HSET", P.directory, 1001, "y")


def writes_of_q() -> tuple[RedisCommand, ...]:
    return (
        ("XADD", Q.journal(ROOM), "1-0", "r", "x"),
        ("HSET", Q.directory, 1001, "y"),
        ("XADD", Q.journal(ROOM), "2-0", "r", "x"),
    )


async def test_a_batch_of_the_owner_is_written(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", writes(), ())])
    assert await store.call("HGET", P.directory, 1001) == b"y"


async def test_a_commit_is_one_entry_of_each_log_with_its_number_and_epoch(store: Store) -> None:
    mine = await taken(store)
    commit = Commit(P, mine, "0-0", "5-0", (), (), CommitNumber(4), b"[[1],[]]", b"[2]")
    assert await commits.commit(store, [commit]) == ["OK"]
    place = b"4-%d" % mine.epoch
    assert await store.call("XRANGE", P.journal_log, "-", "+") == [[place, [b"b", b"[[1],[]]"]]]
    assert await store.call("XRANGE", P.updates_log, "-", "+") == [[place, [b"b", b"[2]"]]]


async def test_a_commit_without_entries_adds_nothing_to_the_logs(store: Store) -> None:
    await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", writes(), ())])
    assert await store.pipe([("EXISTS", P.journal_log), ("EXISTS", P.updates_log)]) == [0, 0]


async def test_the_next_owner_learns_the_number_of_the_last_commit(store: Store) -> None:
    first = await taken(store)
    await commits.commit(store, [Commit(P, first, "0-0", "5-0", (), (), CommitNumber(41))])
    assert (first.commit, (await taken(store)).commit) == (0, 41)


async def test_a_log_entry_that_the_store_refuses_ends_its_batch(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (), (), CommitNumber(9), b"[[],[]]")])
    again = Commit(P, mine, "5-0", "6-0", writes(), (), CommitNumber(9), b"[[],[]]")
    (outcome,) = await commits.commit(store, [again])
    assert "XADD" in outcome
    assert await store.call("HGET", P.directory, 1001) is None


async def test_a_write_that_the_store_refuses_does_not_hinder_those_behind_it(store: Store) -> None:
    writes: list[RedisCommand] = [("SADD", P.gateways, 1), ("HSET", P.gateways, "a", "b"), ("SADD", P.gateways, 2)]
    (outcome,) = await commits.commit(store, [Commit(P, await taken(store), "0-0", "5-0", writes)])
    assert "WRONGTYPE" in outcome
    assert sorted(await store.call("SMEMBERS", P.gateways)) == [b"1", b"2"]


async def test_a_committed_batch_moves_the_place_in_the_stream(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "5-0", writes(), ())])
    assert (await taken(store)).cursor == "5-0"


async def test_a_committed_batch_is_ok(store: Store) -> None:
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "0-0", "5-0", writes(), ())]) == ["OK"]


async def test_the_same_batch_again_is_done_already(store: Store) -> None:
    batch = Commit(P, await taken(store), "0-0", "5-0", writes(), ())
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
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", writes(), ())]) == ["FENCED"]


async def test_a_worker_that_took_its_partition_again_cannot_commit_under_the_old_epoch(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", writes(), ())]) == ["FENCED"]


async def test_a_worker_that_released_its_partition_cannot_commit(store: Store) -> None:
    old = await taken(store, ANN)
    await leases.release(store, P, old)
    assert await commits.commit(store, [Commit(P, old, "0-0", "5-0", writes(), ())]) == ["FENCED"]


async def test_a_batch_from_another_place_in_the_stream_is_fenced(store: Store) -> None:
    mine = await taken(store)
    assert await commits.commit(store, [Commit(P, mine, "4-0", "5-0", writes(), ())]) == ["FENCED"]


async def test_a_fenced_batch_writes_nothing(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    await commits.commit(store, [Commit(P, old, "0-0", "5-0", writes(), ())])
    assert await store.pipe([("EXISTS", P.journal(ROOM)), ("EXISTS", P.directory)]) == [0, 0]


async def test_a_fenced_batch_does_not_move_the_place_in_the_stream(store: Store) -> None:
    old = await taken(store, ANN)
    await taken(store, ANN)
    await commits.commit(store, [Commit(P, old, "0-0", "5-0", writes(), ())])
    assert (await taken(store)).cursor == "0-0"


async def two_leases(store: Store) -> tuple[Lease, Lease]:
    mine = await take(store, ANN, partition=Q)
    assert mine is not None
    return await taken(store), mine


async def test_one_fenced_partition_does_not_hinder_the_others(one_server: Store) -> None:
    _, mine = await two_leases(one_server)
    stale = Lease(Epoch(1), "w:1:x", "0-0", 0)
    both = [Commit(P, stale, "0-0", "5-0", writes()), Commit(Q, mine, "0-0", "6-0", (("SADD", Q.gateways, "x"),))]
    assert await commits.commit(one_server, both) == ["FENCED", "OK"]
    assert await one_server.pipe((("EXISTS", P.directory), ("SMEMBERS", Q.gateways))) == [0, [b"x"]]


async def test_one_refused_write_does_not_hinder_the_others(one_server: Store) -> None:
    ours, mine = await two_leases(one_server)
    both = [Commit(P, ours, "0-0", "5-0", (("HSET", P.commands),)), Commit(Q, mine, "0-0", "6-0", writes_of_q())]
    refused, outcome = await commits.commit(one_server, both)
    assert (refused not in ("OK", "DONE", "FENCED"), outcome) == (True, "OK")
    assert await one_server.call("XLEN", Q.journal(ROOM)) == 2


async def test_large_batches_are_committed_in_portions(one_server: Store) -> None:
    ours, mine = await two_leases(one_server)
    many: list[RedisCommand] = [("SADD", P.gateways, number) for number in range(900)]
    both = [Commit(P, ours, "0-0", "5-0", many), Commit(Q, mine, "0-0", "6-0", [("SADD", Q.gateways, *range(9))] * 900)]
    assert await commits.commit(one_server, both) == ["OK", "OK"]
    assert await one_server.pipe((("SCARD", P.gateways), ("SCARD", Q.gateways))) == [900, 9]


async def test_messages_of_partitions_to_a_channel_are_published_together_without_those_of_fenced_ones() -> None:
    store = FakeStore()
    ours, mine = await two_leases(store)
    third = Keys(Partition(3), 4)
    subscriber = store.server.subscribe(("a", "b"))
    await commits.commit(
        store,
        [
            Commit(P, ours, "0-0", "5-0", writes(), (("a", b"1,2"), ("b", b"3"))),
            Commit(third, Lease(Epoch(1), "w:1:x", "0-0", 0), "0-0", "5-0", (), (("a", b"4"),)),
            Commit(Q, mine, "0-0", "6-0", (), (("a", b"5"),)),
        ],
    )
    assert subscriber.received() == [("a", b"[1,2,5]"), ("b", b"[3]")]


async def test_the_steps_of_a_commit_become_a_part_of_its_deliveries() -> None:
    store = FakeStore()
    ours, mine = await two_leases(store)
    subscriber = store.server.subscribe(("a", "b"))
    around = (("a", b"{1:", b"}"), ("b", b"{2:", b"}"))
    first = Commit(P, ours, "0-0", "5-0", (), (("a", b"0"),), CommitNumber(4), b"[[1],[]]", b"[2]", deliveries=around)
    second = Commit(Q, mine, "0-0", "6-0", (), (), CommitNumber(9), b"[[1],[]]", b"[3]", deliveries=around[:1])
    await commits.commit(store, [first, second])
    assert subscriber.received() == [("a", b"[0,{1:[2]},{1:[3]}]"), ("b", b"[{2:[2]}]")]


async def test_a_partition_of_which_a_write_was_refused_says_nothing() -> None:
    store = FakeStore()
    ours, mine = await two_leases(store)
    subscriber = store.server.subscribe(("a",))
    refused = Commit(P, ours, "0-0", "5-0", (*writes(), ("HSET", P.commands)), (("a", b"1"),))
    await commits.commit(store, [refused, Commit(Q, mine, "0-0", "6-0", writes_of_q(), (("a", b"2"),))])
    assert subscriber.received() == [("a", b"[2]")]


async def test_a_batch_without_entries_of_the_stream_can_be_committed(store: Store) -> None:
    mine = await taken(store)
    await commits.commit(store, [Commit(P, mine, "0-0", "0-0", writes(), ())])
    assert await store.call("HGET", P.directory, 1001) == b"y"


async def test_an_error_of_the_store_is_the_outcome_of_the_batch(store: Store) -> None:
    mine = await taken(store)
    (outcome,) = await commits.commit(store, [Commit(P, mine, "0-0", "5-0", (("HSET", P.commands),), ())])
    assert outcome not in ("OK", "DONE", "FENCED")
