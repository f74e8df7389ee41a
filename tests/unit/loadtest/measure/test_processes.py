"""The CPU meter on given usages, and the reading of real processes."""

import json
import os
from pathlib import Path

import psutil
import pytest

from loadtest.measure.processes import (
    CpuMeter,
    MachineTime,
    ProcessUsage,
    machine_time,
    process_usage,
    role_in,
    role_of,
    roles,
)


class Machine:
    """Processes and times that a test sets."""

    def __init__(self) -> None:
        self.usages: dict[int, ProcessUsage] = {}
        self.time = MachineTime()

    def set(self, pid: int, cpu_s: float, start: float = 5.0) -> None:
        self.usages[pid] = ProcessUsage((pid, start), cpu_s, 0)

    def meter(self, data: Path) -> CpuMeter:
        return CpuMeter(data, {}, self.usages.get, lambda: self.time)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def cluster(data: Path, *processes: tuple[str, int]) -> None:
    listed = [{"role": role, "pid": pid, "port": None} for role, pid in processes]
    (data / "cluster.json").write_text(json.dumps({"url": "x", "processes": listed}))


def test_the_usage_of_a_running_process_is_read() -> None:
    usage = process_usage(os.getpid())
    assert usage is not None
    assert usage.identity[0] == os.getpid()
    assert usage.cpu_s > 0
    assert usage.rss_bytes > 1_000_000
    assert process_usage(os.getpid()).identity == usage.identity  # type: ignore[union-attr]


def test_a_process_that_has_ended_has_no_usage() -> None:
    pid = max(psutil.pids()) + 100_000
    assert process_usage(pid) is None
    assert role_of(pid) == "other"


def test_the_time_of_the_machine_includes_the_stolen_time() -> None:
    time = machine_time()
    assert time.total_s > time.stolen_s >= 0


def test_time_is_summed_by_role_from_the_mark_on(machine: Machine, tmp_path: Path) -> None:
    cluster(tmp_path, ("supervisor", 1), ("gateway", 2), ("gateway", 3), ("valkey", 4))
    for pid, cpu_s in ((1, 9.0), (2, 1.0), (3, 1.0), (4, 0.5)):
        machine.set(pid, cpu_s)
    meter = machine.meter(tmp_path)
    meter.mark()
    for pid, cpu_s in ((1, 9.99), (2, 1.5), (3, 1.2), (4, 0.6)):
        machine.set(pid, cpu_s)
    meter.sample()
    assert meter.spent() == pytest.approx({"gateway": 0.7, "valkey": 0.1})


def test_stolen_time_is_a_share_of_all_time_from_the_mark_on(machine: Machine, tmp_path: Path) -> None:
    meter = machine.meter(tmp_path)
    machine.time = MachineTime(1_000, 900)
    meter.mark()
    machine.time = MachineTime(1_400, 940)
    meter.sample()
    assert meter.stolen() == pytest.approx(0.1)


def test_no_time_is_stolen_where_the_machine_reports_none(machine: Machine, tmp_path: Path) -> None:
    meter = machine.meter(tmp_path)
    meter.mark()
    meter.sample()
    assert meter.stolen() == 0


def test_a_restarted_process_counts_together_with_its_predecessor(machine: Machine, tmp_path: Path) -> None:
    cluster(tmp_path, ("worker", 2))
    machine.set(2, 1.0)
    meter = machine.meter(tmp_path)
    meter.mark()
    machine.set(2, 1.3)
    meter.sample()
    cluster(tmp_path, ("worker", 9))
    machine.set(9, 0.4)
    meter.sample()
    machine.set(2, 0.1, start=77.0)
    cluster(tmp_path, ("worker", 2))
    meter.sample()
    assert meter.spent() == pytest.approx({"worker": 0.8})


def test_without_a_cluster_no_process_is_measured(machine: Machine, tmp_path: Path) -> None:
    meter = machine.meter(tmp_path)
    meter.mark()
    assert meter.spent() == {}
    (tmp_path / "cluster.json").write_text("half")
    assert roles(tmp_path, {}) == {}


def test_named_processes_take_precedence(tmp_path: Path) -> None:
    cluster(tmp_path, ("worker", 2))
    assert roles(tmp_path, {5: "gateway"}) == {5: "gateway"}


@pytest.mark.parametrize(
    ("command", "role"),
    [
        ("python -m gateway", "gateway"),
        ("/x/python -m worker", "worker"),
        ("/opt/valkey-server *:6379", "valkey"),
        ("redis-server *:6379", "valkey"),
        ("bash", "other"),
    ],
)
def test_a_role_is_guessed_from_the_command_line(command: str, role: str) -> None:
    assert role_in(command) == role


def test_the_tools_own_time_is_counted_since_the_mark(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked = iter((3.0, 5.5))
    monkeypatch.setattr("loadtest.measure.processes.time.process_time", lambda: next(worked))
    meter = machine.meter(tmp_path)
    meter.mark()
    meter.sample()
    assert meter.tool() == 2.5
