"""Carries out a series: every run starts fresh servers, drives them with a load process and stops them."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.processes import ProcessGroup
from benchmarks.peers.results import Measurement, Run
from benchmarks.peers.systems import ROOT, Launch, System
from benchmarks.peers.workloads import LoadJob, Workload
from deploy.errors import CommandError

OPENING_LIMIT_S = 90.0
"""Time for a load process to open its rooms and to end, besides warm-up and window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlan:
    """All runs to make. Repeats are the outer loop, so that a slow phase of the machine affects all systems."""

    systems: Sequence[System]
    workloads: Sequence[Workload]
    repeats: int
    window_s: float
    warmup_s: float
    cache: Path

    def __len__(self) -> int:
        return self.repeats * len(self.workloads) * len(self.systems)

    def schedule(self) -> Iterator[tuple[int, Workload, System]]:
        """The runs in order. Each repeat begins with another system, so that none always follows the same one."""
        for repeat in range(self.repeats):
            first = repeat % len(self.systems)
            for workload in self.workloads:
                for system in [*self.systems[first:], *self.systems[:first]]:
                    yield repeat, workload, system


def run_once(plan: SeriesPlan, repeat: int, workload: Workload, system: System) -> Run:
    """One run. A failure is part of the result, so that it does not end the series."""
    try:
        measurement = _measure(plan, workload, system)
    except (BenchmarkError, CommandError, OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
        failure = f"{type(error).__name__}: {error}"[:600]
        return Run(repeat=repeat, workload=workload.name, system=system.name, failure=failure)
    return Run(repeat=repeat, workload=workload.name, system=system.name, measurement=measurement)


def _measure(plan: SeriesPlan, workload: Workload, system: System) -> Measurement:
    with (
        tempfile.TemporaryDirectory(prefix="tavolata-bench-", ignore_cleanup_errors=True) as folder,
        ProcessGroup() as processes,
    ):
        running = system.start(Launch(processes, Path(folder), system.folder(plan.cache)))
        job = LoadJob(
            system=system.name,
            urls=running.urls,
            servers=running.servers,
            workload=workload,
            window_s=plan.window_s,
            warmup_s=plan.warmup_s,
        )
        return _load(job)


def _load(job: LoadJob) -> Measurement:
    """Run a load process, bounded in time; `subprocess.run` kills it at the limit."""
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.load"],
        input=msgspec.json.encode(job),
        cwd=ROOT,
        capture_output=True,
        timeout=OPENING_LIMIT_S + job.warmup_s + job.window_s,
        check=False,
    )
    if finished.returncode:
        raise BenchmarkError(f"the load process failed: {finished.stderr.decode(errors='replace')[-500:]}")
    return msgspec.json.decode(finished.stdout, type=Measurement)
