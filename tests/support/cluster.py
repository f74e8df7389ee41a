"""A small cluster of real processes on a real Valkey. Tests can kill, pause, stop and restart each process."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deploy.launcher import store
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.embedded_store import Topology
from shared.bus import keys
from shared.runtime.settings import GatewaySettings, StoreSettings, WorkerSettings, from_env
from tests.support.free_ports import free_port
from tests.support.store_sets import RunningClusterSet, RunningSentinelSet, StoreSet
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
PARTITIONS = 8
QUICK: dict[str, Any] = {"lease_ms": 600, "gateway_lease_ms": 2_500, "retry_ms": 500}
"""Settings for fault tests: short leases, so that a dead process is noticed soon, but long enough that a gateway which
a busy machine delays does not count as dead."""
NEVER_MS = 60_000
"""Time after which a server of a store with replicas counts as dead, in tests where none dies."""


def topology() -> Topology:
    """The topology that `make verify` asks for; by default the store is one server."""
    return Topology(os.environ.get("TEST_STORE", Topology.STANDALONE))


def store_options() -> tuple[str, ...]:
    """The options of `tavolata up` for that topology."""
    kind = topology()
    return () if kind is Topology.STANDALONE else ("--store", kind, "--durability", "replicated")


def store_servers(kind: Topology) -> ValkeyServer | StoreSet:
    """The servers of a store, not yet started. A busy machine must not cause a failover."""
    match kind:
        case Topology.STANDALONE:
            return ValkeyServer()
        case Topology.SENTINEL:
            return RunningSentinelSet(down_after_ms=NEVER_MS)
        case Topology.CLUSTER:
            return RunningClusterSet(down_after_ms=NEVER_MS)


class Node:
    """A gateway or a worker on one port: at most one process at a time."""

    def __init__(
        self,
        role: str,
        folder: Path,
        redis_url: Callable[[], str],
        settings: Mapping[str, object],
        env: Mapping[str, str],
        root: Path = ROOT,
    ) -> None:
        """`root` is the folder of the release whose program is started."""
        self.program: Sequence[str] = (role,)
        """The module that is run, with its arguments."""
        self._root = root
        self.role = role
        self._redis_url = redis_url
        self._settings = settings
        self._env = env
        self._log = folder / f"{role}-{id(self)}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.host = str(settings.get("host", HOST))
        self.port = 0
        self.ops_port = 0
        """The port for operators: a gateway's second one, a worker's only one."""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        return f"ws://{self.host}:{self.port}"

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def launch(self) -> None:
        """Start the process without waiting; see `await_ready`."""
        self.port = self.port or free_port()
        self.ops_port = (self.ops_port or free_port()) if self.role == "gateway" else self.port
        changed = {f"TAVOLATA_{name.upper()}": str(value) for name, value in self._settings.items()}
        where = {"TAVOLATA_REDIS_URL": self._redis_url(), "TAVOLATA_PORT": str(self.port)}
        if self.role == "gateway":
            where["TAVOLATA_OPS_PORT"] = str(self.ops_port)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                bound_to_parent([sys.executable, "-m", *self.program]),
                cwd=self._root,
                env={**os.environ, **self._env, **changed, **where},
                stdout=log,
                stderr=log,
            )

    def await_ready(self) -> None:
        eventually(lambda: not self.alive or self._is_ready(), lambda: f"the {self.role} is ready: {self.log()[-500:]}")
        assert self.alive, self.log()

    def start(self) -> Self:
        self.launch()
        self.await_ready()
        return self

    def _is_ready(self) -> bool:
        try:
            status = self.get("/readyz")[0]
            if status == 404:  # a worker of the release before
                status = self.get("/healthz")[0]
            return status == 200
        except OSError:
            return False

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def terminate(self, limit_s: float = 30) -> int:
        """Send SIGTERM and wait until it ends; its exit code."""
        return self._end(signal.SIGTERM, limit_s)

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def pause(self) -> None:
        self.send(signal.SIGSTOP)

    def go_on(self) -> None:
        self.send(signal.SIGCONT)

    def _end(self, number: signal.Signals, limit_s: float = 30) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(timeout=limit_s)

    def get(self, path: str, token: str = "", key: str = "", *, port: int = 0) -> tuple[int, bytes]:
        """Status and body of a GET, with the token of a session and the key of a private room."""
        connection = http.client.HTTPConnection(self.host, port or self.port, timeout=10)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            connection.request("GET", path, headers=headers | ({"Room-Key": key} if key else {}))
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def json(self, path: str, token: str = "") -> Any:
        status, body = self.get(path, token)
        assert status == 200, (status, body)
        return json.loads(body)

    def metrics(self) -> dict[str, float]:
        """Every sample, by its name with labels."""
        lines = [
            line
            for line in self.get("/metrics", port=self.ops_port)[1].decode().splitlines()
            if not line.startswith("#")
        ]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def close(self) -> None:
        if self.alive:
            self.kill()


class Cluster:
    """A Valkey, gateways and workers. Each process gets those settings that its role reads."""

    def __init__(self, *, env: Mapping[str, str] | None = None, root: Path = ROOT, **settings: object) -> None:
        self._root = root
        self._servers = store_servers(topology())
        self.gateways: list[Node] = []
        self.workers: list[Node] = []
        self._redis_url = ""
        self._env = env or {}
        durability = {} if isinstance(self._servers, ValkeyServer) else {"durability": "replicated"}
        self._settings = {"partitions": PARTITIONS, **durability, **settings}
        self.partitions = int(str(self._settings["partitions"]))

    @property
    def store(self) -> ValkeyServer:
        """The only server of the store, to be killed and restarted."""
        assert isinstance(self._servers, ValkeyServer), "the store has several servers"
        return self._servers

    def reach_store_at(self, redis_url: str) -> None:
        """Give processes that start from now on another address of the store, such as a proxy."""
        self._redis_url = redis_url

    def node(self, role: str, **settings: object) -> Node:
        """Another gateway or worker, not yet started."""
        return self.node_of(self._root, role, **settings)

    def node_of(self, root: Path, role: str, **settings: object) -> Node:
        """Another gateway or worker of the release in the folder `root`, not yet started."""
        kind: type[StoreSettings] = GatewaySettings if role == "gateway" else WorkerSettings
        known = {f"TAVOLATA_{name.upper()}": str(value) for name, value in (self._settings | settings).items()}
        understood = from_env(kind, known)
        own = {name: value for name, value in (self._settings | settings).items() if hasattr(understood, name)}
        node = Node(role, self._servers.folder, lambda: self._redis_url or self._servers.url, own, self._env, root)
        (self.gateways if role == "gateway" else self.workers).append(node)
        return node

    def start(self, gateways: int = 2, workers: int = 2) -> Self:
        self._servers.start()
        for role, count in (("worker", workers), ("gateway", gateways)):
            for _ in range(count):
                self.node(role)
        self.mend()
        return self

    def mend(self) -> None:
        """Start every process that does not run, and wait until the workers own all partitions.

        Call it from the main thread: processes end with the thread that started them."""
        nodes = (*self.workers, *self.gateways)
        for node in nodes:
            if node.alive:
                node.go_on()
            else:
                node.launch()
        for node in nodes:
            node.await_ready()
        self.await_shares()

    def await_shares(self) -> None:
        """Wait until the live workers own all partitions, evenly."""

        def even() -> bool:
            owned = [len(status["partitions"]) for status in self.shares().values()]
            return (
                sum(owned) == self.partitions and len(owned) == len(self.live_workers) and max(owned) - min(owned) <= 1
            )

        try:
            eventually(even, "the partitions are shared evenly")
        except AssertionError:
            logs = [worker.log()[-2_000:] for worker in self.workers]
            raise AssertionError("\n".join([f"uneven: {self.shares()}", *logs])) from None

    @property
    def live_workers(self) -> list[Node]:
        return [worker for worker in self.workers if worker.alive]

    def shares(self) -> dict[int, dict[str, Any]]:
        """The status that each live worker has written to the store, by pid."""
        with self.redis() as client:
            statuses = [json.loads(body) for body in client.hvals(keys.WORKER_STATUS)]
        pids = {worker.pid for worker in self.live_workers}
        return {status["pid"]: status for status in statuses if status["pid"] in pids}

    @contextmanager
    def redis(self) -> Iterator[Any]:
        """A client of the store, for reading and damaging its data."""
        with store.client(self._servers.url) as client:
            yield client

    def owner(self, room: int) -> Node:
        """The worker that owns the room's partition."""
        partition = room % self.partitions

        def owners() -> list[int]:
            return [pid for pid, status in self.shares().items() if partition in status["partitions"]]

        eventually(owners, f"partition {partition} has an owner")
        return next(worker for worker in self.workers if worker.pid in owners())

    def close(self) -> None:
        for node in (*self.gateways, *self.workers):
            node.close()
        self._servers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
