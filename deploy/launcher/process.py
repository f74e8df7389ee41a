"""One supervised process and its log file: started, restarted when it dies, stopped."""

import asyncio
import shutil
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.launcher.die_with_parent import bound_to_parent
from shared.runtime.events import set_within

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
STABLE_S = 10.0
"""A process that ran longer than this is restarted after the shortest pause again."""
MOST_LOG_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """The command of a process, and how its readiness is checked."""

    role: str
    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    ops_port: int | None = None
    is_ready: Callable[[], Awaitable[bool]]
    before_restart: Callable[[], Awaitable[str]] | None = None
    """Waits until the process may be started again; returns the rest of the line that reports its return. Raises
    `OSError`."""
    stop_s: float = 15.0
    """Time between the signal to stop and SIGKILL."""
    stop_signal: signal.Signals = signal.SIGTERM


@dataclass(slots=True)
class LogFile:
    """The log of a process and its predecessor (`.1`). The process writes it; the supervisor reads it and limits it."""

    path: Path
    _read_bytes: int = field(default=0, init=False)

    def begin(self) -> None:
        """Start an empty file for a new cluster, and keep the last one beside it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self.path.replace(self._predecessor)
        self.path.touch()
        self._read_bytes = 0

    def new_lines(self) -> list[str]:
        """The complete lines that were written since the last call."""
        try:
            with self.path.open("rb") as file:
                # A file that is shorter than before was replaced or emptied: read it from the start.
                file.seek(self._read_bytes if self._read_bytes <= self.path.stat().st_size else 0)
                begin = file.tell()
                text, newline, _ = file.read().rpartition(b"\n")
        except OSError:
            return []
        self._read_bytes = begin + len(text) + len(newline)
        if self._read_bytes > MOST_LOG_BYTES:
            self._rotate()
        return text.decode(errors="replace").splitlines()

    def last_line(self) -> str:
        """The last line that is not blank."""
        try:
            text = self.path.read_text(errors="replace")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")

    def _rotate(self) -> None:
        # The process has the file open for appending, so the file itself must stay: it is copied and emptied.
        shutil.copyfile(self.path, self._predecessor)
        with self.path.open("r+b") as file:
            file.truncate(0)
        self._read_bytes = 0

    @property
    def _predecessor(self) -> Path:
        return self.path.with_name(self.path.name + ".1")


class SupervisedProcess:
    """Runs a process and restarts it when it dies. A process that ends before it was ready has failed and stays down.

    `changed` is called whenever the process starts or ends.
    """

    def __init__(
        self, spec: ProcessSpec, log: LogFile, lock: int, changed: Callable[[], None], report: Callable[[str], None]
    ) -> None:
        self.spec = spec
        self.log = log
        self.ready = False
        """Set by the supervisor once `spec.is_ready` was true."""
        self._lock = lock
        self._changed = changed
        self._report = report
        self._stopping = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def failed(self) -> bool:
        """The process ended before it was ready."""
        return self._task is not None and self._task.done()

    def start(self) -> None:
        self._task = asyncio.create_task(self._supervise())

    async def stop(self) -> None:
        """Send the signal to stop, wait, send SIGKILL. The process is not restarted any more."""
        self._stopping.set()
        if self._task is None:
            return
        self.send(self.spec.stop_signal)
        done, _ = await asyncio.wait({self._task}, timeout=self.spec.stop_s)
        if not done:
            self._report(f"{self.spec.name} did not end within {self.spec.stop_s:g} s and is killed")
            self.send(signal.SIGKILL)
        await self._task

    def send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def _supervise(self) -> None:
        clock = asyncio.get_running_loop().time
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            begun = clock()
            try:
                outcome = describe_exit(await self._run())
            except OSError as error:
                outcome = f"cannot be run ({error.strerror})"
            if self._stopping.is_set() or not self.ready:
                return
            self._report(f"{self.spec.name} {outcome} and is restarted")
            if clock() - begun > STABLE_S:
                pause_s = FIRST_PAUSE_S
            await set_within(self._stopping, pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            await self._prepare_restart()

    async def _prepare_restart(self) -> None:
        """Wait until the process may be started again, or is to be stopped."""
        if self.spec.before_restart is None:
            return
        preparing = asyncio.ensure_future(self.spec.before_restart())
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({preparing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not preparing.done():
            preparing.cancel()
            return
        try:
            self._report(f"{self.spec.name} {preparing.result()}")
        except OSError as error:
            self._report(f"{self.spec.name} cannot be prepared for its restart: {error}")

    async def _run(self) -> int:
        """Run the process once; its exit code."""
        with self.log.path.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                *bound_to_parent(list(self.spec.command)),
                env=dict(self.spec.env),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # Ctrl-C in the terminal must reach the supervisor only, which stops the others in order.
                start_new_session=True,
                pass_fds=(self._lock,),
            )
        if self._stopping.is_set():  # `stop` was called while the process was being created
            self._process.terminate()
        self._changed()
        code = await self._process.wait()
        self._process = None
        self._changed()
        return code


def describe_exit(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
