"""A command that takes too long is broken off, and what was done before it is committed first."""

import signal
from collections.abc import Iterator

import pytest

from worker.partitions.watchdog import CommandTookTooLong, Watchdog

FAR_S = 3_600.0


def look() -> None:
    signal.raise_signal(signal.SIGVTALRM)


@pytest.fixture
def watch() -> Iterator[Watchdog]:
    """One whose own looks never come."""
    before = signal.getsignal(signal.SIGVTALRM)
    watch = Watchdog()
    watch.start(FAR_S)
    yield watch
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def test_a_task_that_is_running_at_two_checks_is_broken_off(watch: Watchdog) -> None:
    watch.task = object()
    look()
    with pytest.raises(CommandTookTooLong):
        look()
    assert watch.overtime


def test_one_after_another_may_go_on(watch: Watchdog) -> None:
    for task in (object(), object(), object()):
        watch.task = task
        look()
    assert not watch.overtime


def test_nothing_is_broken_off_between_tasks(watch: Watchdog) -> None:
    watch.task = None
    look()
    look()
    assert not watch.overtime
