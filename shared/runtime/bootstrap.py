"""Start of a program: reads settings, sets up logs, memory, open files and scheduling, runs the event loop.

Expected failures (a wrong setting, an unreachable store, a taken port) end it with one line on stderr and an exit code.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

import uvloop

from shared.bus import keys
from shared.bus.address import BadUrl
from shared.bus.meta import IncompatibleStore
from shared.bus.store import StoreError
from shared.runtime import logs, open_files
from shared.runtime.http_server import PortTaken
from shared.runtime.settings import SettingError, StoreSettings, described, from_env, unknown_variables

T = TypeVar("T", bound=StoreSettings)

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_GC_THRESHOLD = 50_000
"""Allocations between two garbage collections. A batch keeps thousands of objects for a moment; with Python's default
they would be searched for cycles several times per batch."""

_HEAP_KEPT_BYTES = 8 * 1024 * 1024
"""Size of the block that is freed once at the start, see `tune_memory`."""


def run(
    kind: type[T],
    start: Callable[[T], Coroutine[Any, Any, None]],
    dialect_variables: Iterable[str] = (),
    unchecked: tuple[str, ...] = (),
) -> None:
    """Run a program: `start` returns when it shall end.

    `dialect_variables` and `unchecked` are passed to `unknown_variables`.
    """
    if {"-h", "--help"} & set(sys.argv[1:]):
        sys.stdout.write(_help(kind))
        return
    if sys.argv[1:]:
        _fail(f"python -m {kind.role} takes no arguments but --help: settings come from the environment", EXIT_USAGE)
    try:
        settings = from_env(kind, os.environ)
        logs.set_up(settings.log_level, f"{kind.role}[{os.getpid()}]", settings.log_format)
        keys.use_prefix(settings.key_prefix)
        for line in unknown_variables(os.environ, dialect_variables, unchecked):
            warn(line)
        tune_memory()
        open_files.raise_limit()
        prefer_throughput()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(start(settings))
    except (SettingError, BadUrl) as error:
        _fail(str(error), EXIT_USAGE)
    except (StoreError, IncompatibleStore, PortTaken) as error:
        _fail(str(error), EXIT_FAILED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def tune_memory() -> None:
    """Fit the garbage collector and the C library to batches."""
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    # A batch needs hundreds of kilobytes for a moment, which glibc would return to the kernel after every batch.
    # Freeing one large block raises glibc's threshold, so that smaller blocks stay in the process.
    bytes(_HEAP_KEPT_BYTES)


def prefer_throughput() -> None:
    """Choose Linux's batch scheduling for this process and the processes it starts.

    The processes of a cluster wake each other thousands of times a second. By default each wake-up may preempt the
    process that caused it, which then continues with cold caches.
    """
    if sys.platform == "linux":
        with suppress(OSError):  # a sandbox may forbid it; the program then only costs more
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _help(kind: type[StoreSettings]) -> str:
    rows = described(kind)
    width = max(len(variable) for variable, _, _ in rows)
    lines = [f"usage: python -m {kind.role}", "", "Settings come from the environment (times in milliseconds):", ""]
    for variable, default, text in rows:
        lines.append(f"  {variable:<{width}}  {text}" + (f" [{default}]" if default else ""))
    return "\n".join(lines) + "\n"


def warn(text: str) -> None:
    """Write one line to stderr. It is not a log line: `tavolata up` shows log warnings of every process, and it warns
    of the environment itself, once."""
    sys.stderr.write(f"tavolata: {text}\n")


def _fail(text: str, code: int) -> NoReturn:
    warn(text)
    sys.exit(code)
