"""The course of a run: seconds, and the pauses that faults cause."""

import pytest

from loadtest.faults.kinds import FaultKind, FaultMark
from loadtest.measure.course import course, pauses
from loadtest.measure.series import RunSeries


def test_a_sample_has_the_moves_and_latencies_since_the_one_before() -> None:
    series = RunSeries(100.0)
    series.acked(100.2, 100.3)
    series.sample(101.0, {})
    series.acked(101.0, 101.5)
    series.acked(101.0, 102.0)
    series.sample(103.0, {})
    first, second = series.seconds
    assert first.moves_per_s == 1.0
    assert first.p50_ms == pytest.approx(100.0)
    assert second.moves_per_s == 1.0
    assert second.max_ms == pytest.approx(1000.0)


def test_a_second_without_moves_has_no_latency() -> None:
    series = RunSeries(0.0)
    series.sample(1.0, {})
    assert series.seconds[0].max_ms is None


def test_cpu_time_is_counted_from_sample_to_sample_in_cores() -> None:
    series = RunSeries(0.0)
    series.sample(1.0, {"worker": 0.5})
    series.sample(3.0, {"worker": 1.5})
    assert [second.cores["worker"] for second in series.seconds] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("sent", "acked", "delayed"),
    [
        (9.0, 9.5, []),
        (9.9, 13.0, [FaultKind.KILL_WORKER]),
        (10.5, 11.0, [FaultKind.KILL_WORKER]),
        (9.9, 25.0, [FaultKind.KILL_WORKER]),
        (19.0, 21.0, [FaultKind.CUT_PUBSUB]),
        (11.0, 21.0, [FaultKind.KILL_WORKER]),
    ],
)
def test_a_wait_counts_for_the_fault_during_it_or_else_for_the_last_one_before_it(
    sent: float, acked: float, delayed: list[FaultKind]
) -> None:
    marks = [FaultMark(FaultKind.KILL_WORKER, 10.0, ended=12.0), FaultMark(FaultKind.CUT_PUBSUB, 20.0)]
    series = RunSeries(0.0)
    series.faults += [mark for mark in marks if mark.begun <= acked]
    series.acked(sent, acked)
    assert [mark.kind for mark in marks if mark.pause] == delayed


def test_pauses_are_summed_up_by_kind() -> None:
    marks = [FaultMark(FaultKind.KILL_WORKER, 0.0, pause=pause) for pause in (1.0, 3.0, 2.0)]
    assert pauses(marks) == {"kill-worker": {"faults": 3, "median_s": 2.0, "p99_s": 3.0, "max_s": 3.0}}


def test_the_course_counts_faults_from_the_start_of_the_series() -> None:
    series = RunSeries(50.0)
    series.faults.append(FaultMark(FaultKind.KILL_STORE, 52.0, "valkey :1", ended=53.5, pause=0.25))
    assert course(series)["faults"] == [
        {"kind": "kill-store", "target": "valkey :1", "at_s": 2.0, "restored_s": 1.5, "pause_s": 0.25}
    ]
