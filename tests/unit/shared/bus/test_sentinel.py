"""The primary that a majority of the Sentinels names."""

from shared.bus.address import Address
from shared.bus.sentinel import named_by_majority

OLD, NEW = Address("a", 1), Address("b", 2)


def test_two_of_three_sentinels_are_a_majority() -> None:
    assert named_by_majority([NEW, OLD, NEW]) == NEW


def test_sentinels_that_disagree_name_nobody() -> None:
    assert named_by_majority([OLD, NEW]) is None


def test_sentinels_without_an_answer_count() -> None:
    assert named_by_majority([OLD, None, None]) is None
