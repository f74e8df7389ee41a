"""A process that cannot start says why in one line, with an exit code and without a traceback."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.cluster import HOST, ROOT, Cluster
from tests.support.free_ports import free_port
from tests.support.valkey import ValkeyServer

ROLES = ["gateway", "worker"]


def _run(role: str, *words: str, **settings: object) -> "subprocess.CompletedProcess[str]":
    env = {f"TAVOLATA_{name.upper()}": str(value) for name, value in settings.items()}
    ours = {name: value for name, value in os.environ.items() if not name.startswith("TAVOLATA_")}
    return subprocess.run(
        [sys.executable, "-m", role, *words],
        cwd=ROOT,
        env={**ours, "TAVOLATA_PORT": "0", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _complaint(ended: "subprocess.CompletedProcess[str]") -> str:
    """The only line on stderr."""
    lines = [line for line in (ended.stdout + ended.stderr).splitlines() if " INFO " not in line]
    assert len(lines) == 1, ended
    assert lines[0].startswith("tavolata: ")
    return lines[0]


@pytest.fixture(scope="module")
def store() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


@pytest.mark.parametrize(
    ("role", "setting", "value", "said"),
    [
        ("worker", "lease_ms", "soon", "TAVOLATA_LEASE_MS must be a whole number"),
        ("gateway", "partitions", 0, "TAVOLATA_PARTITIONS must be at least 1"),
        ("worker", "durability", "sometimes", "TAVOLATA_DURABILITY must be one of"),
        ("gateway", "log_level", "loud", "TAVOLATA_LOG_LEVEL must be one of"),
        ("worker", "redis_url", "http://127.0.0.1", "redis://"),
        ("gateway", "redis_url", "redis://127.0.0.1:port/0", "is not a number"),
        ("worker", "port", 123_456, "TAVOLATA_PORT"),
        ("gateway", "port", 123_456, "TAVOLATA_PORT"),
    ],
)
def test_a_wrong_setting_is_named(role: str, setting: str, value: object, said: str) -> None:
    ended = _run(role, **{setting: value})
    assert said in _complaint(ended)
    assert ended.returncode == 2


@pytest.mark.parametrize("role", ROLES)
def test_an_argument_that_nobody_reads_is_refused(role: str) -> None:
    ended = _run(role, "--port=8123")
    assert "takes no arguments" in _complaint(ended)
    assert ended.returncode == 2


def test_a_game_or_dialect_that_is_not_there_is_named(store: ValkeyServer) -> None:
    games = _run("worker", games="no.such.module", redis_url=store.url)
    assert "no.such.module" in _complaint(games)
    without = _run("worker", games="json", redis_url=store.url)
    assert "json must define GAME" in _complaint(without)
    dialect = _run("gateway", tcp="klingon=1234", redis_url=store.url)
    assert "klingon" in _complaint(dialect)
    assert {ended.returncode for ended in (games, without, dialect)} == {2}


@pytest.mark.parametrize("role", ROLES)
def test_a_store_that_is_not_there_is_named(role: str) -> None:
    port = free_port()
    ended = _run(role, redis_url=f"redis://{HOST}:{port}/0")
    assert f"cannot reach the store at {HOST}:{port}" in _complaint(ended)
    assert ended.returncode == 1


@pytest.mark.parametrize("role", ROLES)
def test_a_setting_that_nobody_understands_is_named_and_ignored(role: str) -> None:
    ended = _run(role, partition=3, burst=9, bot_ms=9, snarl_wait=9, redis_url=f"redis://{HOST}:{free_port()}/0")
    stray, *_logged, obstacle = ended.stderr.splitlines()
    assert stray == "tavolata: TAVOLATA_PARTITION is not a setting and is ignored; did you mean TAVOLATA_PARTITIONS?"
    assert "cannot reach the store" in obstacle


@pytest.mark.parametrize("role", ROLES)
def test_a_taken_port_is_named(role: str, store: ValkeyServer) -> None:
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        holder.listen()
        port = holder.getsockname()[1]
        ended = _run(role, port=port, redis_url=store.url)
    assert f"cannot listen on {HOST}:{port}" in _complaint(ended)
    assert ended.returncode == 1


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("appendonly", "appendfsync"), [(True, "everysec"), (False, "always")])
def test_a_store_that_does_not_write_at_once_is_refused_unless_that_is_wanted(
    role: str, appendonly: bool, appendfsync: str
) -> None:
    with ValkeyServer(appendonly=appendonly, appendfsync=appendfsync) as careless:
        ended = _run(role, redis_url=careless.url)
        assert "appendfsync always" in _complaint(ended)
        assert ended.returncode == 1


@pytest.mark.parametrize("role", ROLES)
def test_a_store_that_is_divided_otherwise_is_refused(role: str) -> None:
    with Cluster(partitions=3) as cluster:
        cluster.start(0, 1)
        ended = _run(role, redis_url=cluster.store.url, partitions=5)
    assert "TAVOLATA_PARTITIONS=3" in _complaint(ended)
    assert ended.returncode == 1


@pytest.mark.parametrize("role", ROLES)
def test_help_names_every_setting(role: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", role, "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert "TAVOLATA_REDIS_URL" in shown.stdout
    assert "TAVOLATA_GATEWAY_LEASE_MS" in shown.stdout
