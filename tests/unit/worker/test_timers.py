"""Deadlines follow from the state of a room."""

from worker.room.state import Deadline
from worker.room.timers import retimed


def test_a_new_timer_begins_now() -> None:
    assert retimed({}, {"turn": (1, 500)}, 1_000) == {"turn": Deadline(1, 1_500)}


def test_a_timer_of_the_same_generation_runs_on() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {"turn": (1, 500)}, 1_000) == {"turn": Deadline(1, 1_200)}


def test_a_timer_of_a_new_generation_begins_again() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {"turn": (2, 500)}, 1_000) == {"turn": Deadline(2, 1_500)}


def test_a_timer_that_is_not_wanted_any_more_is_gone() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {}, 1_000) == {}
