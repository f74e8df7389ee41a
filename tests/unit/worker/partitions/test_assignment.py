"""The assignment of partitions: even shares, the same result at every worker, few movements."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ids import GameVersion, Partition, WorkerId
from worker.partitions.assignment import assign

names = st.lists(st.text("abcdef0123456789", min_size=1, max_size=8), min_size=1, max_size=9, unique=True)


@given(st.integers(1, 100), names)
def test_shares_differ_by_one_at_most(partitions: int, workers: list[str]) -> None:
    held = Counter(assign(partitions, [WorkerId(worker) for worker in workers]).values())
    counts = [held[WorkerId(worker)] for worker in workers]
    assert max(counts) - min(counts) <= 1


@given(st.integers(1, 100), names)
def test_every_partition_has_one_holder(partitions: int, workers: list[str]) -> None:
    assert sorted(assign(partitions, [WorkerId(worker) for worker in workers])) == list(range(partitions))


@given(names, st.randoms(use_true_random=False))
def test_everybody_comes_to_the_same_answer(workers: list[str], dice: object) -> None:
    ids = [WorkerId(worker) for worker in workers]
    assert assign(32, ids) == assign(32, list(reversed(ids)))


def test_without_workers_no_partition_is_assigned() -> None:
    assert assign(64, []) == {}


def moved(before: dict[Partition, WorkerId], after: dict[Partition, WorkerId]) -> int:
    return sum(1 for partition, worker in before.items() if after[partition] != worker)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_a_new_worker_moves_few_partitions(count: int) -> None:
    workers = [WorkerId(f"w-{number}") for number in range(count + 1)]
    fair = -(-64 // (count + 1))
    assert moved(assign(64, workers[:-1]), assign(64, workers)) <= 2 * fair


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_a_worker_that_goes_leaves_most_partitions_where_they_are(count: int) -> None:
    workers = [WorkerId(f"w-{number}") for number in range(count)]
    fair = -(-64 // count)
    assert moved(assign(64, workers), assign(64, workers[1:])) <= 2 * fair


OLD, NEW = GameVersion("toy@1"), GameVersion("toy@2")
A, B, C = WorkerId("w-a"), WorkerId("w-b"), WorkerId("w-c")


def test_a_partition_goes_to_a_worker_that_can_play_its_rooms() -> None:
    plays = {A: frozenset((OLD, NEW)), B: frozenset((OLD,))}
    needs = [frozenset((NEW,)) if number % 2 else frozenset[GameVersion]() for number in range(16)]
    owners = assign(16, [A, B], plays, needs)
    assert {owners[Partition(number)] for number in range(1, 16, 2)} == {A}
    assert {owners[Partition(number)] for number in range(0, 16, 2)} == {B}


def test_a_partition_goes_to_the_worker_that_can_play_most_if_none_can_play_all() -> None:
    plays = {A: frozenset((OLD, NEW)), B: frozenset((OLD,)), C: frozenset((OLD,))}
    needs = [frozenset((OLD, NEW, GameVersion("other@1")))] * 4
    assert set(assign(4, [A, B, C], plays, needs).values()) == {A}


@given(st.integers(1, 60), names)
def test_needs_that_all_workers_can_play_do_not_change_the_assignment(partitions: int, workers: list[str]) -> None:
    ids = [WorkerId(worker) for worker in workers]
    plays = dict.fromkeys(ids, frozenset((OLD, NEW)))
    assert assign(partitions, ids, plays, [frozenset((OLD,))] * partitions) == assign(partitions, ids)


def test_a_worker_that_does_not_announce_its_games_counts_as_able_to_play_all() -> None:
    needs = [frozenset((NEW,))] * 8
    held = Counter(assign(8, [A, B], {A: frozenset((NEW,))}, needs).values())
    assert held == {A: 4, B: 4}


def test_workers_with_the_same_games_share_the_partitions_that_need_them_evenly() -> None:
    plays = {A: frozenset((NEW,)), B: frozenset((NEW,)), C: frozenset[GameVersion]()}
    held = Counter(assign(8, [A, B, C], plays, [frozenset((NEW,))] * 8).values())
    assert held == {A: 4, B: 4}
