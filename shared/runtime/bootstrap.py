"""How our programs begin and fail: settings from the environment, one clear line and an exit code when it cannot be."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

import uvloop

from shared.bus.address import BadUrl
from shared.bus.meta import IncompatibleStore
from shared.bus.store import StoreError
from shared.runtime import logs
from shared.runtime.http_server import PortTaken
from shared.runtime.settings import SettingError, StoreSettings, described, from_env, strays

T = TypeVar("T", bound=StoreSettings)

_GC_AFTER = 50_000
"""A batch keeps thousands of objects for a moment: by default they would be searched for cycles again and again."""

_KEPT_FREE = 8 * 1024 * 1024
"""A batch needs hundreds of kilobytes for a moment: by default they would go to the system and come back every time."""


def run(kind: type[T], start: Callable[[T], Coroutine[Any, Any, None]], dialects: Iterable[str] | None = None) -> None:
    """The body of a `__main__`: `start` runs until the program shall end. `dialects` are the variables of dialects,
    where they are known."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        sys.stdout.write(_help(kind))
        return
    if sys.argv[1:]:
        _fail(f"python -m {kind.role} takes no arguments but --help: settings come from the environment", 2)
    try:
        settings = from_env(kind, os.environ)
        logs.set_up(settings.log_level, f"{kind.role}[{os.getpid()}]")
        for line in strays(os.environ, dialects):
            complain(line)
        _tune_memory()
        favour_throughput()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(start(settings))
    except (SettingError, BadUrl) as error:
        _fail(str(error), 2)
    except (StoreError, IncompatibleStore, PortTaken) as error:
        _fail(str(error), 1)
    except KeyboardInterrupt:
        sys.exit(130)


def _tune_memory() -> None:
    gc.freeze()
    gc.set_threshold(_GC_AFTER)
    bytes(_KEPT_FREE)  # glibc takes it from the system, gives it back, and from now on lets smaller blocks stay


def favour_throughput() -> None:
    """Ask Linux, for this process and those it starts, not to interrupt others as soon as something has come for us.
    The processes of a cluster wake each other thousands of times a second: each then goes on with cold caches."""
    if sys.platform == "linux":
        with suppress(OSError):  # a sandbox may forbid it: then it is merely dearer
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _help(kind: type[StoreSettings]) -> str:
    rows = described(kind)
    wide = max(len(variable) for variable, _, _ in rows)
    lines = [f"usage: python -m {kind.role}", "", "Settings come from the environment (times in milliseconds):", ""]
    for variable, default, text in rows:
        lines.append(f"  {variable:<{wide}}  {text}" + (f" [{default}]" if default else ""))
    return "\n".join(lines) + "\n"


def complain(text: str) -> None:
    """To whoever started the program, not a line of its log: `tavolata up` says such things itself, once."""
    sys.stderr.write(f"tavolata: {text}\n")


def _fail(text: str, code: int) -> None:
    complain(text)
    sys.exit(code)
