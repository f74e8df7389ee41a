"""Moves, latencies and pauses, with given times."""

import pytest

from loadtest.measure.measurements import Measurements


def test_only_moves_after_the_mark_are_measured() -> None:
    run = Measurements(10.0)
    run.acked(10.0, 15.0)
    run.mark(20.0)
    for number in range(100):
        run.acked(20.0 + number, 20.0 + number + 0.010)
    run.end(120.0)
    run.acked(119.0, 121.0)
    assert run.measured(999.0) == (101, 100.0)
    found = run.latencies_ms()
    assert found["p50"] == pytest.approx(10, rel=0.01)
    assert found["max"] == pytest.approx(10, rel=0.01)


def test_the_longest_pauses_of_one_move_and_of_all_moves() -> None:
    run = Measurements(0.0)
    run.mark(0.5)
    run.acked(0.0, 1.0)
    run.acked(0.0, 1.5)
    run.acked(1.4, 4.5)
    assert run.longest_wait == pytest.approx(3.1)
    assert run.longest_silence == 3.0


def test_a_move_that_is_answered_after_the_end_still_counts_as_a_pause() -> None:
    run = Measurements(0.0)
    run.mark(0.1)
    run.acked(0.1, 0.5)
    run.end(1.0)
    run.acked(0.5, 9.5)
    run.acked(0.5, 99.0)
    assert run.longest_wait == 98.5
    assert run.longest_silence == 9.0


def test_without_moves_there_are_no_latencies() -> None:
    assert Measurements(0.0).latencies_ms() == {}
