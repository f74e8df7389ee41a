"""Processes that an operator wants to stop: each looks for itself in the set and stops cleanly when it is there."""

from shared.bus import keys
from shared.bus.store import Store

_KEPT_S = 600
"""After the last wish: whoever is dead never hears of it."""


async def ask(store: Store, process: str) -> None:
    await store.pipe((("SADD", keys.DRAIN, process), ("EXPIRE", keys.DRAIN, _KEPT_S)))


async def asked(store: Store, process: str) -> bool:
    """Whether this process shall stop. It is told once."""
    return bool(await store.call("SREM", keys.DRAIN, process))


async def waiting(store: Store) -> list[str]:
    """Who has not heard it yet."""
    return sorted(name.decode() for name in await store.call("SMEMBERS", keys.DRAIN))
