"""`make simulate`: runs many seeds of the simulation on all cores, with a progress bar. Exit code 1 if one fails."""

import argparse
import logging
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.simulation.test_promise import live_through
from tests.support.fake_store import FakeServer

PORTION = 20
MOST_SHOWN = 10


@dataclass(slots=True)
class SeedResults:
    """The outcome of some seeds."""

    seeds: int = 0
    acked: int = 0
    fenced: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    failed: dict[int, str] = field(default_factory=dict)

    def add(self, other: "SeedResults") -> None:
        self.seeds += other.seeds
        self.acked += other.acked
        self.fenced += other.fenced
        self.faults += other.faults
        self.failed |= other.failed


def run_seeds(seeds: Sequence[int]) -> SeedResults:
    logging.disable(logging.CRITICAL)
    server = FakeServer()
    results = SeedResults()
    for seed in seeds:
        results.seeds += 1
        try:
            simulation = live_through(seed, server)
        except Exception as error:  # noqa: BLE001 - every failure of a seed is a result
            results.failed[seed] = f"{type(error).__name__}: {error}"
            server = FakeServer()
            continue
        results.acked += sum(len(visit.acked) for visit in simulation.visits)
        results.fenced += simulation.fenced
        results.faults += simulation.faults
    return results


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=1_000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    chosen = options.parse_args()
    end = chosen.first + chosen.seeds
    portions = [range(first, min(end, first + PORTION)) for first in range(chosen.first, end, PORTION)]
    results = SeedResults()
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as progress,
        ProcessPoolExecutor(chosen.processes) as pool,
    ):
        task = progress.add_task("simulating", total=chosen.seeds)
        for done in as_completed([pool.submit(run_seeds, portion) for portion in portions]):
            results.add(done.result())
            progress.update(task, completed=results.seeds, description=f"simulating, {len(results.failed)} failed")
    _show(results)
    return 1 if results.failed else 0


def _show(results: SeedResults) -> None:
    faults = ", ".join(f"{count:,} {name}" for name, count in sorted(results.faults.items()))
    lines = [
        f"{results.seeds:,} seeds, {len(results.failed)} failed; {results.acked:,} acknowledged commands checked, "
        f"{results.fenced:,} commits fenced",
        f"faults: {faults}",
    ]
    for seed, text in sorted(results.failed.items())[:MOST_SHOWN]:
        lines.append(f"TAVOLATA_SIMULATION_SEED={seed} TAVOLATA_SIMULATIONS=1 shows: {text[:300]}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
