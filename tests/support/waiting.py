"""Polling for a condition: the only place where tests wait for real time."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PAUSE_S = 0.01


def eventually(holds: Callable[[], object], what: str | Callable[[], str] = "", limit_s: float = 20.0) -> None:
    """Return as soon as the condition holds; fail the test if it does not within the limit. `what` is the condition in
    words. If it is a function, it is called when the time is over: it can quote a log as it is then."""
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit_s:g} s: {what() if callable(what) else what or holds}")
        time.sleep(PAUSE_S)


async def eventually_async(holds: Callable[[], object], what: str = "", limit_s: float = 20.0) -> None:
    """Like `eventually`, without blocking the event loop."""
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit_s:g} s: {what or holds}")
        await asyncio.sleep(PAUSE_S)


async def eventually_awaited(holds: Callable[[], Awaitable[object]], what: str = "", limit_s: float = 20.0) -> None:
    """Like `eventually_async`, for a condition that has to be awaited."""
    end = time.monotonic() + limit_s
    while not await holds():
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit_s:g} s: {what or holds}")
        await asyncio.sleep(PAUSE_S)
