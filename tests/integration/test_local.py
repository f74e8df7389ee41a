"""`tavolata up`, `ps` and `down`: restarts, stopping in order, and error texts."""

import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from deploy.launcher import cluster_file, store
from deploy.launcher.cluster_file import RunningCluster, RunningProcess
from tests.support.free_ports import free_span
from tests.support.launched import FAKE, LINE, ROOT, UP, Launched, tavolata
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """A cluster for tests that do not stop the supervisor."""
    with Launched(tmp_path_factory.mktemp("lasting") / "data") as launched:
        yield launched


@pytest.fixture
def cluster(data: Path, tmp_path: Path) -> Iterator[Launched]:
    with Launched(data, env={"FAKE_STOP_LOG": str(tmp_path / "stopped")}) as launched:
        yield launched


def pids(data: Path, role: str) -> list[int]:
    cluster = cluster_file.read(data)
    return [process.pid for process in cluster.processes if process.role == role] if cluster is not None else []


def is_replaced(data: Path, victim: int) -> bool:
    return pids(data, "worker") not in ([], [victim])


def test_ps_prints_role_pid_port_and_uptime_of_every_process(lasting: Launched) -> None:
    lines = tavolata("ps", "--data", str(lasting.data)).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["supervisor", "valkey", "gateway", "gateway", "worker", "worker"]
    assert all(LINE.fullmatch(line) for line in lines)
    assert lines[0].startswith(f"supervisor {lasting.pid} - ")
    assert [line.split()[2] for line in lines[2:4]] == [str(lasting.port + 1), str(lasting.port + 2)]
    assert all(psutil.pid_exists(int(line.split()[1])) for line in lines)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked for it")
def test_every_process_has_batch_scheduling(lasting: Launched) -> None:
    assert {os.sched_getscheduler(pid) for pid in lasting.pids()} == {os.SCHED_BATCH}


@pytest.mark.parametrize("role", ["gateway", "worker"])
def test_a_killed_process_is_restarted_on_its_port(lasting: Launched, role: str) -> None:
    ports = set(lasting.processes(role).values())
    lasting.kill_one(role)
    assert set(lasting.processes(role).values()) == ports
    assert "was ended by SIGKILL and is restarted" in lasting.printed()


def test_a_killed_valkey_is_restarted_on_its_port_with_its_data(lasting: Launched) -> None:
    [port] = lasting.processes("valkey").values()
    assert lasting.ask_store("SET", "move", "7") == b"OK"
    _, again = lasting.kill_one("valkey")
    assert again == port
    eventually(lambda: store.answers(lasting.running().redis_url), "Valkey answers")
    assert lasting.ask_store("GET", "move") == b"7"


def test_down_ends_every_process(cluster: Launched) -> None:
    pids = cluster.pids()
    assert len(pids) == 6
    done = tavolata("down", "--data", str(cluster.data))
    assert done.returncode == 0
    assert done.stdout == "stopped\n"
    assert cluster.wait() == 0
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert not (cluster.data / cluster_file.STATE).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_gateways_then_workers_then_the_store(
    cluster: Launched, number: signal.Signals, tmp_path: Path
) -> None:
    assert cluster.send(number) == 0
    stopped = (tmp_path / "stopped").read_text().splitlines()
    assert stopped == ["gateway with store"] * 2 + ["worker with store"] * 2
    assert cluster.printed().endswith("stopped\n")


def test_a_second_signal_does_not_wait_for_players_but_for_the_store(data: Path) -> None:
    env = {"FAKE_STUBBORN": "1", "TAVOLATA_DRAIN_MS": "3600000"}
    with Launched(data, "--gateways", "1", "--workers", "0", env=env) as launched:
        os.kill(launched.pid, signal.SIGTERM)
        eventually(lambda: "stopping" in launched.printed(), "it is stopping")
        assert launched.send(signal.SIGTERM) == 0
        assert "ready to exit" in (data / "logs" / "valkey.log").read_text()


def test_a_second_cluster_on_the_same_folder_is_refused(lasting: Launched) -> None:
    other = tavolata("up", "--data", str(lasting.data), "--port", str(free_span(4)))
    assert other.returncode == 1
    assert other.stderr.splitlines() == [
        f"tavolata: a cluster is running on {lasting.data} already (pid {lasting.pid}): "
        f"stop it with `tavolata down --data {lasting.data}`, or use another --data"
    ]


def test_no_process_outlives_a_killed_supervisor_and_the_next_cluster_has_the_data(cluster: Launched) -> None:
    cluster.ask_store("SET", "move", "7")
    pids = cluster.pids()
    cluster.send(signal.SIGKILL)
    eventually(lambda: not any(psutil.pid_exists(pid) for pid in pids), "all processes have ended")
    assert tavolata("ps", "--data", str(cluster.data)).returncode == 1
    cluster.start()
    assert cluster.ask_store("GET", "move") == b"7"


def test_a_cluster_file_without_the_lock_is_ignored(data: Path) -> None:
    data.mkdir()
    cluster_file.write(
        data,
        RunningCluster("http://127.0.0.1:1", "redis://127.0.0.1:1/0", (RunningProcess("supervisor", os.getpid()),)),
    )
    for verb in ("ps", "down"):
        done = tavolata(verb, "--data", str(data))
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr == (
            f"tavolata: no cluster is running on {data}: start one with `tavolata up --data {data}`\n"
        )
    with Launched(data) as launched:
        assert launched.pids()[0] == launched.pid


def test_an_external_store_is_used_and_not_stopped(data: Path, own_valkey: ValkeyServer) -> None:
    with Launched(data, "--redis", own_valkey.url) as launched:
        assert launched.processes("valkey") == {}
        assert own_valkey.url in launched.printed()
    assert own_valkey.ask("PING") == b"PONG"


@pytest.mark.parametrize(("durability", "appendfsync"), [("fsync", "always"), ("applied", "everysec")])
def test_durability_decides_when_the_store_writes_to_disk(data: Path, durability: str, appendfsync: str) -> None:
    with Launched(data, "--durability", durability, "--gateways", "1", "--workers", "1") as launched:
        assert launched.ask_store("CONFIG", "GET", "appendfsync") == {b"appendfsync": appendfsync.encode()}


def test_the_admin_token_is_not_in_output_that_is_kept_but_ps_prints_it(data: Path, own_valkey: ValkeyServer) -> None:
    own_valkey.ask("HSET", "tavolata:secrets", "admin_token", "open-sesame")
    with Launched(data, "--redis", own_valkey.url, "--gateways", "1", "--workers", "0") as launched:
        assert "open-sesame" not in launched.printed()
        assert f"tavolata ps --data {data} --admin-token" in launched.printed()
        assert tavolata("ps", "--data", str(data), "--admin-token").stdout == "open-sesame\n"
        own_valkey.ask("DEL", "tavolata:secrets")
        without = tavolata("ps", "--data", str(data), "--admin-token")
        assert (without.returncode, without.stdout) == (1, "")
        assert "TAVOLATA_ADMIN_TOKEN" in without.stderr


def test_a_person_at_a_terminal_sees_the_admin_token(data: Path, own_valkey: ValkeyServer) -> None:
    own_valkey.ask("HSET", "tavolata:secrets", "admin_token", "open-sesame")
    terminal, end = pty.openpty()
    arguments = ("--data", str(data), "--port", str(free_span(2)), "--gateways", "1", "--workers", "0")
    command = [sys.executable, "-m", FAKE, "up", *arguments, "--redis", own_valkey.url]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=end, stderr=end)
    os.close(end)
    shown = b""
    while UP.split()[0].encode() + b" down" not in shown:
        shown += os.read(terminal, 4_096)
    process.terminate()
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    assert b"open-sesame" in shown


@pytest.mark.parametrize("role", ["gateway", "worker"])
def test_a_process_that_cannot_start_is_quoted_and_no_process_stays(data: Path, role: str) -> None:
    arguments = ("--data", str(data), "--port", str(free_span(2)), "--gateways", "1", "--workers", "1")
    done = tavolata("up", *arguments, env={"FAKE_BROKEN": role})
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"tavolata: {role}-1 did not start: this {role} cannot start"]
    assert not cluster_file.is_locked(data)


def test_a_taken_port_is_named_with_the_process_that_listens(data: Path) -> None:
    port = free_span(4)
    with socket.create_server(("127.0.0.1", port + 1)):
        done = tavolata("up", "--data", str(data), "--port", str(port))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith(f"tavolata: port {port + 1} is taken by ")
    assert f"(pid {os.getpid()})" in line
    assert line.endswith("choose another port with --port")


def test_an_unreachable_store_is_reported_in_one_line(data: Path) -> None:
    first = free_span(5)
    done = tavolata("up", "--data", str(data), "--port", str(first), "--redis", f"redis://127.0.0.1:{first + 4}/0")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith(f"tavolata: the store at redis://127.0.0.1:{first + 4}/0 does not answer: ")


def test_a_cluster_continues_when_its_output_is_closed(data: Path) -> None:
    arguments = ("up", "--data", str(data), "--port", str(free_span(2)), "--gateways", "1", "--workers", "1")
    process = subprocess.Popen([sys.executable, "-m", FAKE, *arguments], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    for line in process.stdout:
        if UP.encode() in line:
            break
    process.stdout.close()
    for _ in range(2):
        [victim] = pids(data, "worker")
        os.kill(victim, signal.SIGKILL)
        eventually(partial(is_replaced, data, victim), "a new worker runs")
    process.terminate()
    assert process.wait(timeout=60) == 0


def test_a_cluster_continues_when_its_log_folder_was_removed(data: Path) -> None:
    with Launched(data, "--gateways", "1", "--workers", "1") as launched:
        shutil.rmtree(data / "logs")
        [victim] = launched.processes("worker")
        os.kill(victim, signal.SIGKILL)
        eventually(
            lambda: "worker-1 cannot be run (No such file or directory)" in launched.printed(),
            "the failure is reported",
        )
        (data / "logs").mkdir()
        eventually(lambda: launched.processes("worker"), "a new worker runs")
