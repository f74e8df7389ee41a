"""Waits with the restart of a dead server of the store until the failover that its death causes is over.

A primary that came back within the time of detection would stay the primary with what it has on its disk. With
`durability=fsync` that loses nothing, but it depends on the disk; a replicated store must not, so the rule is the same
for all durabilities. After the failover the server returns as a replica, and its data is replaced by the new primary's.
"""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum, auto

LIMIT_S = 30.0
"""Longest wait for a failover: Sentinel tries again after twice its failover time-out of 5 s."""
POLL_S = 0.2


class Outlook(Enum):
    """Whether the place of a dead server is, will be or cannot be taken by another."""

    OVER = auto()
    """Another server has taken its place, or it was no primary."""
    EXPECTED = auto()
    """Another server can take its place, and has not yet."""
    IMPOSSIBLE = auto()
    """No other server could take its place: only its return helps."""


async def wait_for_failover(look: Callable[[], Awaitable[Outlook]], limit_s: float = LIMIT_S) -> None:
    """Return as soon as the server may be started again."""
    clock = asyncio.get_running_loop().time
    end = clock() + limit_s
    while await look() is Outlook.EXPECTED and clock() < end:
        await asyncio.sleep(POLL_S)
