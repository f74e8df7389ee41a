"""Waiting for an event for a limited time."""

import asyncio

from shared.runtime.events import set_within


async def test_an_event_that_is_set_in_time_ends_the_wait() -> None:
    event = asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    assert await set_within(event, 60.0)


async def test_the_wait_for_an_event_that_stays_unset_ends_with_the_limit() -> None:
    assert not await set_within(asyncio.Event(), 0.0)
