"""The watchdog: breaks off a command that would outlast the worker's leases.

Without it, the next owner would read the same command and block as well, and so would the one after: one bad move of
one room would stop all rooms of its partition. Broken off in time, the command costs its own room alone.
"""

import signal
from types import FrameType


class CommandTookTooLong(Exception):
    """The command has used up its CPU time."""


class Watchdog:
    """Checks periodically, in CPU time, whether the same command is still running; waiting does not count."""

    def __init__(self) -> None:
        self.task: object | None = None
        """The command that is running, or the room that is being loaded; None between two of them."""
        self.overtime = False
        """A command was broken off: the results so far are committed before anything else is begun."""
        self._seen: object | None = None

    def start(self, every_s: float) -> None:
        """Begin to check. A task that is running at two checks in a row is broken off."""
        signal.signal(signal.SIGVTALRM, self._check)
        signal.setitimer(signal.ITIMER_VIRTUAL, every_s, every_s)

    def stop(self) -> None:
        """End the checks. The timer would kill the process once the interpreter has removed the handler."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _check(self, _signal: int, _frame: FrameType | None) -> None:
        # The same object at two checks is the same task: a new envelope, or a new room, is another object.
        if self.task is not None and self.task is self._seen:
            self.overtime = True
            raise CommandTookTooLong("the command took too much CPU time")
        self._seen = self.task
