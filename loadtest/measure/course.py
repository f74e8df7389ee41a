"""The course of a run and its settings as plain data, for `--json` and the report."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from loadtest.faults.kinds import FaultMark
from loadtest.measure.series import RunSeries, percentile
from loadtest.plan import LoadPlan


def pauses(faults: Sequence[FaultMark]) -> dict[str, dict[str, float]]:
    """The longest wait of a move after each fault, summed up by kind."""
    by_kind: dict[str, list[float]] = {}
    for fault in faults:
        by_kind.setdefault(str(fault.kind), []).append(fault.pause)
    return {kind: _summary(sorted(by_kind[kind])) for kind in sorted(by_kind)}


def _summary(ordered: list[float]) -> dict[str, float]:
    return {
        "faults": len(ordered),
        "median_s": round(median(ordered), 3),
        "p99_s": round(percentile(ordered, 0.99), 3),
        "max_s": round(ordered[-1], 3),
    }


def course(series: RunSeries) -> dict[str, Any]:
    """Every second, every fault and the size of every process."""
    return {
        "seconds": [_rounded(asdict(second)) for second in series.seconds],
        "faults": [_fault(fault, series.started) for fault in series.faults],
        "processes": [_rounded(asdict(size)) for size in series.sizes],
    }


def _fault(fault: FaultMark, started: float) -> dict[str, Any]:
    return {
        "kind": str(fault.kind),
        "target": fault.target,
        "at_s": round(fault.begun - started, 3),
        "restored_s": None if fault.ended is None else round(fault.ended - fault.begun, 3),
        "pause_s": round(fault.pause, 3),
    }


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _round(value) for name, value in values.items()}


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return _rounded(value) if isinstance(value, dict) else value


def settings(plan: LoadPlan, cluster: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "urls": list(plan.urls),
        "tables": [f"{kind.game}: {', '.join(kind.dialects)}, {kind.players} players" for kind in plan.kinds],
        "rooms": plan.rooms,
        "think_ms": round(plan.think_s * 1000, 1),
        "seed": plan.seed,
        **cluster,
    }
    if plan.faults is not None:
        found["faults"] = [str(kind) for kind in plan.faults.kinds]
        found["faults_every_s"] = plan.faults.every_s
        found["spare_first"] = plan.faults.spare_first
    return found
