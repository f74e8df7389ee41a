"""Real servers of a store with Sentinel and of a Cluster, with users and passwords as `tavolata up` gives them.

All methods block; from a test that runs a cluster in its own event loop use `asyncio.to_thread`, but start servers in
the main thread: they end with the thread that started them.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis import RedisError

from deploy.form_cluster import form
from deploy.launcher import store, valkey
from deploy.launcher.cluster_set import PRIMARIES, ClusterSet
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.sentinel_set import SERVICE, SentinelSet
from deploy.launcher.store_users import OPERATOR, StoreUsers
from shared.bus import cluster_nodes
from shared.bus.address import Address
from shared.bus.cluster_nodes import ClusterNode
from tests.support.free_ports import free_port
from tests.support.waiting import eventually

HOST = "127.0.0.1"


class SetProcess:
    """A server or sentinel: at most one process at a time."""

    def __init__(self, command: list[str], port: int, log: Path) -> None:
        self.port = port
        self._command = command
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        env = {**os.environ, **valkey.ENV}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(bound_to_parent(self._command), stdout=log, stderr=log, env=env)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        if number == signal.SIGTERM:
            self._process.send_signal(signal.SIGCONT)
        self._process.wait(timeout=20)

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


class StoreSet(ABC):
    """Servers on free loopback ports, in a folder of their own. They end with the test process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tavolata-set-"))
        self.users = StoreUsers.kept_in(self.folder / "users.acl")
        (self.folder / "users.acl").write_text(self.users.acl_file())
        self.servers: list[SetProcess] = []

    @property
    def url(self) -> str:
        """The address of the store, with the operator's login."""
        return self.url_of(OPERATOR)

    @abstractmethod
    def url_of(self, role: str) -> str:
        """The address of the store, with the login of a role."""

    @abstractmethod
    def start(self) -> Self: ...

    def ask(self, server: SetProcess, *words: str) -> Any:
        """The reply of one server to one command of the operator, as the server sends it, with texts decoded."""
        with store.client_at(self._address(server)) as client:
            client.response_callbacks.clear()
            return client.execute_command(*words)

    def answers(self, server: SetProcess) -> bool:
        try:
            return bool(self.ask(server, "PING"))
        except (RedisError, OSError):
            return False

    def role(self, server: SetProcess) -> str:
        """`master` or `slave`, as the server itself says."""
        return str(self.ask(server, "ROLE")[0])

    def is_copy(self, server: SetProcess) -> bool:
        """Whether the server is a replica that has its primary's data."""
        try:
            return "master_link_status:up" in self.ask(server, "INFO", "replication")
        except (RedisError, OSError):
            return False

    def processes(self) -> list[SetProcess]:
        return self.servers

    def close(self) -> None:
        for process in self.processes():
            if process.alive:
                process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _address(self, server: SetProcess) -> Address:
        return self.users.operator_at(server.port, HOST)

    def _write(self, file: Path, text: str) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


class RunningSentinelSet(StoreSet):
    """One primary, its replicas and the sentinels that watch it."""

    def __init__(self, *, replicas: int = 2, sentinels: int = 3, down_after_ms: int = 1_000) -> None:
        super().__init__()
        ports = [free_port() for _ in range(1 + replicas + sentinels)]
        self.config = SentinelSet(
            folder=self.folder,
            users=self.users,
            servers=tuple(ports[: 1 + replicas]),
            sentinels=tuple(ports[1 + replicas :]),
            down_after_ms=down_after_ms,
        )
        self.sentinels: list[SetProcess] = []

    def url_of(self, role: str) -> str:
        return self.config.url(role)

    def processes(self) -> list[SetProcess]:
        return [*self.servers, *self.sentinels]

    def start(self) -> Self:
        for number, port in enumerate(self.config.servers):
            self.servers.append(
                SetProcess(self.config.server_command(number), port, self.folder / f"valkey-{number}.log")
            )
            self._start_server(number, 0)
        eventually(lambda: all(self.is_copy(server) for server in self.servers[1:]), "the replicas have the data")
        for number, port in enumerate(self.config.sentinels):
            file = self.config.sentinel_folder(number) / "sentinel.conf"
            self._write(file, self.config.sentinel_file(number, 0))
            sentinel = SetProcess(self.config.sentinel_command(number), port, self.folder / f"sentinel-{number}.log")
            self.sentinels.append(sentinel)
            sentinel.start()
        eventually(self._has_quorum, "the sentinels agree")
        return self

    def primary(self) -> SetProcess:
        """The server that all live sentinels name."""
        eventually(lambda: len(self._named()) == 1, "the sentinels agree on a primary")
        [port] = self._named()
        return next(server for server in self.servers if server.port == port)

    def replicas(self) -> list[SetProcess]:
        primary = self.primary()
        return [server for server in self.servers if server is not primary and server.alive]

    def kill_primary(self) -> SetProcess:
        """SIGKILL to the primary; returns it when another server has taken its place."""
        victim = self.primary()
        victim.kill()
        eventually(
            lambda: self._named() and victim.port not in self._named(), "the sentinels have chosen another primary"
        )
        eventually(lambda: self.role(self.primary()) == "master", "the replica is promoted")
        return victim

    def restart(self, server: SetProcess) -> None:
        """Start a dead server as a replica of the current primary, and wait until it has the data."""
        self._start_server(self.servers.index(server), self.servers.index(self.primary()))
        eventually(lambda: self.is_copy(server), "the server has the data of the primary")

    def ask_sentinel(self, sentinel: SetProcess, *words: str) -> Any:
        return self.ask(sentinel, "SENTINEL", *words)

    def _start_server(self, number: int, primary: int) -> None:
        self._write(self.config.server_folder(number) / "valkey.conf", self.config.server_file(number, primary))
        self.servers[number].start()

    def _named(self) -> set[int]:
        live = [sentinel for sentinel in self.sentinels if sentinel.alive]
        return {int(self.ask_sentinel(sentinel, "GET-MASTER-ADDR-BY-NAME", SERVICE)[1]) for sentinel in live}

    def _has_quorum(self) -> bool:
        try:
            return all(self.ask_sentinel(sentinel, "CKQUORUM", SERVICE) for sentinel in self.sentinels)
        except (RedisError, OSError):
            return False


class RunningClusterSet(StoreSet):
    """A Cluster of three primaries with a replica each."""

    def __init__(self, *, down_after_ms: int = 2_000) -> None:
        super().__init__()
        ports = tuple(free_port() for _ in range(6))
        self.config = ClusterSet(folder=self.folder, users=self.users, servers=ports, down_after_ms=down_after_ms)

    def url_of(self, role: str) -> str:
        return self.config.url(role)

    def start(self) -> Self:
        for number in range(len(self.config.servers)):
            self._add(number)
        eventually(lambda: all(self.answers(server) for server in self.servers), "the servers answer")
        form([self._address(server) for server in self.servers], PRIMARIES)
        return self

    def nodes(self) -> list[ClusterNode]:
        """All servers as the first live one sees them."""
        return cluster_nodes.parse(self.ask(self._live(), "CLUSTER", "NODES"))

    def primaries(self) -> list[SetProcess]:
        """The live servers that have slots."""
        ports = {node.port for node in self.nodes() if node.slots and node.is_primary and not node.is_dead}
        return [server for server in self.servers if server.port in ports and server.alive]

    def id_of(self, server: SetProcess) -> str:
        return str(self.ask(server, "CLUSTER", "MYID"))

    def owner(self, key: str) -> SetProcess:
        """The primary of the key's slot."""
        slot = int(self.ask(self._live(), "CLUSTER", "KEYSLOT", key))
        spans = ((node, span.partition("-")) for node in self.nodes() if not node.is_dead for span in node.slots)
        port = next(node.port for node, (begin, _, end) in spans if int(begin) <= slot <= int(end or begin))
        return next(server for server in self.servers if server.port == port)

    def kill_primary(self, victim: SetProcess) -> None:
        """SIGKILL; return when its replica has taken its slots."""
        victim.kill()
        eventually(
            lambda: victim not in self.primaries() and len(self.primaries()) == PRIMARIES,
            "the replica has taken the slots",
        )

    def restart(self, server: SetProcess) -> None:
        """Start a dead server again, and wait until it is a replica with the data of its primary."""
        server.start()
        eventually(lambda: self.is_copy(server), "the server has the data of a primary")

    def join(self) -> SetProcess:
        """Start another, empty server and let it meet the others; it has no slots and replicates none."""
        self.config = replace(self.config, servers=(*self.config.servers, free_port()))
        server = self._add(len(self.servers))
        eventually(lambda: self.answers(server), "the server answers")
        first = self.servers[0]
        self.ask(server, "CLUSTER", "MEET", HOST, str(first.port), str(valkey.cluster_port(first.port)))
        eventually(lambda: any(node.port == server.port and node.is_met for node in self.nodes()), "it is known")
        return server

    def _live(self) -> SetProcess:
        return next(server for server in self.servers if server.alive)

    def _add(self, number: int) -> SetProcess:
        self._write(self.config.server_folder(number) / "valkey.conf", self.config.server_file(number))
        command, log = self.config.server_command(number), self.folder / f"valkey-{number}.log"
        server = SetProcess(command, self.config.servers[number], log)
        self.servers.append(server)
        server.start()
        return server
