"""Figures of the store's servers: memory, clients, replicas."""

import re
from dataclasses import dataclass

from shared.bus.store import Store

_ONLINE = re.compile(r"^slave\d+:.*state=online.*,lag=(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """The figures of one server that takes writes."""

    memory: int
    """Bytes that count towards the limit."""
    limit: int
    """In bytes; 0: none."""
    clients: int = 0
    lags_s: tuple[int, ...] = ()
    """For each connected replica, the time since it last confirmed writes."""

    @property
    def used_share(self) -> float:
        """1.0 is full, and 0.0 also stands for a server without a limit. From 1.0 on the server refuses commands that
        need memory."""
        return self.memory / self.limit if self.limit else 0.0


async def read(store: Store) -> list[StoreFigures]:
    """The figures of every server. Raises `StoreError`; `StoreRefused` if a hosted store does not report them."""
    return [_figures(info.decode()) for info in await store.each("INFO", "memory", "clients", "replication")]


async def used_share(store: Store) -> float:
    """The used share of the memory limit, on the fullest of the servers."""
    return max(figures.used_share for figures in await read(store))


def _figures(info: str) -> StoreFigures:
    fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)

    def number(name: str) -> int:
        return int(fields.get(name, 0))

    return StoreFigures(
        memory=number("used_memory") - number("mem_not_counted_for_evict"),
        limit=number("maxmemory"),
        clients=number("connected_clients"),
        lags_s=tuple(map(int, _ONLINE.findall(info))),
    )
