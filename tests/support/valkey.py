"""A real Valkey for tests that can be killed, paused, restarted on its data, and started on older data."""

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis import Redis

from deploy.launcher import store, valkey
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.valkey import ValkeyConfig
from tests.support.free_ports import free_port
from tests.support.waiting import eventually


def ask(port: int, *words: str) -> Any:
    """The reply of a server without a password to one command."""
    return ask_at(f"redis://127.0.0.1:{port}/0", *words)


def ask_at(url: str, *words: str) -> Any:
    """The reply to one command as the server sends it: redis-py would turn some replies into its own types."""
    with Redis.from_url(url, socket_timeout=10) as client:
        client.response_callbacks.clear()
        return client.execute_command(*words)


class ValkeyServer:
    """One server on a free loopback port. It ends with the test process, however that ends.

    All methods block; from a test that runs a cluster in its own event loop use `asyncio.to_thread`.
    """

    def __init__(
        self,
        *,
        appendonly: bool = True,
        appendfsync: str = "always",
        cluster: bool = False,
        alone: bool = True,
        extra: tuple[str, ...] = (),
    ) -> None:
        """`alone`: a node of a Cluster serves all slots itself."""
        self._alone = alone
        self.folder = Path(tempfile.mkdtemp(prefix="tavolata-valkey-"))
        self.data = self.folder / "data"
        self.data.mkdir()
        self._process: subprocess.Popen[bytes] | None = None
        self._copies = 0
        self.config = ValkeyConfig(
            port=free_port(),
            directory=self.data,
            appendonly=appendonly,
            appendfsync=appendfsync,
            cluster=cluster,
            extra=extra,
        )

    @property
    def port(self) -> int:
        return self.config.port

    @property
    def url(self) -> str:
        return self.config.url

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def running(self) -> bool:
        return self._process is not None

    def start(self) -> Self:
        """Return when it answers."""
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(bound_to_parent(valkey.command(self.config)), stdout=log, stderr=log)
        self._process = process
        eventually(lambda: process.poll() is not None or store.answers(self.url), "Valkey answers")
        if process.poll() is not None:
            self._process = None
            raise AssertionError(f"Valkey does not start: {self.log()[-500:]}")
        if self.config.cluster and self._alone:
            self._own_all_slots()
        return self

    def ask(self, *words: str) -> Any:
        """The reply to one command."""
        return ask(self.port, *words)

    def flush(self) -> None:
        assert self.ask("FLUSHALL") == b"OK"

    def kill(self) -> None:
        """SIGKILL: data that was not written to disk is lost."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM: a clean shutdown."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """SIGSTOP: connections stay open and get no reply."""
        self._running().send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT, after `pause`."""
        self._running().send_signal(signal.SIGCONT)

    def restart(self) -> None:
        """Start again on the same port and data; kills it first if it runs."""
        if self._process is not None:
            self.kill()
        self.start()

    def copy_data(self) -> Path:
        """A copy of the files on disk, for `rewind`."""
        self._copies += 1
        return Path(shutil.copytree(self.data, self.folder / f"copy-{self._copies}"))

    def rewind(self, copy: Path) -> None:
        """Kill it and start it on an earlier copy: a store that has lost its latest writes."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.data)
        shutil.copytree(copy, self.data)
        self.start()

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def close(self) -> None:
        if self._process is not None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _own_all_slots(self) -> None:
        if b"cluster_slots_assigned:16384" not in self.ask("CLUSTER", "INFO"):
            assert self.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383") == b"OK"
        eventually(lambda: b"cluster_state:ok" in self.ask("CLUSTER", "INFO"), "the cluster of one is ready")

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the server is not running"
        return self._process

    def _end(self, number: signal.Signals) -> None:
        process = self._running()
        process.send_signal(number)
        process.wait(timeout=20)
        self._process = None
