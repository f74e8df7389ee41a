"""Medians and ratios over the runs of a series. Pure functions."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from benchmarks.peers.results import Measurement, Run
from benchmarks.peers.wires import SystemName

BASELINE = SystemName.COLYSEUS
"""The system that ratios refer to."""

Metric = Callable[[Measurement], float]


def percentile(ordered: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of values in ascending order; 0 if there are none."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def cpu_us(measurement: Measurement) -> float:
    return sum(measurement.cpu_us_per_move.values())


def p99_ms(measurement: Measurement) -> float:
    return measurement.p99_ms


def idle_kb(measurement: Measurement) -> float:
    return sum(measurement.kb_per_player.values())


def fault_counts(measurements: Iterable[Measurement]) -> dict[str, int]:
    """The sum of each kind of fault; kinds without a fault are left out."""
    counts: Counter[str] = Counter()
    for measurement in measurements:
        counts.update(msgspec.structs.asdict(measurement.faults))
    return {name.replace("_", " "): count for name, count in counts.items() if count}


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of a figure over the repeats, and its extremes."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """All runs of one system under one workload."""

    system: SystemName
    measurements: Sequence[Measurement]
    failures: Sequence[str]

    def spread(self, metric: Metric) -> Spread | None:
        values = [metric(measurement) for measurement in self.measurements]
        return Spread(statistics.median(values), min(values), max(values)) if values else None

    def by_role(self, part: Callable[[Measurement], Mapping[str, float]]) -> dict[str, float]:
        """The median of each role's share."""
        roles = dict.fromkeys(role for measurement in self.measurements for role in part(measurement))
        return {role: statistics.median(part(one).get(role, 0.0) for one in self.measurements) for role in roles}

    def faults(self) -> dict[str, int]:
        """Fault counts over all runs, failed runs included."""
        failed = {"failed runs": len(self.failures)} if self.failures else {}
        return failed | fault_counts(self.measurements)


def summarize(runs: Iterable[Run], workload: str) -> list[SystemSummary]:
    """One summary per system, in the order of `SystemName`."""
    chosen = [run for run in runs if run.workload == workload]
    present = {run.system for run in chosen}
    return [
        _summary(system, [run for run in chosen if run.system == system]) for system in SystemName if system in present
    ]


def _summary(system: SystemName, runs: Sequence[Run]) -> SystemSummary:
    measurements = [run.measurement for run in runs if run.measurement is not None]
    return SystemSummary(system, measurements, [run.failure for run in runs if run.measurement is None])


def ratio(runs: Iterable[Run], workload: str, system: SystemName, metric: Metric) -> float | None:
    """The median, over the repeats, of a system's figure in multiples of the baseline's in the same repeat.

    Both runs of a pair are minutes apart at most. A machine's speed drifts over a series, so pairs are steadier than
    the quotient of two medians.
    """
    values: dict[SystemName, dict[int, float]] = {system: {}, BASELINE: {}}
    for run in runs:
        if run.workload == workload and run.system in values and run.measurement is not None:
            values[run.system][run.repeat] = metric(run.measurement)
    pairs = [(value, values[BASELINE].get(repeat, 0.0)) for repeat, value in values[system].items()]
    quotients = [value / baseline for value, baseline in pairs if baseline > 0]
    return statistics.median(quotients) if quotients else None


def foreign_share(runs: Iterable[Run]) -> float:
    """The median share of CPU time that programs outside the comparison took."""
    shares = [run.measurement.foreign_cpu_share for run in runs if run.measurement is not None]
    return statistics.median(shares) if shares else 0.0
