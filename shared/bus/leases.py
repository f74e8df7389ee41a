"""Leases on partitions: taking, renewing, releasing. All times are the store's.

A lease alone does not protect a partition: a worker that was paused may write after its end. The token of the lease
does, because the commit script compares it with the stored one.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.scripts import script
from shared.bus.store import RedisCommand, Store, StoreError
from shared.ids import Epoch, WorkerId

_WAIT_MS = 500
_WAITS_IN_A_LEASE = 6
"""Limits of the wait for replicas: a worker renews no lease meanwhile."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a partition, until another worker takes it."""

    epoch: Epoch
    token: str
    """The fencing token: new each time the partition is taken."""
    cursor: str
    """The last stream entry that was committed."""
    idle_ms: int
    """Time during which no worker owned the partition."""
    commit: int = 0
    """The number of the partition's last commit."""
    taken_ms: int = 0
    """The time at which the partition was taken."""


def _taking(partition: Keys, worker: WorkerId, lease_ms: int) -> RedisCommand:
    arguments = (worker, lease_ms, secrets.randbelow(1 << 20), secrets.token_hex(4))
    return script("take", (partition.owner,), arguments)


async def take(
    store: Store, partitions: Sequence[Keys], worker: WorkerId, lease_ms: int, replicas: int = 0
) -> list[Lease | None]:
    """Take partitions under new epochs; None for each one on which another worker's lease holds.

    With `replicas`, a partition is taken only if that many replicas have the write in time. They have everything then
    that the last owner has written, whether it had waited for replicas or not."""
    takings = [_taking(partition, worker, lease_ms) for partition in partitions]
    if replicas:
        wait_ms = max(1, min(_WAIT_MS, lease_ms // _WAITS_IN_A_LEASE))
        return [_lease(reply) for reply in await store.pipe_replicated(takings, replicas, wait_ms)]
    # A node of a Cluster that does not answer does not keep workers from taking the partitions of other nodes.
    replies = await store.pipe(takings, errors=store.sharded)
    return [_lease(reply) for reply in replies]


def _lease(reply: list[bytes] | StoreError | None) -> Lease | None:
    if not reply or isinstance(reply, StoreError):
        return None
    epoch, token, cursor, renewed, now, commit = (item.decode() for item in reply)
    idle_ms = int(now) - int(renewed) if int(renewed) else 0
    return Lease(Epoch(int(epoch)), token, cursor, max(0, idle_ms), int(commit), int(now))


async def owner(store: Store, partition: Keys) -> dict[str, str | int]:
    """The owner of a partition, for operators: the worker, its epoch, and the end of its lease."""
    worker, epoch, until = await store.call("HMGET", partition.owner, "worker", "epoch", "until")
    if worker is None:
        return {}
    return {"worker": worker.decode(), "epoch": int(epoch), "until_ms": int(until)}


def renewing(partition: Keys, lease: Lease, lease_ms: int) -> RedisCommand:
    """The command that renews a lease that has not ended."""
    return script("renew", (partition.owner,), (lease.token, lease_ms))


async def renew(store: Store, held: Sequence[tuple[Keys, Lease]], lease_ms: int) -> list[bool]:
    """Renew leases; whether each of the partitions is still owned. On a Cluster, those at a node that does not answer
    are not: they are taken anew when it, or its replica, does, and nothing can be committed to them before."""
    renewals = [renewing(partition, lease, lease_ms) for partition, lease in held]
    return [reply == 1 for reply in await store.pipe(renewals, errors=store.sharded)] if renewals else []


async def release(store: Store, partition: Keys, lease: Lease) -> None:
    """Give the partition up, and wake the other workers."""
    releasing = script("release", (partition.owner,), (lease.token,))
    await store.pipe((releasing, ("PUBLISH", keys.OWNERSHIP, partition.owner)))


async def announce_worker(store: Store, worker: WorkerId) -> None:
    """Wake the other workers: a worker has come or is about to go, so that the assignment changes."""
    await store.call("PUBLISH", keys.OWNERSHIP, worker)
