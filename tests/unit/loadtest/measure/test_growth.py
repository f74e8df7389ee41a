"""The judgment of a process's growth over a long run."""

from typing import Any

import pytest

from loadtest.measure.growth import growths

MIB = 2**20


def samples(role: str, pid: int, sizes: list[tuple[float, float, int]]) -> list[dict[str, Any]]:
    """Samples from (time, MiB, files)."""
    return [
        {"at_s": at, "role": role, "port": 8101, "pid": pid, "rss_bytes": mib * MIB, "files": files}
        for at, mib, files in sizes
    ]


def test_a_process_that_stays_as_it_is_after_a_warm_up_is_within_the_bounds() -> None:
    [growth] = growths(samples("worker", 1, [(0, 20, 9), (25, 50, 20), (50, 60, 21), (100, 55, 20)]), 100.0)
    assert growth.within_bounds
    assert growth.rss_before == 50 * MIB
    assert growth.rss_after == 55 * MIB


@pytest.mark.parametrize("last", [(100, 120, 20), (100, 50, 60)])
def test_more_memory_or_more_files_at_the_end_are_beyond_the_bounds(last: tuple[float, float, int]) -> None:
    [growth] = growths(samples("worker", 1, [(0, 50, 20), (25, 50, 20), last]), 100.0)
    assert not growth.within_bounds


def test_processes_that_were_ended_during_the_run_are_not_judged() -> None:
    short = samples("worker", 1, [(0, 50, 20), (50, 900, 20)]) + samples("worker", 2, [(55, 20, 20), (100, 900, 20)])
    assert growths(short, 100.0) == []


def test_a_restarted_store_counts_as_one_process() -> None:
    store = samples("valkey", 1, [(0, 50, 20), (25, 50, 20)]) + samples("valkey", 2, [(55, 20, 20), (100, 900, 20)])
    [growth] = growths(store, 100.0)
    assert not growth.within_bounds
