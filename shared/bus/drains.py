"""Requests of operators to drain processes: a set of process ids, in which each process looks for its own."""

from shared.bus import keys
from shared.bus.store import Store

_KEPT_S = 600
"""The set expires this long after the last request, so that requests to dead processes do not stay."""


async def ask(store: Store, process: str) -> None:
    """Ask a process to drain."""
    await store.pipe((("SADD", keys.DRAIN, process), ("EXPIRE", keys.DRAIN, _KEPT_S)))


async def asked(store: Store, process: str) -> bool:
    """Whether this process was asked to drain. The request is removed."""
    return bool(await store.call("SREM", keys.DRAIN, process))


async def waiting(store: Store) -> list[str]:
    """The processes that have not taken up their requests yet."""
    return sorted(name.decode() for name in await store.call("SMEMBERS", keys.DRAIN))
