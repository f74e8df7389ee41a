"""Leases on partitions, and the registries of live workers and gateways. All times are the store's own."""

import secrets
from dataclasses import dataclass

from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.scripts import script
from shared.bus.store import Command, Store
from shared.ids import Epoch, WorkerId


@dataclass(frozen=True, slots=True)
class Tenure:
    """The right to write to a partition, until somebody else takes it."""

    epoch: Epoch
    token: str
    cursor: str
    """Up to where the command stream was handled."""
    idle_ms: int
    """For how long nobody had owned the partition."""


def taking(partition: Keys, worker: WorkerId, lease_ms: int) -> Command:
    """The command that takes a partition under a new epoch; `tenure` reads its answer."""
    arguments = (worker, lease_ms, secrets.randbelow(1 << 20), secrets.token_hex(4))
    return script("take", (partition.owner,), arguments)


def tenure(reply: list[bytes] | None) -> Tenure | None:
    """None while another worker's lease holds."""
    if not reply:
        return None
    epoch, token, cursor, renewed, now = (item.decode() for item in reply)
    idle_ms = int(now) - int(renewed) if int(renewed) else 0
    return Tenure(Epoch(int(epoch)), token, cursor, max(0, idle_ms))


async def owner(store: Store, partition: Keys) -> dict[str, str | int]:
    """Who holds a partition now, for operators: the worker, its epoch, and until when."""
    worker, epoch, until = await store.call("HMGET", partition.owner, "worker", "epoch", "until")
    if worker is None:
        return {}
    return {"worker": worker.decode(), "epoch": int(epoch), "until_ms": int(until)}


def renewing(partition: Keys, mine: Tenure, lease_ms: int) -> Command:
    """The command that renews a lease that has not run out."""
    return script("renew", (partition.owner,), (mine.token, lease_ms))


async def renew(store: Store, held: list[tuple[Keys, Tenure]], lease_ms: int) -> list[bool]:
    """Which of the partitions are still ours."""
    renewals = [renewing(partition, mine, lease_ms) for partition, mine in held]
    return [reply == 1 for reply in await store.pipe(renewals)] if renewals else []


async def release(store: Store, partition: Keys, mine: Tenure) -> None:
    """Give the partition up and tell the others."""
    releasing = script("release", (partition.owner,), (mine.token,))
    await store.pipe((releasing, ("PUBLISH", keys.TENANCY, partition.owner)))


@dataclass(frozen=True, slots=True)
class Registry:
    """Which processes of a kind are alive."""

    members: str
    statuses: str

    async def beat(self, store: Store, process: str, lease_ms: int, status: bytes, *, first: bool) -> "Roll":
        """A sign of life; `Roll.struck` if the others had given us up."""
        arguments = (process, lease_ms, status, int(first))
        now, *members = await store.call(*script("beat", (self.members, self.statuses), arguments))
        ends = {members[at].decode(): int(float(members[at + 1])) for at in range(0, len(members), 2)}
        return Roll(int(now), ends, struck=not members)

    async def roll(self, store: Store) -> "Roll":
        """Who is registered, without a sign of life of one's own."""
        (seconds, micros), members = await store.pipe((("TIME",), ("ZRANGE", self.members, 0, -1, "WITHSCORES")))
        ends = {members[at].decode(): int(float(members[at + 1])) for at in range(0, len(members), 2)}
        return Roll(int(seconds) * 1_000 + int(micros) // 1_000, ends)

    async def strike(self, store: Store, process: str, *, expired: bool = False) -> bool:
        """Take a process off the roll; with `expired` only if its lease has run out. True if it is not on it."""
        reply = await store.call(*script("strike", (self.members, self.statuses), (process, int(expired))))
        return bool(reply == 1)

    async def status(self, store: Store) -> dict[str, bytes]:
        reply = await store.call("HGETALL", self.statuses)
        return {reply[at].decode(): reply[at + 1] for at in range(0, len(reply), 2)}


@dataclass(frozen=True, slots=True)
class Roll:
    """Who is registered, and until when each lease lasts."""

    now_ms: int
    ends: dict[str, int]
    struck: bool = False

    @property
    def live(self) -> list[str]:
        return sorted(process for process, end in self.ends.items() if end > self.now_ms)

    @property
    def expired(self) -> list[str]:
        return sorted(process for process, end in self.ends.items() if end <= self.now_ms)


WORKERS = Registry(keys.WORKERS, keys.WORKER_STATUS)
GATEWAYS = Registry(keys.GATEWAYS, keys.GATEWAY_STATUS)
