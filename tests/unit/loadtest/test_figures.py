"""Moves, latencies and pauses on a made-up clock."""

import pytest

from loadtest.measure.measurements import Measurements


def test_only_what_comes_after_the_mark_is_measured() -> None:
    figures = Measurements(10.0)
    figures.acked(10.0, 15.0)
    figures.mark(20.0)
    for number in range(100):
        figures.acked(20.0 + number, 20.0 + number + 0.010)
    figures.end(120.0)
    figures.acked(119.0, 121.0)
    assert figures.measured(999.0) == (101, 100.0)
    found = figures.latencies_ms()
    assert found["p50"] == pytest.approx(10, rel=0.01)
    assert found["max"] == pytest.approx(10, rel=0.01)


def test_pauses_are_those_of_one_move_and_of_all() -> None:
    figures = Measurements(0.0)
    figures.mark(0.5)
    figures.acked(0.0, 1.0)
    figures.acked(0.0, 1.5)
    figures.acked(1.4, 4.5)
    assert figures.longest_wait == pytest.approx(3.1)
    assert figures.longest_silence == 3.0


def test_a_move_that_is_answered_after_the_end_still_counts_as_a_pause() -> None:
    figures = Measurements(0.0)
    figures.mark(0.1)
    figures.acked(0.1, 0.5)
    figures.end(1.0)
    figures.acked(0.5, 9.5)
    figures.acked(0.5, 99.0)
    assert figures.longest_wait == 98.5
    assert figures.longest_silence == 9.0


def test_without_moves_there_are_no_latencies() -> None:
    assert Measurements(0.0).latencies_ms() == {}
