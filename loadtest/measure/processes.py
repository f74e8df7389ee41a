"""CPU time and memory of the cluster's processes, if they run on this machine and may be read."""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import psutil

from loadtest.cluster_file import read_cluster
from loadtest.measure.series import ProcessSize

ROLES = ("gateway", "worker", "valkey", "valkey-replica", "sentinel")
"""The processes whose CPU time counts as the cost of a move."""

TOOL = "load tool"
"""This process, beside the roles."""

_Identity: TypeAlias = tuple[int, float]
"""Pid and start time of a process: pids are reused."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    identity: _Identity
    cpu_s: float
    rss_bytes: int


def process_usage(pid: int) -> ProcessUsage | None:
    """None if the process has ended or may not be read."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            cpu = process.cpu_times()
            return ProcessUsage((pid, process.create_time()), cpu.user + cpu.system, process.memory_info().rss)
    except psutil.Error:
        return None


@dataclass(frozen=True, slots=True)
class MachineTime:
    """Time of all cores together since the machine started, and how much of it its host gave to other machines."""

    total_s: float = 0.0
    stolen_s: float = 0.0


def machine_time() -> MachineTime:
    times = psutil.cpu_times()
    # Guest time is part of user time, so it must not be added again.
    total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
    return MachineTime(total, getattr(times, "steal", 0.0))


def role_of(pid: int) -> str:
    """The role that the command line suggests."""
    try:
        command = " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return "other"
    return role_in(command)


def role_in(command: str) -> str:
    return next((role for role in (*ROLES, "redis") if role in command), "other").replace("redis", "valkey")


def roles(data: Path, named: dict[int, str]) -> dict[int, str]:
    """Pid and role of the processes to measure: those that were named, or else those of the cluster on this folder."""
    if named:
        return named
    cluster = read_cluster(data)
    if cluster is None:
        return {}
    return {process.pid: process.role for process in cluster.processes if process.role in ROLES}


class CpuMeter:
    """CPU time by role. Sample it regularly: the time of a process that has ended cannot be read any more."""

    def __init__(
        self,
        data: Path,
        named: dict[int, str],
        usage: Callable[[int], ProcessUsage | None] = process_usage,
        machine: Callable[[], MachineTime] = machine_time,
    ) -> None:
        self.data = data
        self._named = named
        self._usage = usage
        self._read_machine = machine
        self._roles: dict[_Identity, str] = {}
        self._now: dict[_Identity, float] = {}
        self._base: dict[_Identity, float] = {}
        self._machine = self._machine_base = MachineTime()
        self._tool = self._tool_base = 0.0

    def sample(self) -> None:
        self._machine = self._read_machine()
        self._tool = time.process_time()
        for pid, role in roles(self.data, self._named).items():
            usage = self._usage(pid)
            if usage is not None:
                self._roles[usage.identity] = role
                self._now[usage.identity] = usage.cpu_s

    def sizes(self, at_s: float) -> list[ProcessSize]:
        """Memory and open files of every process that can be read."""
        cluster = read_cluster(self.data)
        ports = {process.pid: process.port for process in cluster.processes} if cluster is not None else {}
        found = []
        for pid, role in roles(self.data, self._named).items():
            try:
                process = psutil.Process(pid)
                size = ProcessSize(at_s, role, ports.get(pid), pid, process.memory_info().rss, process.num_fds())
            except psutil.Error:
                continue
            found.append(size)
        return found

    def mark(self) -> None:
        """Count from now on; a process that starts later counts from its start."""
        self.sample()
        self._base = dict(self._now)
        self._machine_base = self._machine
        self._tool_base = self._tool

    def stolen(self) -> float:
        """The share of the machine's time since `mark` that its host gave to others. Measurements of `spent` include
        some of it: with much stolen time, everything seems to cost more."""
        total = self._machine.total_s - self._machine_base.total_s
        return (self._machine.stolen_s - self._machine_base.stolen_s) / total if total > 0 else 0.0

    def tool(self) -> float:
        """CPU seconds of this process since `mark`. Its work per move is nearly constant, so measurements of `spent`
        on a quiet and on a busy machine can be compared relative to it."""
        return self._tool - self._tool_base

    def spent(self) -> dict[str, float]:
        """CPU seconds from `mark` to the last sample, by role; empty if no process can be read."""
        seconds: dict[str, float] = defaultdict(float)
        for identity, cpu_s in self._now.items():
            seconds[self._roles[identity]] += cpu_s - self._base.get(identity, 0.0)
        return dict(seconds)
