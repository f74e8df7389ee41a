"""Ends and freezes processes of a cluster of `tavolata up`, and waits until the supervisor has replaced them."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil

from loadtest.cluster_file import SUPERVISOR, KnownCluster, KnownProcess, read_cluster, settings_of
from shared.runtime.settings import PREFIX, GatewaySettings, WorkerSettings

POLL_S = 0.02
RESTORED_S = 60.0
"""Time in which the supervisor must have replaced a process that has ended."""
BEYOND_LEASE_S = 1.0
"""Time that a frozen process stands still after its lease has ended."""


class NotRestored(Exception):
    """The cluster did not recover; the text names the process."""


class ProcessFaults:
    """Signals to processes of the cluster on a data folder, and to no others."""

    def __init__(self, data: Path, spare_first: bool, choose: Callable[[list[KnownProcess]], KnownProcess]) -> None:
        self._data = data
        self._spare_first = spare_first
        self._choose = choose
        self._most: dict[str, int] = {}

    def _cluster(self) -> KnownCluster:
        cluster = read_cluster(self._data)
        if cluster is None:
            raise NotRestored(f"no cluster is running on {self._data}")
        return cluster

    def pick(self, role: str, *, may_spare: bool = True) -> KnownProcess:
        """A process of the role, drawn from those that a fault may affect."""
        found = self._cluster().of_role(role)
        if may_spare and self._spare_first and len(found) > 1:
            found = found[1:]
        if not found:
            raise NotRestored(f"the cluster on {self._data} has no {role}")
        return self._choose(found)

    def send(self, process: KnownProcess, number: signal.Signals) -> bool:
        """Send a signal, if the process is a child of the supervisor: a pid may have been reused. False if it is
        gone."""
        supervisors = {one.pid for one in self._cluster().of_role(SUPERVISOR)}
        try:
            if psutil.Process(process.pid).ppid() not in supervisors:
                return False
            os.kill(process.pid, number)
        except (psutil.Error, ProcessLookupError):
            return False
        return True

    async def until_one_can_be_spared(self, role: str) -> None:
        """Wait until the role has two processes, if it ever had: a fault shall not end the last one of several."""
        try:
            async with asyncio.timeout(RESTORED_S):
                while True:
                    running = len(self._cluster().of_role(role))
                    self._most[role] = max(running, self._most.get(role, 0))
                    if running >= min(2, self._most[role]):
                        return
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise NotRestored(f"there is no second {role} after {RESTORED_S:g} s") from None

    async def until_replaced(self, process: KnownProcess, stop_s: float = 0.0) -> None:
        """Wait until the successor of a process that was ended accepts connections. `stop_s` is the time that the
        process itself may take to end. Raises `NotRestored`."""
        limit_s = RESTORED_S + stop_s
        try:
            async with asyncio.timeout(limit_s):
                while not await self._replaced(process):
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            raise NotRestored(f"{process} was not replaced within {limit_s:g} s") from None

    async def _replaced(self, process: KnownProcess) -> bool:
        cluster = read_cluster(self._data)
        if cluster is None:
            return False
        # A primary of the store comes back as a replica: `valkey`, then `valkey-replica`.
        kind = process.role.partition("-")[0]
        alike = [one for one in cluster.processes if one.role.partition("-")[0] == kind and one.port == process.port]
        successors = [one for one in alike if one.pid != process.pid]
        return bool(successors) and await _accepts(process.port)

    async def freeze(self, process: KnownProcess, seconds: float) -> None:
        """Stop the process with SIGSTOP and let it continue later, also if this task is cancelled."""
        self.send(process, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self.send(process, signal.SIGCONT)

    def lease_s(self, process: KnownProcess) -> float:
        """The lease of a process, from its environment. A store has none: its time is the longest of the others."""
        settings = settings_of(process.pid)
        worker_ms = int(settings.get(f"{PREFIX}LEASE_MS", WorkerSettings().lease_ms))
        gateway_ms = int(settings.get(f"{PREFIX}GATEWAY_LEASE_MS", GatewaySettings().gateway_lease_ms))
        return {"worker": worker_ms, "gateway": gateway_ms}.get(process.role, max(worker_ms, gateway_ms)) / 1000

    def stop_s(self, process: KnownProcess) -> float:
        """The longest time of a clean stop, from the environment of the process: a gateway lets clients that cannot
        resume finish their games."""
        if process.role != "gateway":
            return 0.0
        settings, default = settings_of(process.pid), GatewaySettings()
        drain_ms = int(settings.get(f"{PREFIX}DRAIN_MS", default.drain_ms))
        games_ms = int(settings.get(f"{PREFIX}DRAIN_GAMES_MS", default.drain_games_ms))
        return (drain_ms + games_ms) / 1000


async def _accepts(port: int | None) -> bool:
    if port is None:
        return True
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
