"""A whole cluster on one machine: starts the store, workers and gateways, keeps them running, stops them in order."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from deploy.errors import CommandError
from deploy.launcher import cluster_file, store
from deploy.launcher.cluster_file import SUPERVISOR, RunningCluster, RunningProcess
from deploy.launcher.log_file import LogFile, is_important
from deploy.launcher.plan import ClusterPlan, Layout, lay_out
from deploy.launcher.process import ProcessSpec, SupervisedProcess

START_S = 60.0
LOAD_S = 600.0
"""A store with much data takes its time to load it."""
LEFTOVER_S = 10.0
POLL_S = 0.05
READ_LOGS_S = 0.5
MOST_LINES = 10
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Say = Callable[[str], None]


class Supervisor:
    """Runs one plan from start to stop."""

    def __init__(self, plan: ClusterPlan, say: Say, ready: Callable[[ClusterPlan, Layout], None]) -> None:
        self._plan = plan
        self._say = say
        self._ready = ready
        self._stop = asyncio.Event()
        self._children: list[SupervisedProcess] = []

    async def run(self) -> None:
        """Returns after a clean stop; raises `Trouble` if the cluster does not come up."""
        self._listen_for_signals()
        lock = await _lock(self._plan.data)
        try:
            await self._run(lay_out(self._plan), lock)
        finally:
            # The lock goes with the process: whoever sees it free knows that nothing is left.
            cluster_file.remove(self._plan.data)

    async def _run(self, layout: Layout, lock: int) -> None:
        try:
            (self._plan.data / "valkey").mkdir(exist_ok=True)
            self._children = [self._child(program, lock, layout) for program in layout.programs()]
        except OSError as error:
            raise CommandError(f"the data folder {self._plan.data} cannot be used: {error}") from None
        self._record(layout.redis_url)
        try:
            if await self._start(layout):
                self._ready(self._plan, layout)
                await self._watch()
        finally:
            await self._end()

    async def _start(self, layout: Layout) -> bool:
        """Whether everything is up; False if it was stopped meanwhile."""
        if layout.store:
            await self._bring_up(layout.store, LOAD_S)
        else:
            await asyncio.to_thread(store.check, layout.redis_url)
        await self._bring_up((*layout.workers, *layout.gateways), START_S)
        return not self._stop.is_set()

    async def _bring_up(self, programs: Sequence[ProcessSpec], limit_s: float) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + limit_s
        waiting = [child for child in self._children if child.program in programs]
        for child in waiting:
            child.start()
        while waiting and not self._stop.is_set():
            for child in waiting:
                if child.failed:
                    reason = child.log.last_line().removeprefix("tavolata: ") or "it said nothing"
                    raise CommandError(f"{child.program.name} did not start: {reason}")
                if clock() > end:
                    raise CommandError(f"{child.program.name} is not ready after {limit_s:g} s: see {child.log.path}")
                child.settled = await child.program.is_ready()
            waiting = [child for child in waiting if not child.settled]
            if waiting:
                await asyncio.sleep(POLL_S)

    async def _watch(self) -> None:
        """Show what the children find important, until somebody says stop."""
        while not self._stop.is_set():
            for child in self._children:
                self._show(child.program, child.log)
            with suppress(TimeoutError):
                async with asyncio.timeout(READ_LOGS_S):
                    await self._stop.wait()

    def _show(self, program: ProcessSpec, log: LogFile) -> None:
        lines = [line for line in log.news() if program.role != "valkey" and is_important(line)]
        for line in lines[:MOST_LINES]:
            self._say(f"{program.name}: {line}")
        if len(lines) > MOST_LINES:
            self._say(f"{program.name}: {len(lines) - MOST_LINES} more lines like these in {log.path}")

    async def _end(self) -> None:
        """Gateways first, so that players go while their moves still count; the store last."""
        for role in ("gateway", "worker", "valkey"):
            await asyncio.gather(*(child.stop() for child in self._children if child.program.role == role))

    def _child(self, program: ProcessSpec, lock: int, layout: Layout) -> SupervisedProcess:
        log = LogFile(self._plan.data / "logs" / f"{program.name}.log")
        log.begin()
        return SupervisedProcess(program, log, lock, lambda: self._record(layout.redis_url), self._say)

    def _record(self, redis_url: str) -> None:
        running = (
            RunningProcess(child.program.role, child.pid, child.program.port) for child in self._children if child.pid
        )
        processes = (RunningProcess(SUPERVISOR, os.getpid()), *running)
        try:
            cluster_file.write(self._plan.data, RunningCluster(self._plan.url, redis_url, processes))
        except OSError as error:
            self._say(f"{self._plan.data / cluster_file.STATE} cannot be written, `ps` will be wrong: {error.strerror}")

    def _listen_for_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            # nohup asks for SIGHUP to be ignored.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                loop.add_signal_handler(number, self._on_signal)

    def _on_signal(self) -> None:
        """The first asks, the second insists; only the store is always given its time."""
        if not self._stop.is_set():
            self._stop.set()
            self._say("stopping; once more to stop without waiting for players")
            return
        for child in self._children:
            if child.program.role != "valkey":
                child.send(signal.SIGKILL)


async def _lock(data: Path) -> int:
    """The lock on the data folder; waits a little for the rest of a cluster whose supervisor was killed."""
    end = asyncio.get_running_loop().time() + LEFTOVER_S
    while True:
        try:
            lock = cluster_file.take_lock(data)
        except OSError as error:
            raise CommandError(f"the data folder {data} cannot be used: {error.strerror}") from None
        if lock is not None:
            return lock
        other = cluster_file.read(data)
        if other is not None and cluster_file.is_alive(other.supervisor()):
            raise CommandError(
                f"a cluster is running on {data} already (pid {other.supervisor()}): "
                f"stop it with `tavolata down --data {data}`, or use another --data"
            )
        if asyncio.get_running_loop().time() > end:
            left = ", ".join(str(process.pid) for process in other.processes) if other else "unknown"
            raise CommandError(f"processes of an earlier cluster still use {data}: end them first (pids: {left})")
        await asyncio.sleep(POLL_S)
