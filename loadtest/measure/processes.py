"""Reads what the cluster's processes cost from /proc, if they run on this machine and may be looked at."""

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

ROLES = ("gateway", "worker", "valkey")
"""Whose time a move costs."""

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_Life: TypeAlias = tuple[int, str]
"""A process: its number, and when it was started, since numbers are used again."""


class _Process(msgspec.Struct):
    role: str
    pid: int


class _Cluster(msgspec.Struct):
    processes: list[_Process] = []


@dataclass(frozen=True, slots=True)
class Usage:
    life: _Life
    cpu_s: float
    rss_bytes: int


def usage(pid: int, proc: Path = Path("/proc")) -> Usage | None:
    """None if there is no such process."""
    try:
        line = (proc / str(pid) / "stat").read_text()
    except OSError:
        return None
    parts = line[line.rindex(")") + 2 :].split()
    return Usage((pid, parts[19]), (int(parts[11]) + int(parts[12])) / _TICKS, int(parts[21]) * _PAGE)


@dataclass(frozen=True, slots=True)
class Machine:
    """Its time so far, in ticks of all cores together; `stolen` went to somebody else on the same host."""

    total: int = 0
    stolen: int = 0


def machine(proc: Path = Path("/proc")) -> Machine:
    try:
        ticks = [int(part) for part in (proc / "stat").read_text().partition("\n")[0].split()[1:9]]
    except (OSError, ValueError):
        return Machine()
    return Machine(sum(ticks), ticks[7]) if len(ticks) == 8 else Machine()


def role_of(pid: int, proc: Path = Path("/proc")) -> str:
    """A guess from its command line."""
    try:
        words = (proc / str(pid) / "cmdline").read_text().replace("\0", " ")
    except OSError:
        return "other"
    return next((role for role in (*ROLES, "redis") if role in words), "other").replace("redis", "valkey")


def roles(data: Path, named: dict[int, str]) -> dict[int, str]:
    """The processes to watch: those that were named, or else those of the cluster on this data folder."""
    if named:
        return named
    try:
        cluster = msgspec.json.decode((data / "cluster.json").read_bytes(), type=_Cluster)
    except (OSError, msgspec.MsgspecError):
        return {}
    return {process.pid: process.role for process in cluster.processes if process.role in ROLES}


class Meter:
    """CPU time of the cluster's processes by role. Sample it now and then: a process that dies is not seen again."""

    def __init__(self, data: Path, named: dict[int, str], proc: Path = Path("/proc")) -> None:
        self._data = data
        self._named = named
        self._proc = proc
        self._roles: dict[_Life, str] = {}
        self._now: dict[_Life, float] = {}
        self._base: dict[_Life, float] = {}
        self._machine = self._machine_base = Machine()
        self._tool = self._tool_base = 0.0

    def sample(self) -> None:
        self._machine = machine(self._proc)
        self._tool = time.process_time()
        for pid, role in roles(self._data, self._named).items():
            seen = usage(pid, self._proc)
            if seen is not None:
                self._roles[seen.life] = role
                self._now[seen.life] = seen.cpu_s

    def mark(self) -> None:
        """Count from here on; a process that starts later counts from its beginning."""
        self.sample()
        self._base = dict(self._now)
        self._machine_base = self._machine
        self._tool_base = self._tool

    def stolen(self) -> float:
        """The share of the machine's time that went to others since `mark`. The figures of `spent` have some of it in
        them: the more of it there is, the more everything seems to cost."""
        total = self._machine.total - self._machine_base.total
        return (self._machine.stolen - self._machine_base.stolen) / total if total > 0 else 0.0

    def tool(self) -> float:
        """Seconds that this process has worked itself since `mark`. Its work for a move is nearly always the same,
        so that figures of `spent` from a quiet and a busy hour can be compared by it."""
        return self._tool - self._tool_base

    def spent(self) -> dict[str, float]:
        """Seconds since `mark` up to the last sample, by role; empty if no process can be seen."""
        seconds: dict[str, float] = defaultdict(float)
        for life, cpu_s in self._now.items():
            seconds[self._roles[life]] += cpu_s - self._base.get(life, 0.0)
        return dict(seconds)
