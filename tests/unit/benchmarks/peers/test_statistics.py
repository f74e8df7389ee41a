"""Medians, ratios and fault counts of the peer comparison."""

import pytest

from benchmarks.peers.results import Run
from benchmarks.peers.statistics import cpu_us, foreign_share, idle_kb, percentile, ratio, summarize
from benchmarks.peers.wires import SystemName
from tests.unit.benchmarks.peers.series import OURS, PEER, RUNS, failed, moves


def test_percentiles_use_the_nearest_rank() -> None:
    values = [float(value) for value in range(1, 101)]
    assert percentile(values, 0.5) == 50
    assert percentile(values, 0.99) == 99
    assert percentile(values, 1.0) == 100
    assert percentile([7.0], 0.99) == 7


def test_a_percentile_of_nothing_is_zero() -> None:
    assert percentile([], 0.99) == 0


def test_summaries_hold_the_median_and_the_extremes() -> None:
    ours, peer = summarize(RUNS, "200x2")
    spread = ours.spread(cpu_us)
    assert ours.system is OURS
    assert peer.system is PEER
    assert spread is not None
    assert spread.median == 150
    assert spread.low == 100
    assert spread.high == 300
    assert ours.by_role(lambda one: one.cpu_us_per_move) == {"gateway": 140, "valkey": 10}


def test_summaries_count_faults_and_failed_runs() -> None:
    ours, peer = summarize(RUNS, "200x2")
    assert ours.faults() == {}
    assert peer.faults() == {"failed runs": 1, "gaps": 2}


def test_a_system_without_a_completed_run_has_no_spread() -> None:
    (only,) = summarize([failed(0, PEER)], "200x2")
    assert only.spread(cpu_us) is None


def test_ratios_compare_runs_of_the_same_repeat() -> None:
    # Repeat 0 gives 2.0 and repeat 1 gives 1.5; repeat 2 has no baseline.
    assert ratio(RUNS, "200x2", OURS, cpu_us) == pytest.approx(1.75)
    assert ratio(RUNS, "idle", OURS, idle_kb) == pytest.approx(0.5)
    assert ratio(RUNS, "200x2", PEER, cpu_us) == 1


def test_there_is_no_ratio_without_a_baseline() -> None:
    runs: list[Run] = [moves(0, SystemName.SOCKET_IO, 100.0)]
    assert ratio(runs, "200x2", SystemName.SOCKET_IO, cpu_us) is None


def test_the_share_of_other_programs_is_a_median_of_completed_runs() -> None:
    runs = [moves(0, OURS, 20.0, foreign=0.1), moves(1, OURS, 20.0, foreign=0.3), failed(2, OURS)]
    assert foreign_share(runs) == pytest.approx(0.2)
    assert foreign_share([]) == 0
