"""Ends a command that would keep its worker until the leases have run out.

The next owner would read the same command, and so would the one after: one bad move of one room would be the end of all
rooms of its partition. Broken off in time, it costs itself, or its own room.
"""

import signal
from types import FrameType


class CommandTookTooLong(Exception):
    """What was under way has used up its time."""


class Watchdog:
    """Looks now and then what the worker is at. It goes by the time of the processor: standing still is no fault."""

    def __init__(self) -> None:
        self.task: object | None = None
        """What is under way and may be broken off."""
        self.overtime = False
        """Something was broken off: what was done before it should be committed before anything else is begun."""
        self._seen: object | None = None

    def start(self, every_s: float) -> None:
        """From now on, nothing may take longer than twice this."""
        signal.signal(signal.SIGVTALRM, self._look)
        signal.setitimer(signal.ITIMER_VIRTUAL, every_s, every_s)

    def _look(self, _signal: int, _frame: FrameType | None) -> None:
        if self.task is not None and self.task is self._seen:
            self.overtime = True
            raise CommandTookTooLong("it took too long")
        self._seen = self.task
