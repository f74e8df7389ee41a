"""One supervised process: it comes back, or it does not, and it ends when it is told to."""

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from deploy.launcher import cluster_file
from deploy.launcher.log_file import LogFile
from deploy.launcher.process import ProcessSpec, SupervisedProcess
from tests.support.waiting import eventually_async

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); signal.pause()"
Make = Callable[..., SupervisedProcess]


async def always() -> bool:
    return True


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """Makes children of a Python program; ends them."""
    lock = cluster_file.take_lock(tmp_path)
    assert lock is not None
    children: list[SupervisedProcess] = []

    def make(source: str, said: list[str], stop_s: float = 10.0) -> SupervisedProcess:
        log = LogFile(tmp_path / "child.log")
        log.begin()
        program = ProcessSpec(
            role="worker", name="worker-1", command=(sys.executable, "-c", source), is_ready=always, stop_s=stop_s
        )
        children.append(SupervisedProcess(program, log, lock, lambda: None, said.append))
        return children[-1]

    yield make
    for child in children:
        await child.stop()


async def test_a_settled_program_that_ends_is_started_again_and_again(make: Make) -> None:
    said: list[str] = []
    child = make("import sys; sys.exit(3)", said)
    child.settled = True
    child.start()
    await eventually_async(lambda: len(said) >= 3, "three lives")
    assert set(said) == {"worker-1 ended with exit code 3 and is started again"}
    await child.stop()
    assert child.pid is None


async def test_a_program_that_ends_before_it_is_settled_has_failed(make: Make) -> None:
    said: list[str] = []
    child = make("import sys; sys.exit('no such table')", said)
    child.start()
    await eventually_async(lambda: child.failed, "it failed")
    assert child.log.last_line() == "no such table"
    assert said == []


async def test_a_program_that_does_not_stop_is_killed(make: Make) -> None:
    said: list[str] = []
    child = make(STUBBORN, said, stop_s=0.2)
    child.start()
    await eventually_async(lambda: child.log.last_line() == "here", "it runs")
    await child.stop()
    assert said == ["worker-1 did not end within 0.2 s and is killed"]
    assert child.pid is None
