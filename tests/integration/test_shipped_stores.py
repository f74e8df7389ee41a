"""The configuration files and start scripts of the compose files' stores, started with the embedded Valkey.

Containers have a name and a folder each; here all servers are on one address, with other ports and folders.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from redis import RedisError

from deploy.launcher import replication, store, valkey
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.store_users import ROLES
from shared.bus import cluster_nodes
from shared.bus.address import Address
from tests.support.free_ports import free_port
from tests.support.launched import ROOT
from tests.support.waiting import eventually

DOCKER = ROOT / "deploy" / "docker"
LIMIT_S = 60.0


class ShippedStore:
    """Servers and sentinels that are started as in their containers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._docker = folder / "deploy" / "docker"
        shutil.copytree(DOCKER, self._docker, ignore=shutil.ignore_patterns("grafana"))
        subprocess.run([self._docker / "make-secrets"], check=True, capture_output=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "valkey-server").symlink_to(valkey.binary())
        made = dict(line.split("=") for line in (folder / ".env").read_text().splitlines())
        self.passwords = {role: made[f"STORE_{role.upper()}_PASSWORD"] for role in ROLES}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def address(self, port: int) -> Address:
        return Address(port=port, username="operator", password=self.passwords["operator"])

    def ask(self, port: int, *words: str) -> Any:
        with store.client_at(self.address(port)) as client:
            client.response_callbacks.clear()
            return client.execute_command(*words)

    def answers(self, port: int) -> bool:
        return store.answers_at(self.address(port))

    def run(self, port: int, command: Sequence[str], changes: dict[str, str]) -> None:
        """Start a command of the compose file, with its files in a folder of its own."""
        data = self.folder / f"data-{port}"
        data.mkdir(exist_ok=True)
        files = shutil.copytree(self._docker, self.folder / f"etc-{port}", dirs_exist_ok=True)
        paths = {"/data": str(data), "/etc/valkey": str(files), "/run/secrets": str(self.folder / "secrets")}
        for file in (path for path in files.iterdir() if path.is_file()):
            text = file.read_text()
            for name, value in {**paths, **changes}.items():
                text = text.replace(name, value)
            file.write_text(text)
        words = [word.replace("/etc/valkey", str(files)) for word in command]
        env = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        with (self.folder / f"log-{port}").open("ab") as log:
            self._processes[port] = subprocess.Popen(bound_to_parent(words), env=env, stdout=log, stderr=log)

    def kill(self, port: int) -> None:
        self._processes[port].kill()
        self._processes[port].wait()

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()


class ShippedSentinels(ShippedStore):
    """A primary with two replicas and three sentinels. The primary is known by the name of this machine."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.servers = (free_port(), free_port(), free_port())
        self.sentinels = (free_port(), free_port(), free_port())

    def start_server(self, port: int) -> None:
        first = self.servers[0]
        name = "localhost" if port == first else "127.0.0.1"
        changes = {"$2 6379": f"$2 {first}", 'valkey-server "$file"': f'valkey-server "$file" --port {port}'}
        self.run(port, ["/etc/valkey/start-server", name, "localhost", "100mb"], changes)

    def start_sentinel(self, port: int) -> None:
        changes = {"26379": str(port), "tavolata valkey 6379": f"tavolata localhost {self.servers[0]}"}
        self.run(port, ["/etc/valkey/start-sentinel", "localhost"], {**changes, " 5000": " 1000", " 15000": " 5000"})

    def start(self) -> None:
        for port in self.servers:
            self.start_server(port)
        eventually(
            lambda: all(replication.is_in_place(self.address(port)) for port in self.servers), "they copy", LIMIT_S
        )
        for port in self.sentinels:
            self.start_sentinel(port)
        eventually(
            lambda: all(replication.has_quorum(self.address(port)) for port in self.sentinels), "quorum", LIMIT_S
        )

    def primary(self) -> int | None:
        return replication.named_primary(self.address(port) for port in self.sentinels)

    def file(self, port: int) -> str:
        return (self.folder / f"data-{port}" / "valkey.conf").read_text()


@pytest.fixture
def sentinels(tmp_path: Path) -> Iterator[ShippedSentinels]:
    with ExitStack() as stack:
        shipped = ShippedSentinels(tmp_path)
        stack.callback(shipped.close)
        shipped.start()
        yield shipped


def test_the_shipped_sentinels_watch_a_primary_with_two_replicas_by_its_name(sentinels: ShippedSentinels) -> None:
    first = sentinels.servers[0]
    assert sentinels.primary() == first
    [host, _] = sentinels.ask(sentinels.sentinels[0], "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "tavolata")
    assert host == "localhost"
    assert replication.state_of(sentinels.address(first)) is not None
    assert sentinels.ask(first, "CONFIG", "GET", "appendfsync", "maxmemory") == {
        "appendfsync": "always",
        "maxmemory": str(100 * 2**20),
    }


@pytest.mark.verify
def test_a_server_of_the_shipped_store_keeps_its_place_over_restarts(sentinels: ShippedSentinels) -> None:
    first, other, _ = sentinels.servers
    sentinels.kill(first)
    eventually(lambda: sentinels.primary() not in (None, first), "another server is the primary", LIMIT_S)
    sentinels.start_server(first)
    eventually(lambda: "replicaof " in sentinels.file(first), "the old primary was made a replica", LIMIT_S)
    eventually(lambda: replication.is_in_place(sentinels.address(first)), "it has the data", LIMIT_S)
    now = sentinels.primary()
    replica = first if now == other else other
    sentinels.kill(replica)
    sentinels.start_server(replica)
    eventually(lambda: replication.is_in_place(sentinels.address(replica)), "it copies the new primary", LIMIT_S)
    state = replication.state_of(sentinels.address(replica))
    assert state is not None
    assert state.primary_port == now


class ShippedCluster(ShippedStore):
    """Six servers, which are known by the name of this machine."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.servers = tuple(free_port() for _ in range(6))

    def start_server(self, port: int) -> None:
        own = ["--port", str(port), "--cluster-port", str(valkey.cluster_port(port)), "--bind", "127.0.0.1"]
        named = ["--cluster-announce-hostname", "localhost", "--maxmemory", "100mb"]
        self.run(port, ["valkey-server", "/etc/valkey/cluster.conf", *named, *own], {})

    def form(self) -> None:
        servers = ",".join(f"localhost:{port}" for port in self.servers)
        url = f"redis+cluster://operator:{self.passwords['operator']}@{servers}"
        env = {**os.environ, "TAVOLATA_REDIS_URL": url}
        command = [sys.executable, "-m", "deploy.form_cluster"]
        subprocess.run(command, check=True, cwd=ROOT, env=env, capture_output=True, timeout=LIMIT_S)


def test_the_shipped_cluster_is_formed_and_names_its_servers(tmp_path: Path) -> None:
    cluster = ShippedCluster(tmp_path)
    with ExitStack() as stack:
        stack.callback(cluster.close)
        for port in cluster.servers:
            cluster.start_server(port)
        eventually(lambda: all(map(cluster.answers, cluster.servers)), "they answer", LIMIT_S)
        cluster.form()
        nodes = cluster_nodes.parse(cluster.ask(cluster.servers[0], "CLUSTER", "NODES"))
        assert [node.is_primary for node in sorted(nodes, key=lambda node: cluster.servers.index(node.port))] == (
            [True] * 3 + [False] * 3
        )
        moved = _redirection(cluster, cluster.servers[0])
        assert "localhost:" in moved
        cluster.form()


def _redirection(cluster: ShippedCluster, port: int) -> str:
    """The answer of a server to a command about keys of the others."""
    for number in range(100):
        try:
            cluster.ask(port, "GET", f"key-{number}")
        except RedisError as error:
            return str(error)
    raise AssertionError("all keys are at one server")
