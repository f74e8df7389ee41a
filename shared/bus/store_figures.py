"""Figures of the store's servers: memory, clients, replicas."""

import re
from dataclasses import dataclass
from typing import Any

from shared.bus.store import Store

_REPLICA = re.compile(r"^slave\d+:(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReplicaFigures:
    """The figures of a replica that is connected to its primary and has its data."""

    address: str
    lag_s: int
    """Time since it last confirmed writes."""
    behind: int
    """Bytes of its primary's writes that it has not confirmed yet."""


@dataclass(frozen=True, slots=True)
class StoreFigures:
    """The figures of one server that takes writes."""

    address: str
    memory: int
    """Bytes that count towards the limit."""
    limit: int
    """In bytes; 0: none."""
    clients: int = 0
    replicas: tuple[ReplicaFigures, ...] = ()

    @property
    def used_share(self) -> float:
        """1.0 is full, and 0.0 also stands for a server without a limit. From 1.0 on the server refuses commands that
        need memory."""
        return self.memory / self.limit if self.limit else 0.0


async def read(store: Store) -> list[StoreFigures]:
    """The figures of every server. Raises `StoreError`; `StoreRefused` if a hosted store does not report them."""
    replies = await store.each("INFO", "memory", "clients", "replication")
    return [parse(address, info.decode()) for address, info in replies.items()]


async def used_share(store: Store) -> float:
    """The used share of the memory limit, on the fullest of the servers."""
    return max(figures.used_share for figures in await read(store))


def parse(address: str, info: str) -> StoreFigures:
    """The figures in a reply to INFO."""
    fields = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)

    def number(name: str) -> int:
        return int(fields.get(name, 0))

    rows = [dict(field.split("=", 1) for field in row.strip().split(",")) for row in _REPLICA.findall(info)]
    return StoreFigures(
        address,
        memory=number("used_memory") - number("mem_not_counted_for_evict"),
        limit=number("maxmemory"),
        clients=number("connected_clients"),
        replicas=tuple(_replica(row, number("master_repl_offset")) for row in rows if row.get("state") == "online"),
    )


def _replica(row: dict[str, Any], written: int) -> ReplicaFigures:
    return ReplicaFigures(f"{row['ip']}:{row['port']}", int(row["lag"]), max(0, written - int(row["offset"])))
