"""The supervisor of a cluster on one machine: starts and restarts its processes, and stops them in order."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from deploy.errors import CommandError
from deploy.launcher import cluster_file, private_files, store, store_status
from deploy.launcher.cluster_file import SUPERVISOR, RunningCluster, RunningProcess
from deploy.launcher.embedded_store import REPLICA, SENTINEL, SERVER
from deploy.launcher.plan import ClusterPlan, Layout, lay_out
from deploy.launcher.process import LogFile, ProcessSpec, SupervisedProcess
from shared.runtime.events import set_within
from shared.runtime.logs import is_important

START_S = 60.0
LOAD_S = 600.0
"""Time for the store to start; loading much data takes minutes."""
LEFTOVER_S = 10.0
"""Time for the processes of an earlier cluster to end after its supervisor was killed."""
POLL_S = 0.05
READ_LOGS_S = 0.5
FOLLOW_ROLES_S = 1.0
MOST_LINES = 10
STORE_ROLES = (SERVER, SENTINEL)
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Report = Callable[[str], None]


class Supervisor:
    """Runs one plan from start to stop."""

    def __init__(self, plan: ClusterPlan, report: Report, ready: Callable[[ClusterPlan, Layout], None]) -> None:
        self._plan = plan
        self._report = report
        self._ready = ready
        self._stop = asyncio.Event()
        self._processes: list[SupervisedProcess] = []
        self._roles: dict[int, str] = {}
        """The roles of the servers of a store by pid, if it has several: failovers change them."""

    async def run(self) -> None:
        """Return after a clean stop; raises `CommandError` if the cluster does not start."""
        self._handle_signals()
        lock = await _lock(self._plan.data)
        try:
            await self._run(lay_out(self._plan), lock)
        finally:
            # The lock is not released here but by the end of this process: a free lock means that no process is left.
            cluster_file.remove(self._plan.data)

    async def _run(self, layout: Layout, lock: int) -> None:
        try:
            if layout.embedded is not None:
                layout.embedded.write_files()
            self._processes = [self._supervised(spec, lock, layout) for spec in layout.processes()]
        except OSError as error:
            raise CommandError(f"the data folder {self._plan.data} cannot be used: {error}") from None
        self._write_cluster_file(layout.redis_url)
        try:
            if await self._start(layout):
                await self._update_roles(layout)
                self._ready(self._plan, layout)
                await asyncio.gather(self._watch(), self._follow_roles(layout))
        finally:
            await self._stop_all()

    async def _start(self, layout: Layout) -> bool:
        """Start everything. False if it was stopped meanwhile."""
        for role in STORE_ROLES:
            await self._start_all([spec for spec in layout.store if spec.role == role], LOAD_S)
        if self._stop.is_set():
            return False
        if layout.embedded is not None:
            await asyncio.to_thread(layout.embedded.form)
        else:
            await asyncio.to_thread(store.check, layout.redis_url, layout.tls)
        await self._start_all((*layout.workers, *layout.gateways), START_S)
        return not self._stop.is_set()

    async def _start_all(self, specs: Sequence[ProcessSpec], limit_s: float) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + limit_s
        waiting = [process for process in self._processes if process.spec in specs]
        for process in waiting:
            process.start()
        while waiting and not self._stop.is_set():
            for process in waiting:
                if process.failed:
                    reason = process.log.last_line().removeprefix("tavolata: ") or "its log is empty"
                    raise CommandError(f"{process.spec.name} did not start: {reason}")
                if clock() > end:
                    raise CommandError(f"{process.spec.name} is not ready after {limit_s:g} s: see {process.log.path}")
                process.ready = await process.spec.is_ready()
            waiting = [process for process in waiting if not process.ready]
            if waiting:
                await asyncio.sleep(POLL_S)

    async def _watch(self) -> None:
        """Show warnings and errors from the logs until the cluster is stopped."""
        while not self._stop.is_set():
            for process in self._processes:
                self._show(process.spec, process.log)
            await set_within(self._stop, READ_LOGS_S)

    async def _follow_roles(self, layout: Layout) -> None:
        while not self._stop.is_set():
            await self._update_roles(layout)
            await set_within(self._stop, FOLLOW_ROLES_S)

    async def _update_roles(self, layout: Layout) -> None:
        """Ask the servers of a store of several servers for their roles, and keep changes in `cluster.json`."""
        servers = {one.spec.port: one.pid for one in self._processes if one.spec.role == SERVER}
        ports = [port for port in servers if port is not None]
        if len(ports) < 2:
            return
        operator = store_status.operator_of(layout.redis_url)
        answers = await asyncio.to_thread(store_status.roles, operator, ports)
        found = {pid: role for port, role in answers.items() if (pid := servers[port]) is not None}
        # A server that does not answer at the moment keeps its role until it is restarted.
        kept = {pid: role for pid, role in self._roles.items() if pid in servers.values()}
        if kept | found != self._roles:
            self._roles = kept | found
            self._write_cluster_file(layout.redis_url)

    def _role(self, process: SupervisedProcess) -> str:
        if process.spec.role != SERVER or not self._roles:
            return process.spec.role
        # A server that was restarted is a replica until it says something else.
        return self._roles.get(process.pid or 0, REPLICA)

    def _show(self, spec: ProcessSpec, log: LogFile) -> None:
        lines = [line for line in log.new_lines() if spec.role not in STORE_ROLES and is_important(line)]
        for line in lines[:MOST_LINES]:
            self._report(f"{spec.name}: {line}")
        if len(lines) > MOST_LINES:
            self._report(f"{spec.name}: {len(lines) - MOST_LINES} more lines like these in {log.path}")

    async def _stop_all(self) -> None:
        """Gateways first, so that moves which players have sent are still carried out; the store last."""
        # Sentinels must not see their servers stop, or they would promote a replica.
        for role in ("gateway", "worker", SENTINEL, SERVER):
            await asyncio.gather(*(process.stop() for process in self._processes if process.spec.role == role))

    def restart(self, role: str) -> None:
        """End the processes of a role in order; each is started again."""
        for process in self._processes:
            if process.spec.role == role:
                process.send(signal.SIGTERM)

    def _supervised(self, spec: ProcessSpec, lock: int, layout: Layout) -> SupervisedProcess:
        log = LogFile(self._plan.data / "logs" / f"{spec.name}.log")
        log.begin()
        return SupervisedProcess(spec, log, lock, lambda: self._write_cluster_file(layout.redis_url), self._report)

    def _write_cluster_file(self, redis_url: str) -> None:
        running = (
            RunningProcess(
                self._role(process),
                process.pid,
                process.spec.port,
                process.spec.ops_port,
            )
            for process in self._processes
            if process.pid
        )
        processes = (RunningProcess(SUPERVISOR, os.getpid()), *running)
        try:
            cluster_file.write(self._plan.data, RunningCluster(self._plan.url, redis_url, processes))
        except OSError as error:
            self._report(
                f"{self._plan.data / cluster_file.STATE} cannot be written, `ps` will be wrong: {error.strerror}"
            )

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            # nohup sets SIGHUP to be ignored, and that must stay.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                loop.add_signal_handler(number, self._on_signal)

    def _on_signal(self) -> None:
        """The first signal stops in order; the second kills all processes but the store, which must save its data."""
        if not self._stop.is_set():
            self._stop.set()
            self._report("stopping; repeat to stop without waiting for players")
            return
        for process in self._processes:
            if process.spec.role not in STORE_ROLES:
                process.send(signal.SIGKILL)


async def _lock(data: Path) -> int:
    """The lock on the data folder, which is then closed to other users. Processes of a cluster whose supervisor was
    killed get some time to end."""
    os.umask(private_files.UMASK)  # for this process and its children, which all write into the folder
    end = asyncio.get_running_loop().time() + LEFTOVER_S
    while True:
        try:
            ours = private_files.is_ours(data)
            lock = cluster_file.take_lock(data)
            if lock is not None:
                private_files.narrow(data, itself=ours)
        except OSError as error:
            raise CommandError(f"the data folder {data} cannot be used: {error.strerror}") from None
        if lock is not None:
            return lock
        other = cluster_file.read(data)
        if other is not None and psutil.pid_exists(other.supervisor()):
            raise CommandError(
                f"a cluster is running on {data} already (pid {other.supervisor()}): "
                f"stop it with `tavolata down --data {data}`, or use another --data"
            )
        if asyncio.get_running_loop().time() > end:
            left = ", ".join(str(process.pid) for process in other.processes) if other else "unknown"
            raise CommandError(f"processes of an earlier cluster still use {data}: end them first (pids: {left})")
        await asyncio.sleep(POLL_S)
