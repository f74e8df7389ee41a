"""One supervised process: when it is restarted, when it has failed, and how it is stopped."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from deploy.launcher import cluster_file
from deploy.launcher.process import LogFile, ProcessSpec, SupervisedProcess
from tests.support.waiting import eventually_async

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); signal.pause()"
Make = Callable[..., SupervisedProcess]


async def always() -> bool:
    return True


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes supervised processes of Python programs, and stops them."""
    lock = cluster_file.take_lock(tmp_path)
    assert lock is not None
    processes: list[SupervisedProcess] = []

    def make(
        source: str,
        reported: list[str],
        stop_s: float = 10.0,
        before_restart: Callable[[], Awaitable[str]] | None = None,
    ) -> SupervisedProcess:
        log = LogFile(tmp_path / "process.log")
        log.begin()
        spec = ProcessSpec(
            role="worker",
            name="worker-1",
            command=(sys.executable, "-c", source),
            is_ready=always,
            before_restart=before_restart,
            stop_s=stop_s,
        )
        processes.append(SupervisedProcess(spec, log, lock, lambda: None, reported.append))
        return processes[-1]

    yield make
    for process in processes:
        await process.stop()


async def test_a_ready_process_that_ends_is_restarted_every_time(make: Make) -> None:
    reported: list[str] = []
    process = make("import sys; sys.exit(3)", reported)
    process.ready = True
    process.start()
    await eventually_async(lambda: len(reported) >= 3, "it was restarted three times")
    assert set(reported) == {"worker-1 ended with exit code 3 and is restarted"}
    await process.stop()
    assert process.pid is None


async def test_a_process_is_restarted_when_it_has_been_prepared_for_it(make: Make) -> None:
    may_return = asyncio.Event()
    asked = asyncio.Event()

    async def wait() -> str:
        asked.set()
        await may_return.wait()
        return "returns as a replica"

    reported: list[str] = []
    process = make("import sys; sys.exit(3)", reported, before_restart=wait)
    process.ready = True
    process.start()
    await asked.wait()
    assert reported == ["worker-1 ended with exit code 3 and is restarted"]
    may_return.set()
    await eventually_async(lambda: len(reported) >= 3, "it was restarted")
    assert reported[1] == "worker-1 returns as a replica"


async def test_a_process_that_waits_for_its_restart_is_stopped_at_once(make: Make) -> None:
    asked = asyncio.Event()

    async def wait() -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    process = make("import sys; sys.exit(3)", [], before_restart=wait)
    process.ready = True
    process.start()
    await asked.wait()
    await process.stop()
    assert process.pid is None


async def test_a_process_that_ends_before_it_is_ready_has_failed(make: Make) -> None:
    reported: list[str] = []
    process = make("import sys; sys.exit('no such table')", reported)
    process.start()
    await eventually_async(lambda: process.failed, "it failed")
    assert process.log.last_line() == "no such table"
    assert reported == []


async def test_a_process_that_ignores_sigterm_is_killed(make: Make) -> None:
    reported: list[str] = []
    process = make(STUBBORN, reported, stop_s=0.2)
    process.start()
    await eventually_async(lambda: process.log.last_line() == "here", "it runs")
    await process.stop()
    assert reported == ["worker-1 did not end within 0.2 s and is killed"]
    assert process.pid is None
