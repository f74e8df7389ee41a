"""Starts server processes and stops exactly those, by process id."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from benchmarks.peers.errors import BenchmarkError
from shared.runtime.settings import PREFIX

START_LIMIT_S = 40.0
STOP_LIMIT_S = 15.0
POLL_S = 0.05


def _inherited() -> dict[str, str]:
    """The environment without settings of a cluster, so that every series runs on the defaults."""
    return {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}


class ServerProcess:
    """A child process whose output goes to a log file."""

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self.name = name
        self._log = log
        with log.open("wb") as output:
            # In a session of its own, Ctrl-C reaches only the benchmark, which then stops its servers in order.
            self._process = subprocess.Popen(
                command,
                env={**_inherited(), **env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Poll until the server is ready; raise `BenchmarkError` if it ends or takes too long."""
        deadline = time.monotonic() + START_LIMIT_S
        while not ready():
            if self._process.poll() is not None:
                raise BenchmarkError(f"{self.name} ended at its start: {self.output()[-500:]}")
            if time.monotonic() > deadline:
                raise BenchmarkError(f"{self.name} was not ready after {START_LIMIT_S:.0f} s: {self.output()[-500:]}")
            time.sleep(POLL_S)

    def wait_for_output(self, text: str) -> None:
        self.wait_until(lambda: text in self.output())

    def stop(self) -> None:
        """Send SIGTERM, then SIGKILL if the process does not end."""
        if self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ProcessGroup:
    """The servers of one run. Leaving the context stops them in reverse order, also after a failed start."""

    def __init__(self) -> None:
        self._started: list[ServerProcess] = []

    def __enter__(self) -> "ProcessGroup":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._started:
            self._started.pop().stop()

    def start(self, name: str, command: Sequence[str], env: Mapping[str, str], folder: Path) -> ServerProcess:
        process = ServerProcess(name, command, env, folder / f"{name}.log")
        self._started.append(process)
        return process
