"""The order of the runs of a series."""

from pathlib import Path

from benchmarks.peers.runner import SeriesPlan
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.workloads import parse_workload


def test_repeats_are_the_outer_loop_and_begin_with_another_system_each() -> None:
    systems = list(SYSTEMS.values())[:2]
    workloads = [parse_workload("200x2"), parse_workload("rate")]
    plan = SeriesPlan(systems=systems, workloads=workloads, repeats=2, window_s=1, warmup_s=0, cache=Path("cache"))
    order = [(repeat, workload.name, system.name.value) for repeat, workload, system in plan.schedule()]
    assert len(order) == len(plan)
    assert order[:4] == [
        (0, "200x2", "tavolata"),
        (0, "200x2", "colyseus"),
        (0, "rate", "tavolata"),
        (0, "rate", "colyseus"),
    ]
    assert order[4:6] == [(1, "200x2", "colyseus"), (1, "200x2", "tavolata")]
