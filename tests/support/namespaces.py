"""A cluster whose processes run in network namespaces of their own, so that single links can be cut. Needs root, `ip`
and `iptables`."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.launcher import valkey
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.valkey import ValkeyConfig
from shared.bus.address import Address
from shared.bus.keys import all_keys
from shared.bus.operator_requests import ask
from shared.runtime.settings import WorkerSettings
from tests.support.proxy import Proxy
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
STORE_PORT, GATEWAY_PORT = 6_379, 8_000
PARTITIONS = WorkerSettings().partitions


def missing() -> str:
    """The reason why namespaces cannot be used here; empty if they can."""
    if "TAVOLATA_NETWORK_FAULTS" not in os.environ:
        return "only `make verify` runs them"
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "iptables"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    return ""


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=20)


class Namespace:
    """One host: a namespace with an address on the bridge that connects all of them."""

    def __init__(self, network: "Network", role: str, number: int) -> None:
        self.name = f"{network.prefix}{role}"
        self.address = f"{network.subnet}.{number}"
        outside, inside = f"{self.name}o", f"{self.name}i"
        _run("ip", "netns", "add", self.name)
        _run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", self.name)
        _run("ip", "link", "set", outside, "master", network.bridge, "up")
        self.run("ip", "addr", "add", f"{self.address}/24", "dev", inside)
        self.run("ip", "link", "set", inside, "up")
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *words: str) -> None:
        _run("ip", "netns", "exec", self.name, *words)

    def start(self, command: list[str], env: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
        with log.open("ab") as output:
            words = ["ip", "netns", "exec", self.name, *command]
            return subprocess.Popen(
                bound_to_parent(words), cwd=ROOT, env={**os.environ, **env}, stdout=output, stderr=output
            )

    @contextmanager
    def deaf_to(self, other: "Namespace") -> Iterator[None]:
        """Nothing that the other one sends arrives; the other direction works."""
        rule = ("INPUT", "-s", other.address, "-j", "DROP")
        self.run("iptables", "-A", *rule)
        try:
            yield
        finally:
            self.run("iptables", "-D", *rule)

    def remove(self) -> None:
        _run("ip", "netns", "del", self.name)


class Network:
    """A bridge, and the namespaces that are connected to it."""

    _made = itertools.count()

    def __init__(self) -> None:
        number = os.getpid() + 17 * next(self._made)
        self.prefix = f"tv{number % 10_000}"
        self.bridge = f"{self.prefix}br"
        self.subnet = f"10.231.{number % 250}"
        self.address = f"{self.subnet}.1"
        """The address of this side of the bridge."""
        self.hosts: list[Namespace] = []
        _run("ip", "link", "add", self.bridge, "type", "bridge")
        _run("ip", "addr", "add", f"{self.address}/24", "dev", self.bridge)
        _run("ip", "link", "set", self.bridge, "up")

    def host(self, role: str) -> Namespace:
        self.hosts.append(Namespace(self, role, len(self.hosts) + 2))
        return self.hosts[-1]

    def remove(self) -> None:
        for host in self.hosts:
            host.remove()
        _run("ip", "link", "del", self.bridge)


class NamespacedCluster:
    """A store, two workers and two gateways, each in a namespace."""

    def __init__(self, folder: Path, *, delay_s: float = 0.0, **settings: object) -> None:
        """`delay_s`: the delay of each direction between the store and the first worker and the first gateway."""
        self._folder = folder
        self._delay_s = delay_s
        self._exits = ExitStack()
        self._env = {f"TAVOLATA_{name.upper()}": str(value) for name, value in settings.items()}
        self._processes: list[subprocess.Popen[bytes]] = []
        self.network = Network()
        self._exits.callback(self.network.remove)
        self.store = self.network.host("s")
        self.workers = [self.network.host(f"w{number}") for number in range(2)]
        self.gateways = [self.network.host(f"g{number}") for number in range(2)]

    @property
    def urls(self) -> str:
        return ",".join(f"ws://{gateway.address}:{GATEWAY_PORT}" for gateway in self.gateways)

    def __enter__(self) -> Self:
        directory = self._folder / "valkey"
        directory.mkdir()
        config = ValkeyConfig(
            port=STORE_PORT, directory=directory, host=self.store.address, extra=("--protected-mode", "no")
        )
        self._start(self.store, valkey.command(config), {})
        stores = [self._delayed_store() if self._delay_s else self.store_url, self.store_url]
        for host, store in zip(self.workers, stores, strict=True):
            self._start(host, [sys.executable, "-m", "worker"], {"TAVOLATA_REDIS_URL": store} | self._env)
        for host, store in zip(self.gateways, stores, strict=True):
            where = {"TAVOLATA_HOST": host.address, "TAVOLATA_PORT": str(GATEWAY_PORT), "TAVOLATA_REDIS_URL": store}
            self._start(host, [sys.executable, "-m", "gateway"], where | self._env)
        for host in self.gateways:
            eventually(partial(self._answers, host), f"{host.name} is ready: {self.logs()}", 60)
        return self

    @property
    def store_url(self) -> str:
        return f"redis://{self.store.address}:{STORE_PORT}/0"

    def _delayed_store(self) -> str:
        address = self.network.address
        proxy = Proxy(lambda: STORE_PORT, host=address, target_host=self.store.address, delay_s=self._delay_s)
        self._exits.enter_context(proxy)
        return f"redis://{address}:{proxy.port}/0"

    async def owners(self) -> set[str]:
        """The workers that own partitions now."""
        server = Address.parse(self.store_url)
        found = [await ask(server, "HGET", partition.owner, "worker") for partition in all_keys(PARTITIONS)]
        return {worker.decode() for worker in found if worker is not None}

    def _start(self, host: Namespace, command: list[str], env: Mapping[str, str]) -> None:
        self._processes.append(host.start(command, env, self._folder / f"{host.name}.log"))

    def _answers(self, host: Namespace) -> bool:
        url = f"http://{host.address}:{GATEWAY_PORT}/readyz"
        code = f"import urllib.request as r; r.urlopen({url!r}, timeout=2)"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0

    def logs(self) -> str:
        return "\n".join(log.read_text(errors="replace")[-500:] for log in sorted(self._folder.glob("*.log")))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self._exits.close()
