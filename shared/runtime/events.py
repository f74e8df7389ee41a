"""Waiting for an event for a limited time."""

import asyncio


async def set_within(event: asyncio.Event, limit_s: float | None) -> bool:
    """Wait until the event is set, but not longer than this (None: without a limit). Whether it was set in time."""
    try:
        async with asyncio.timeout(limit_s):
            await event.wait()
    except TimeoutError:
        return False
    return True
