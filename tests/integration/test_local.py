"""A cluster on one machine, seen from outside: it heals, it stops in order, it says clearly what is wrong."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from deploy.launcher import cluster_file, valkey
from deploy.launcher.cluster_file import RunningCluster, RunningProcess
from tests.support.launched import FAKE, LINE, ROOT, UP, Launched, free_span, tavolata
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """For tests that leave the supervisor alone."""
    with Launched(tmp_path_factory.mktemp("lasting") / "data") as launched:
        yield launched


@pytest.fixture
def cluster(data: Path, tmp_path: Path) -> Iterator[Launched]:
    with Launched(data, env={"FAKE_DIARY": str(tmp_path / "diary")}) as launched:
        yield launched


def pids(data: Path, role: str) -> list[int]:
    cluster = cluster_file.read(data)
    return [process.pid for process in cluster.processes if process.role == role] if cluster is not None else []


def is_replaced(data: Path, victim: int) -> bool:
    return pids(data, "worker") not in ([], [victim])


def test_ps_prints_role_pid_and_port_of_every_process(lasting: Launched) -> None:
    lines = tavolata("ps", "--data", str(lasting.data)).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["supervisor", "valkey", "gateway", "gateway", "worker", "worker"]
    assert all(LINE.fullmatch(line) for line in lines)
    assert lines[0] == f"supervisor {lasting.pid} -"
    assert [line.split()[2] for line in lines[2:4]] == [str(lasting.port + 1), str(lasting.port + 2)]
    assert all(cluster_file.is_alive(int(line.split()[1])) for line in lines)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked for it")
def test_no_process_interrupts_the_others(lasting: Launched) -> None:
    assert {os.sched_getscheduler(pid) for pid in lasting.pids()} == {os.SCHED_BATCH}


@pytest.mark.parametrize("role", ["gateway", "worker"])
def test_a_killed_process_is_started_again_on_its_port(lasting: Launched, role: str) -> None:
    ports = set(lasting.processes(role).values())
    lasting.kill_one(role)
    assert set(lasting.processes(role).values()) == ports
    assert "was ended by SIGKILL and is started again" in lasting.said()


def test_a_killed_valkey_comes_back_on_its_port_with_its_data(lasting: Launched) -> None:
    [port] = lasting.processes("valkey").values()
    assert port is not None
    assert valkey.ask(port, "SET", "move", "7") == b"+OK\r\n"
    _, again = lasting.kill_one("valkey")
    assert again == port
    eventually(lambda: valkey.answers(port), "Valkey answers")
    assert valkey.ask(port, "GET", "move") == b"$1\r\n7\r\n"


def test_down_ends_every_process(cluster: Launched) -> None:
    pids = cluster.pids()
    assert len(pids) == 6
    done = tavolata("down", "--data", str(cluster.data))
    assert (done.returncode, done.stdout) == (0, "stopped\n")
    assert cluster.wait() == 0
    assert not any(cluster_file.is_alive(pid) for pid in pids)
    assert not (cluster.data / cluster_file.STATE).exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_gateways_then_workers_then_the_store(
    cluster: Launched, number: signal.Signals, tmp_path: Path
) -> None:
    assert cluster.send(number) == 0
    diary = (tmp_path / "diary").read_text().splitlines()
    assert diary == ["gateway with store"] * 2 + ["worker with store"] * 2
    assert cluster.said().endswith("stopped\n")


def test_a_second_signal_does_not_wait_for_players_but_for_the_store(data: Path) -> None:
    env = {"FAKE_STUBBORN": "1", "TAVOLATA_DRAIN_MS": "3600000"}
    with Launched(data, "--gateways", "1", "--workers", "0", env=env) as launched:
        os.kill(launched.pid, signal.SIGTERM)
        eventually(lambda: "stopping" in launched.said(), "it heard")
        assert launched.send(signal.SIGTERM) == 0
        assert "ready to exit" in (data / "logs" / "valkey.log").read_text()


def test_a_second_cluster_on_the_same_folder_is_refused(lasting: Launched) -> None:
    other = tavolata("up", "--data", str(lasting.data), "--port", str(free_span(4)))
    assert other.returncode == 1
    assert other.stderr.splitlines() == [
        f"tavolata: a cluster is running on {lasting.data} already (pid {lasting.pid}): "
        f"stop it with `tavolata down --data {lasting.data}`, or use another --data"
    ]


def test_nothing_outlives_a_killed_supervisor_and_the_next_one_finds_the_data(cluster: Launched) -> None:
    [port] = cluster.processes("valkey").values()
    assert port is not None
    valkey.ask(port, "SET", "move", "7")
    pids = cluster.pids()
    cluster.send(signal.SIGKILL)
    eventually(lambda: not any(cluster_file.is_alive(pid) for pid in pids), "the children are gone")
    assert tavolata("ps", "--data", str(cluster.data)).returncode == 1
    cluster.start()
    [port] = cluster.processes("valkey").values()
    assert port is not None
    assert valkey.ask(port, "GET", "move") == b"$1\r\n7\r\n"


def test_a_state_file_of_dead_processes_counts_for_nothing(data: Path) -> None:
    data.mkdir()
    cluster_file.write(
        data,
        RunningCluster("http://127.0.0.1:1", "redis://127.0.0.1:1/0", (RunningProcess("supervisor", os.getpid()),)),
    )
    for verb in ("ps", "down"):
        told = tavolata(verb, "--data", str(data))
        assert (told.returncode, told.stdout) == (1, "")
        assert told.stderr == (
            f"tavolata: no cluster is running on {data}: start one with `tavolata up --data {data}`\n"
        )
    with Launched(data) as launched:
        assert launched.pids()[0] == launched.pid


def test_a_store_of_ones_own_is_used_and_left_alone(data: Path, own_valkey: ValkeyServer) -> None:
    with Launched(data, "--redis", own_valkey.url) as launched:
        assert launched.processes("valkey") == {}
        assert own_valkey.url in launched.said()
    assert own_valkey.ask("PING") == b"+PONG\r\n"


@pytest.mark.parametrize(("durability", "appendfsync"), [("fsync", "always"), ("applied", "everysec")])
def test_durability_decides_when_the_store_writes_to_disk(data: Path, durability: str, appendfsync: str) -> None:
    with Launched(data, "--durability", durability, "--gateways", "1", "--workers", "1") as launched:
        [port] = launched.processes("valkey").values()
        assert port is not None
        assert f"\r\n{appendfsync}\r\n".encode() in valkey.ask(port, "CONFIG", "GET", "appendfsync")


def test_the_admin_token_is_shown_once_there_is_one(data: Path, own_valkey: ValkeyServer) -> None:
    own_valkey.ask("HSET", "tavolata:secrets", "admin_token", "open-sesame")
    with Launched(data, "--redis", own_valkey.url, "--gateways", "1", "--workers", "0") as launched:
        assert "open-sesame" in launched.said()


@pytest.mark.parametrize("role", ["gateway", "worker"])
def test_a_program_that_cannot_start_is_quoted_and_nothing_stays(data: Path, role: str) -> None:
    words = ("--data", str(data), "--port", str(free_span(2)), "--gateways", "1", "--workers", "1")
    told = tavolata("up", *words, env={"FAKE_BROKEN": role})
    assert told.returncode == 1
    assert told.stderr.splitlines() == [f"tavolata: {role}-1 did not start: this {role} cannot start"]
    assert not cluster_file.is_locked(data)


def test_a_taken_port_is_named_with_who_has_it(data: Path) -> None:
    port = free_span(4)
    with socket.create_server(("127.0.0.1", port + 1)):
        told = tavolata("up", "--data", str(data), "--port", str(port))
    assert told.returncode == 1
    [line] = told.stderr.splitlines()
    assert line.startswith(f"tavolata: port {port + 1} is taken by ")
    assert f"(pid {os.getpid()})" in line
    assert line.endswith("choose another port with --port")


def test_an_unreachable_store_is_one_line(data: Path) -> None:
    first = free_span(5)
    told = tavolata("up", "--data", str(data), "--port", str(first), "--redis", f"redis://127.0.0.1:{first + 4}/0")
    assert told.returncode == 1
    [line] = told.stderr.splitlines()
    assert line.startswith(f"tavolata: the store at redis://127.0.0.1:{first + 4}/0 does not answer: ")


def test_a_cluster_goes_on_when_nobody_reads_what_it_says(data: Path) -> None:
    words = ("up", "--data", str(data), "--port", str(free_span(2)), "--gateways", "1", "--workers", "1")
    process = subprocess.Popen([sys.executable, "-m", FAKE, *words], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    for line in process.stdout:
        if UP.encode() in line:
            break
    process.stdout.close()
    for _ in range(2):
        [victim] = pids(data, "worker")
        os.kill(victim, signal.SIGKILL)
        eventually(partial(is_replaced, data, victim), "a new worker")
    process.terminate()
    assert process.wait(timeout=60) == 0


def test_a_cluster_whose_logs_were_taken_away_goes_on(data: Path) -> None:
    with Launched(data, "--gateways", "1", "--workers", "1") as launched:
        shutil.rmtree(data / "logs")
        [victim] = launched.processes("worker")
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: "worker-1 cannot be run (No such file or directory)" in launched.said(), "it tells")
        (data / "logs").mkdir()
        eventually(lambda: launched.processes("worker"), "a new worker")
