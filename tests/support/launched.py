"""A cluster that was started with the command line, and the functions by which tests control it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deploy.launcher import cluster_file
from deploy.launcher.cluster_file import RunningCluster
from tests.support.free_ports import free_span
from tests.support.valkey import ask_at
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
FAKE = "tests.support.fake_tavolata"
UP = "tavolata down --data"
"""Part of the last line that `up` prints when the cluster is ready."""
LINE = re.compile(r"(supervisor|valkey|valkey-replica|sentinel|gateway|worker) (\d+) (\d+|-) (\S+)( \w+=\S+)*")


def tavolata(
    *words: str, module: str = FAKE, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run the command and wait until it ends."""
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Launched:
    """`tavolata up` in the background, with a folder of its own."""

    def __init__(self, data: Path, *words: str, module: str = FAKE, env: Mapping[str, str] | None = None) -> None:
        self.data = data
        self.port = free_span(4)
        self._module = module
        self._words = ("--data", str(data), "--port", str(self.port), *words)
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self.output = data.parent / "output.txt"

    def start(self) -> Self:
        """Return when the cluster is ready."""
        with self.output.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", self._module, "up", *self._words],
                cwd=ROOT,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._process = process
        eventually(lambda: process.poll() is not None or UP in self.printed(), "the cluster is up", 60)
        assert process.poll() is None, self.printed()
        return self

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def printed(self) -> str:
        return self.output.read_text()

    def processes(self, role: str) -> dict[int, int | None]:
        """The running processes of a role: pid -> port."""
        cluster = cluster_file.read(self.data)
        found = cluster.processes if cluster is not None else ()
        return {process.pid: process.port for process in found if process.role == role}

    def running(self) -> RunningCluster:
        cluster = cluster_file.read(self.data)
        assert cluster is not None
        return cluster

    def ops_port(self) -> int:
        """The first gateway's port for operators."""
        return next(process.ops_port for process in self.running().processes if process.ops_port)

    def ask_store(self, *words: str) -> Any:
        """The reply of the embedded store to one command of an operator."""
        return ask_at(self.running().redis_url, *words)

    def pids(self) -> list[int]:
        return [int(match[2]) for match in LINE.finditer(tavolata("ps", "--data", str(self.data)).stdout)]

    def kill_one(self, role: str) -> tuple[int, int | None]:
        """Send SIGKILL to the first process of a role and wait for its replacement; the new pid and port."""
        before = self.processes(role)
        victim = next(iter(before))
        os.kill(victim, signal.SIGKILL)
        eventually(
            lambda: victim not in self.processes(role) and len(self.processes(role)) == len(before),
            "a replacement runs",
        )
        return next((pid, port) for pid, port in self.processes(role).items() if pid not in before)

    def send(self, number: signal.Signals) -> int:
        """Send a signal to the supervisor and wait until it ends; its exit code."""
        os.kill(self.pid, number)
        return self.wait()

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(timeout=60)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.send(signal.SIGTERM)
        eventually(lambda: not cluster_file.is_locked(self.data), "all processes have ended", 60)
