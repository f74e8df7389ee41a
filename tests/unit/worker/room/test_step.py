"""Steps: the facts about the room that a result states besides its records."""

from tests.support.room_bench import COMMIT, TWO, act, finished, opened, started, take
from tests.support.toys import Guess


def test_the_step_that_opens_a_room_names_its_game_version() -> None:
    assert opened().result.more.opened == "stones@1"


def test_a_move_neither_opens_nor_ends_a_room() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert (bench.result.more.opened, bench.result.more.ended) == ("", "")


def test_the_step_that_ends_a_room_names_its_game_version() -> None:
    assert finished().result.more.ended == "stones@1"


def test_a_room_that_is_over_does_not_end_again() -> None:
    bench = finished()
    bench.reload()
    bench.enter("ada")
    assert bench.result.more.ended == ""


def test_a_room_knows_the_time_of_its_last_record_after_it_was_loaded() -> None:
    bench = started()
    bench.now_ms += 5_000
    bench.ok("ada", take(1))
    bench.reload()
    assert bench.room.state.at_ms == bench.now_ms


def test_a_step_carries_the_number_of_the_commit_that_it_is_part_of() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert bench.updates[-1].commit == COMMIT


def test_a_step_that_seats_see_differently_carries_the_number_too() -> None:
    bench = started(TWO)
    bench.ok("ada", act(Guess(1)))
    assert bench.updates[-1].seats
    assert bench.updates[-1].commit == COMMIT
