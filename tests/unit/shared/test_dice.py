"""Draws never change: neither between machines nor between versions, or old games could not be played on."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.dice import Dice

labels = st.lists(st.integers() | st.text(max_size=5), max_size=3)


def test_the_draws_of_a_seed_never_change() -> None:
    dice = Dice(1)
    assert [dice.below(6) for _ in range(12)] == [5, 0, 3, 3, 2, 1, 2, 0, 3, 5, 2, 1]


def test_the_draws_of_labels_never_change() -> None:
    dice = Dice(20240607, "bag", 3)
    assert [dice.below(1_000) for _ in range(8)] == [249, 884, 22, 421, 65, 917, 533, 532]


def test_large_draws_never_change() -> None:
    assert Dice(-5).below(2**63) == 6984353015443745791


def test_shuffles_never_change() -> None:
    assert Dice(7, "deck").shuffle(range(10)) == (5, 7, 6, 9, 1, 0, 4, 3, 8, 2)


def test_choices_never_change() -> None:
    assert "".join(Dice(7, number).choice("abcdefgh") for number in range(6)) == "bbhdfe"


@given(st.integers(), labels, st.integers(1, 10**12))
def test_the_same_seed_and_labels_give_the_same_draws(seed: int, names: list[int | str], limit: int) -> None:
    first, second = Dice(seed, *names), Dice(seed, *names)
    assert [first.below(limit) for _ in range(5)] == [second.below(limit) for _ in range(5)]


@given(st.integers(), st.integers(1, 2**63))
def test_draws_are_below_the_limit(seed: int, limit: int) -> None:
    assert 0 <= Dice(seed).below(limit) < limit


@given(st.integers(), st.lists(st.integers(), max_size=30))
def test_a_shuffle_keeps_everything(seed: int, items: list[int]) -> None:
    assert sorted(Dice(seed).shuffle(items)) == sorted(items)


def test_other_labels_give_other_draws() -> None:
    assert len({Dice(1, label).below(10**15) for label in ("a", "b", 1, 2, "1x")}) == 5


def test_other_seeds_give_other_draws() -> None:
    assert len({Dice(seed).below(10**15) for seed in range(100)}) == 100


def test_later_draws_are_others() -> None:
    dice = Dice(1)
    assert len({dice.below(10**15) for _ in range(100)}) == 100


def test_every_number_is_as_likely_as_another() -> None:
    dice = Dice(1)
    counts = Counter(dice.below(6) for _ in range(6_000))
    assert all(850 < counts[number] < 1_150 for number in range(6))


def test_every_item_may_come_first_after_a_shuffle() -> None:
    counts = Counter(Dice(seed).shuffle("abcd")[0] for seed in range(2_000))
    assert all(400 < counts[letter] < 600 for letter in "abcd")


@pytest.mark.parametrize("limit", [0, -1])
def test_nothing_is_below_nothing(limit: int) -> None:
    with pytest.raises(ValueError, match="no number"):
        Dice(1).below(limit)


def test_nothing_is_chosen_from_nothing() -> None:
    with pytest.raises(ValueError, match="no number"):
        Dice(1).choice(())
