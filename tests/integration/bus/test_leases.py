"""Leases: the ownership of partitions."""

from shared.bus import commits, leases
from shared.bus.commits import Commit
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.ids import (
    Partition,
)
from tests.support.bus import ANN, BOB, LONG_MS, P, take, taken, taken_in_time


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
