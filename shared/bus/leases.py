"""Leases on partitions, and the registries of live workers and gateways. All times are the store's own."""

import secrets
from dataclasses import dataclass

from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.scripts import script
from shared.bus.store import RedisCommand, Store
from shared.ids import Epoch, WorkerId


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a partition, until somebody else takes it."""

    epoch: Epoch
    token: str
    cursor: str
    """Up to where the command stream was handled."""
    idle_ms: int
    """For how long nobody had owned the partition."""


def taking(partition: Keys, worker: WorkerId, lease_ms: int) -> RedisCommand:
    """The command that takes a partition under a new epoch; `tenure` reads its answer."""
    arguments = (worker, lease_ms, secrets.randbelow(1 << 20), secrets.token_hex(4))
    return script("take", (partition.owner,), arguments)


def tenure(reply: list[bytes] | None) -> Lease | None:
    """None while another worker's lease holds."""
    if not reply:
        return None
    epoch, token, cursor, renewed, now = (item.decode() for item in reply)
    idle_ms = int(now) - int(renewed) if int(renewed) else 0
    return Lease(Epoch(int(epoch)), token, cursor, max(0, idle_ms))


async def owner(store: Store, partition: Keys) -> dict[str, str | int]:
    """Who holds a partition now, for operators: the worker, its epoch, and until when."""
    worker, epoch, until = await store.call("HMGET", partition.owner, "worker", "epoch", "until")
    if worker is None:
        return {}
    return {"worker": worker.decode(), "epoch": int(epoch), "until_ms": int(until)}


def renewing(partition: Keys, mine: Lease, lease_ms: int) -> RedisCommand:
    """The command that renews a lease that has not run out."""
    return script("renew", (partition.owner,), (mine.token, lease_ms))


async def renew(store: Store, held: list[tuple[Keys, Lease]], lease_ms: int) -> list[bool]:
    """Which of the partitions are still ours."""
    renewals = [renewing(partition, mine, lease_ms) for partition, mine in held]
    return [reply == 1 for reply in await store.pipe(renewals)] if renewals else []


async def release(store: Store, partition: Keys, mine: Lease) -> None:
    """Give the partition up and tell the others."""
    releasing = script("release", (partition.owner,), (mine.token,))
    await store.pipe((releasing, ("PUBLISH", keys.TENANCY, partition.owner)))
