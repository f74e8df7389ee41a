"""One supervised process: started, started again when it dies, stopped."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from deploy.launcher.die_with_parent import tethered
from deploy.launcher.log_file import LogFile

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
STEADY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """What is run, and how one sees that it is up."""

    role: str
    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    is_ready: Callable[[], Awaitable[bool]]
    stop_s: float = 15.0
    """How long it may take to end after SIGTERM."""


class SupervisedProcess:
    """Keeps a program running, once it is settled: one that dies before does not come up, and stays down.

    `changed` is called whenever its process comes or goes.
    """

    def __init__(
        self, program: ProcessSpec, log: LogFile, lock: int, changed: Callable[[], None], say: Callable[[str], None]
    ) -> None:
        self.program = program
        self.log = log
        self.settled = False
        """Set from outside, when it was seen to be ready."""
        self._lock = lock
        self._changed = changed
        self._say = say
        self._stopping = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def failed(self) -> bool:
        """It ended before it was settled."""
        return self._task is not None and self._task.done()

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """SIGTERM, time to end, SIGKILL. Starts nothing again from here on."""
        self._stopping.set()
        if self._task is None:
            return
        self.send(signal.SIGTERM)
        done, _ = await asyncio.wait({self._task}, timeout=self.program.stop_s)
        if not done:
            self._say(f"{self.program.name} did not end within {self.program.stop_s:g} s and is killed")
            self.send(signal.SIGKILL)
        await self._task

    def send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def _keep(self) -> None:
        clock = asyncio.get_running_loop().time
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            begun = clock()
            try:
                how = ending(await self._run())
            except OSError as error:
                how = f"cannot be run ({error.strerror})"
            if self._stopping.is_set() or not self.settled:
                return
            self._say(f"{self.program.name} {how} and is started again")
            if clock() - begun > STEADY_S:
                pause_s = FIRST_PAUSE_S
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._stopping.wait()
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _run(self) -> int:
        """One life of the process."""
        with self.log.path.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *tethered(list(self.program.command)),
                env=dict(self.program.env),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # Ctrl-C in the terminal is for the supervisor, which ends the others in order.
                start_new_session=True,
                pass_fds=(self._lock,),
            )
        if self._stopping.is_set():
            self._process.terminate()
        self._changed()
        code = await self._process.wait()
        self._process = None
        self._changed()
        return code


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
