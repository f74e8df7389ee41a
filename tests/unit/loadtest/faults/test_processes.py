"""Signals to the processes of a cluster: only to children of its supervisor, and with a successor awaited."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from loadtest.cluster_file import KnownCluster, KnownProcess
from loadtest.faults.processes import NotRestored, ProcessFaults


def write_cluster(data: Path, *processes: KnownProcess, supervisor: int | None = None) -> None:
    own = KnownProcess("supervisor", os.getpid() if supervisor is None else supervisor)
    (data / "cluster.json").write_bytes(msgspec.json.encode(KnownCluster((own, *processes))))


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that waits until it is ended."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def faults_on(data: Path, *, spare_first: bool = False) -> ProcessFaults:
    return ProcessFaults(data, spare_first, lambda found: found[0])


async def test_a_killed_process_is_replaced_when_its_successor_is_listed(
    tmp_path: Path, child: "subprocess.Popen[bytes]"
) -> None:
    victim = KnownProcess("worker", child.pid)
    write_cluster(tmp_path, victim)
    faults = faults_on(tmp_path)
    assert faults.send(victim, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    replacing = asyncio.create_task(faults.until_replaced(victim))
    await asyncio.sleep(0)
    assert not replacing.done()
    write_cluster(tmp_path, KnownProcess("worker", child.pid + 1))
    await replacing


async def test_a_killed_primary_of_the_store_is_replaced_when_it_is_back_as_a_replica(tmp_path: Path) -> None:
    victim = KnownProcess("valkey", 11)
    write_cluster(tmp_path, KnownProcess("valkey-replica", 12))
    await faults_on(tmp_path).until_replaced(victim)


async def test_a_process_without_a_successor_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadtest.faults.processes.RESTORED_S", 0.05)
    victim = KnownProcess("worker", 11, 8101)
    write_cluster(tmp_path, victim)
    with pytest.raises(NotRestored, match="worker :8101 was not replaced"):
        await faults_on(tmp_path).until_replaced(victim)


def test_a_clean_stop_of_a_gateway_may_take_as_long_as_it_waits_for_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"TAVOLATA_DRAIN_MS": "1000", "TAVOLATA_DRAIN_GAMES_MS": "20000"}
    monkeypatch.setattr("loadtest.faults.processes.settings_of", lambda _pid: settings)
    faults = faults_on(tmp_path)
    assert faults.stop_s(KnownProcess("gateway", 11)) == 21.0
    assert faults.stop_s(KnownProcess("worker", 12)) == 0.0


async def test_a_frozen_process_continues_even_if_the_run_is_cancelled(
    tmp_path: Path, child: "subprocess.Popen[bytes]"
) -> None:
    victim = KnownProcess("worker", child.pid)
    write_cluster(tmp_path, victim)
    freezing = asyncio.create_task(faults_on(tmp_path).freeze(victim, 60.0))
    while psutil.Process(child.pid).status() != psutil.STATUS_STOPPED:
        await asyncio.sleep(0.001)
    freezing.cancel()
    await asyncio.wait({freezing})
    assert psutil.Process(child.pid).status() != psutil.STATUS_STOPPED


def test_a_process_that_is_not_a_child_of_the_supervisor_gets_no_signal(
    tmp_path: Path, child: "subprocess.Popen[bytes]"
) -> None:
    victim = KnownProcess("worker", child.pid)
    write_cluster(tmp_path, victim, supervisor=1)
    assert not faults_on(tmp_path).send(victim, signal.SIGKILL)
    assert child.poll() is None


def test_the_first_process_of_a_role_can_be_spared(tmp_path: Path) -> None:
    write_cluster(tmp_path, KnownProcess("worker", 11, 8102), KnownProcess("worker", 12, 8101))
    assert faults_on(tmp_path).pick("worker").pid == 12
    assert faults_on(tmp_path, spare_first=True).pick("worker").pid == 11
    assert faults_on(tmp_path, spare_first=True).pick("worker", may_spare=False).pid == 12


async def test_the_last_process_of_several_is_not_ended(tmp_path: Path) -> None:
    faults = faults_on(tmp_path)
    first, second = KnownProcess("worker", 11, 8101), KnownProcess("worker", 12, 8102)
    write_cluster(tmp_path, first, second)
    await faults.until_one_can_be_spared("worker")
    write_cluster(tmp_path, first)
    waiting = asyncio.create_task(faults.until_one_can_be_spared("worker"))
    await asyncio.sleep(0)
    assert not waiting.done()
    write_cluster(tmp_path, first, second)
    await waiting


async def test_the_only_process_of_a_role_may_be_ended(tmp_path: Path) -> None:
    write_cluster(tmp_path, KnownProcess("valkey", 11, 8200))
    await faults_on(tmp_path).until_one_can_be_spared("valkey")


def test_a_cluster_without_the_role_is_reported(tmp_path: Path) -> None:
    write_cluster(tmp_path)
    with pytest.raises(NotRestored, match="has no worker"):
        faults_on(tmp_path).pick("worker")
