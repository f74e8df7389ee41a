"""CPU time and memory of the servers, the client and the whole machine, read from /proc."""

import os
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.errors import BenchmarkError
from loadtest.measure.processes import process_usage

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_IDLE_FIELDS = (3, 4)
_STEAL_FIELD = 7


def used_machine_s(stat: str) -> tuple[float, float]:
    """Used and total CPU seconds of all cores from the first line of /proc/stat; time that a host stole is used."""
    ticks = [int(word) for word in stat.partition("\n")[0].split()[1 : _STEAL_FIELD + 2]]
    total = sum(ticks)
    idle = sum(ticks[position] for position in _IDLE_FIELDS)
    return (total - idle) / _TICKS_PER_S, total / _TICKS_PER_S


@dataclass(frozen=True, slots=True)
class Sample:
    """A reading of all counters at one moment."""

    at_s: float
    cpu_s: Mapping[str, float]
    rss_kb: Mapping[str, float]
    client_s: float
    machine_used_s: float
    machine_total_s: float

    @staticmethod
    def take(servers: Mapping[int, str], proc: Path = Path("/proc")) -> "Sample":
        """Read the counters of the servers, which are given as role by process id."""
        cpu_s: dict[str, float] = defaultdict(float)
        rss_kb: dict[str, float] = defaultdict(float)
        for pid, role in servers.items():
            seen = process_usage(pid)
            if seen is None:
                raise BenchmarkError(f"a server process of role {role} has ended")
            cpu_s[role] += seen.cpu_s
            rss_kb[role] += seen.rss_bytes / 1024
        used, total = used_machine_s((proc / "stat").read_text())
        return Sample(time.perf_counter(), dict(cpu_s), dict(rss_kb), time.process_time(), used, total)


def cpu_between(first: Sample, second: Sample) -> dict[str, float]:
    """CPU seconds by role."""
    return {role: cpu_s - first.cpu_s[role] for role, cpu_s in second.cpu_s.items()}


def memory_growth(first: Sample, second: Sample) -> dict[str, float]:
    """Growth of resident memory in KiB by role."""
    return {role: kb - first.rss_kb[role] for role, kb in second.rss_kb.items()}


def foreign_cpu_share(first: Sample, second: Sample) -> float:
    """The part of the machine's CPU time that programs outside the comparison used, from 0 to 1."""
    total = second.machine_total_s - first.machine_total_s
    ours = sum(cpu_between(first, second).values()) + second.client_s - first.client_s
    foreign = second.machine_used_s - first.machine_used_s - ours
    return min(1.0, max(0.0, foreign / total)) if total > 0 else 0.0
