"""The primary that a majority of the Sentinels names."""

from shared.bus.address import Address
from shared.bus.sentinel import NamedPrimary, named_by_majority

OLD, NEW = NamedPrimary(Address("a", 1), 2), NamedPrimary(Address("b", 2), 1)


def test_two_of_three_sentinels_are_a_majority() -> None:
    assert named_by_majority([NEW, OLD, NEW]) == NEW


def test_sentinels_that_disagree_name_nobody() -> None:
    assert named_by_majority([OLD, NEW]) is None


def test_sentinels_without_an_answer_count() -> None:
    assert named_by_majority([OLD, None, None]) is None


def test_the_replicas_are_those_of_the_named_primary() -> None:
    found = named_by_majority([NamedPrimary(OLD.address, 1), OLD, NamedPrimary(NEW.address, 5)])
    assert found == OLD
