"""The compared systems: their packages, and how each is started fresh for one run."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import npm
from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.processes import START_LIMIT_S, ProcessGroup
from benchmarks.peers.wires import SystemName
from deploy.launcher import store, valkey
from deploy.launcher.ports import LOOPBACK, free_port

ROOT = Path(__file__).resolve().parents[2]
SERVERS = Path(__file__).parent / "servers"
MEASURED_ROLES = ("gateway", "worker", "valkey")
"""The processes of a Tavolata cluster whose time counts; the supervisor is idle during a run."""


@dataclass(frozen=True, slots=True)
class RunningSystem:
    """Base URLs for players, and the role of each server process by its id."""

    urls: list[str]
    servers: dict[int, str]


@dataclass(frozen=True, slots=True)
class Launch:
    """The means to start one system: a process group, a temporary folder and the installed packages."""

    processes: ProcessGroup
    folder: Path
    packages: Path

    def store(self) -> tuple[str, int]:
        """Start a Valkey without persistence; its URL and process id."""
        config = valkey.ValkeyConfig(port=free_port(), directory=self.folder, appendonly=False)
        process = self.processes.start("valkey", valkey.command(config), valkey.ENV, self.folder)
        process.wait_until(lambda: store.answers(config.url))
        return config.url, process.pid

    def node(self, script: str, number: int, store_url: str = "") -> tuple[int, int]:
        """Start a Node.js server; its port and process id."""
        program = shutil.which("node")
        if program is None:
            raise BenchmarkError("node was not found: install Node.js 20 or later")
        port = free_port()
        env = {
            "NODE_ENV": "production",
            "NODE_PATH": str(self.packages / "node_modules"),
            "PORT": str(port),
            "STORE_URL": store_url,
        }
        command = [program, str(SERVERS / script)]
        process = self.processes.start(f"{Path(script).stem}-{number}", command, env, self.folder)
        process.wait_for_output("listening")
        return port, process.pid


def _start_node_pair(launch: Launch, script: str, scheme: str) -> RunningSystem:
    """Two server processes that share a Valkey."""
    store_url, store_pid = launch.store()
    nodes = [launch.node(script, number, store_url) for number in range(2)]
    servers = {store_pid: "valkey", **{pid: "node" for _, pid in nodes}}
    return RunningSystem([f"{scheme}://{LOOPBACK}:{port}" for port, _ in nodes], servers)


def _start_colyseus(launch: Launch) -> RunningSystem:
    return _start_node_pair(launch, "colyseus.cjs", "http")


def _start_socket_io(launch: Launch) -> RunningSystem:
    return _start_node_pair(launch, "socket_io.cjs", "ws")


def _start_boardgame_io(launch: Launch) -> RunningSystem:
    port, pid = launch.node("boardgame_io.cjs", 0)
    return RunningSystem([f"ws://{LOOPBACK}:{port}"], {pid: "node"})


def _start_tavolata(launch: Launch) -> RunningSystem:
    """`tavolata up` of this tree: two gateways, one worker, embedded Valkey, durability `fsync`."""
    data = launch.folder / "cluster"
    tavolata = [sys.executable, "-m", "deploy.cli"]
    options = ["--gateways", "2", "--workers", "1", "--port", str(free_port()), "--durability", "fsync"]
    env = {"PYTHONPATH": str(ROOT)}
    up = launch.processes.start("tavolata", [*tavolata, "up", "--data", str(data), *options], env, launch.folder)
    up.wait_for_output("is up")
    listing = subprocess.run(
        [*tavolata, "ps", "--data", str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=START_LIMIT_S,
    )
    return parse_cluster(listing.stdout)


def parse_cluster(listing: str) -> RunningSystem:
    """Read role, pid and port, with which each line of `tavolata ps` begins."""
    rows = [line.split()[:3] for line in listing.splitlines()]
    urls = [f"ws://{LOOPBACK}:{port}" for role, _, port in rows if role == "gateway"]
    servers = {int(pid): role for role, pid, _ in rows if role in MEASURED_ROLES}
    return RunningSystem(urls, servers)


@dataclass(frozen=True, slots=True)
class System:
    """A system of the comparison. `packages` come from npm; Tavolata needs none."""

    name: SystemName
    title: str
    start: Callable[[Launch], RunningSystem]
    packages: tuple[str, ...] = ()

    def folder(self, cache: Path) -> Path:
        return cache / "npm" / self.name

    def install(self, cache: Path) -> None:
        if self.packages:
            npm.install(self.folder(cache), self.packages)

    def version(self, cache: Path) -> str:
        if self.packages:
            return npm.installed_versions(self.folder(cache), self.packages)
        return _tree_version()


def _tree_version() -> str:
    """The commit of this tree, marked when files differ from it."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown commit"
    return f"commit {described.stdout.strip()}"


SYSTEMS = {
    system.name: system
    for system in (
        System(SystemName.TAVOLATA, "Tavolata", _start_tavolata),
        System(SystemName.COLYSEUS, "Colyseus", _start_colyseus, ("colyseus@0.18", "@colyseus/schema@5", "express@5")),
        System(
            SystemName.SOCKET_IO,
            "Socket.IO, Redis streams",
            _start_socket_io,
            ("socket.io@4", "@socket.io/redis-streams-adapter@0.3", "redis@6"),
        ),
        System(SystemName.BOARDGAME_IO, "boardgame.io", _start_boardgame_io, ("boardgame.io@0.50",)),
    )
}
