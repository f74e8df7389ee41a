"""`tavolata up --store sentinel` and `--store cluster`: failovers, and restarts of the whole cluster on its data."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from redis import RedisCluster

from deploy.launcher import replication, store, store_status
from deploy.launcher.replication import ServerState
from tests.support.launched import LINE, Launched, tavolata
from tests.support.waiting import eventually

KEY = "{p1}:move"
LIMIT_S = 60.0
LISTED = {
    "sentinel": ["supervisor", "valkey", *["valkey-replica"] * 2, *["sentinel"] * 3, "gateway", "worker"],
    "cluster": ["supervisor", *["valkey"] * 3, *["valkey-replica"] * 3, "gateway", "worker"],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def states(launched: Launched) -> dict[int, ServerState]:
    """The servers that answer, by port."""
    operator = store_status.operator_of(launched.running().redis_url)
    ports = [*launched.processes("valkey").values(), *launched.processes("valkey-replica").values()]
    found = {port: replication.state_of(replace(operator, port=port)) for port in ports if port is not None}
    return {port: state for port, state in found.items() if state is not None}


def write(launched: Launched, value: str) -> None:
    """Write a value and wait until all replicas have it. A busy machine may cause a failover meanwhile."""
    eventually(lambda: asked(launched, "SET", value), "the store accepts the value", LIMIT_S)
    written = {port: state.offset for port, state in states(launched).items() if state.primary_port is None}

    def copied() -> bool:
        copies = [state for state in states(launched).values() if state.primary_port in written]
        return all(state.linked and state.offset >= written[state.primary_port or 0] for state in copies)

    eventually(copied, "the replicas have the value", LIMIT_S)


def asked(launched: Launched, command: str, *words: str) -> object:
    """The reply of the store to a command about the key; None if it does not answer."""
    try:
        with store.client(launched.running().redis_url) as client:
            return client.execute_command(command, KEY, *words)
    except store.FAILURES:
        return None


def primary(launched: Launched) -> tuple[int, int]:
    """Pid and port of the server that has the key."""
    with store.client(launched.running().redis_url) as client:
        if isinstance(client, RedisCluster):
            port = int(client.get_node_from_key(KEY).port)  # type: ignore[no-untyped-call]
        else:
            port = int(client.connection_pool.get_master_address()[1])
    return next((process.pid, port) for process in launched.running().processes if process.port == port)


def roles(launched: Launched) -> list[str]:
    """The first words of the list of processes."""
    lines = tavolata("ps", "--data", str(launched.data)).stdout.splitlines()
    assert all(LINE.fullmatch(line) for line in lines), lines
    return [line.split()[0] for line in lines if "link=down" not in line]


@contextmanager
def taken(port: int) -> Iterator[None]:
    with closing(socket.create_server(("127.0.0.1", port))):
        yield


@pytest.mark.parametrize("topology", ["sentinel", "cluster"])
def test_a_killed_primary_returns_as_a_replica_and_a_restart_keeps_the_data(data: Path, topology: str) -> None:
    with Launched(data, "--store", topology, "--gateways", "1", "--workers", "1") as launched:
        write(launched, "7")
        pid, port = primary(launched)
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: port in launched.processes("valkey-replica").values(), "it is a replica", LIMIT_S)
        eventually(lambda: asked(launched, "GET") == "7", "the new primary has the value", LIMIT_S)
        write(launched, "8")
        eventually(lambda: roles(launched) == LISTED[topology], "all servers are in their place", LIMIT_S)
    with taken(port):
        launched.start()
        assert port not in states(launched)
        eventually(lambda: asked(launched, "GET") == "8", "the store has the value", LIMIT_S)
        assert launched.send(signal.SIGTERM) == 0


@pytest.mark.verify
@pytest.mark.parametrize("topology", ["sentinel", "cluster"])
def test_servers_that_are_all_killed_at_once_return_with_their_data(data: Path, topology: str) -> None:
    with Launched(data, "--store", topology, "--gateways", "1", "--workers", "1") as launched:
        write(launched, "7")
        for role in ("valkey", "valkey-replica"):
            for pid in launched.processes(role):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: asked(launched, "GET") == "7", "the store is back", LIMIT_S)
        eventually(lambda: all(state.linked for state in states(launched).values()), "all replicas are linked", LIMIT_S)


@pytest.mark.verify
@pytest.mark.parametrize("topology", ["sentinel", "cluster"])
def test_a_primary_that_stood_still_becomes_a_replica(data: Path, topology: str) -> None:
    with Launched(data, "--store", topology, "--gateways", "1", "--workers", "1") as launched:
        write(launched, "7")
        pid, port = primary(launched)
        os.kill(pid, signal.SIGSTOP)
        try:
            eventually(
                lambda: asked(launched, "GET") == "7" and primary(launched)[1] != port, "a replica is promoted", LIMIT_S
            )
        finally:
            os.kill(pid, signal.SIGCONT)
        eventually(lambda: port in launched.processes("valkey-replica").values(), "it is a replica", LIMIT_S)
        assert psutil.pid_exists(pid)


@pytest.mark.verify
@pytest.mark.parametrize("topology", ["sentinel", "cluster"])
def test_a_supervisor_that_was_killed_during_a_failover_is_followed_by_one_with_the_data(
    data: Path, topology: str
) -> None:
    with Launched(data, "--store", topology, "--gateways", "1", "--workers", "1") as launched:
        write(launched, "7")
        pid, _ = primary(launched)
        os.kill(pid, signal.SIGKILL)
        pids = launched.pids()
        launched.send(signal.SIGKILL)
        eventually(lambda: not any(psutil.pid_exists(pid) for pid in pids), "all processes have ended")
        launched.start()
        eventually(lambda: asked(launched, "GET") == "7", "the store is back", LIMIT_S)
