"""The memory of the store: which share of its limit is in use."""

from shared.bus.store import Store

_USED, _NOT_COUNTED, _LIMIT = "used_memory", "mem_not_counted_for_evict", "maxmemory"


async def used_share(store: Store) -> float:
    """The used share of the store's memory limit, on the fullest of its servers: 1.0 is full, and 0.0 also stands for a
    store without a limit. From 1.0 on the server refuses commands that need memory."""
    return max(_share(info.decode()) for info in await store.each("INFO", "memory"))


def _share(info: str) -> float:
    figures = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
    limit = int(figures.get(_LIMIT, 0))
    if not limit:
        return 0.0
    return (int(figures[_USED]) - int(figures.get(_NOT_COUNTED, 0))) / limit
