"""The registries of live workers and gateways. All times are the clock of the store."""

from dataclasses import dataclass

from shared.bus import keys
from shared.bus.scripts import script
from shared.bus.store import Store


@dataclass(frozen=True, slots=True)
class Registry:
    """Which processes of a kind are alive."""

    members: str
    statuses: str

    async def beat(self, store: Store, process: str, lease_ms: int, status: bytes, *, first: bool) -> "Members":
        """A sign of life; `Roll.struck` if the others had given us up."""
        arguments = (process, lease_ms, status, int(first))
        now, *members = await store.call(*script("beat", (self.members, self.statuses), arguments))
        ends = {members[at].decode(): int(float(members[at + 1])) for at in range(0, len(members), 2)}
        return Members(int(now), ends, struck=not members)

    async def roll(self, store: Store) -> "Members":
        """Who is registered, without a sign of life of one's own."""
        (seconds, micros), members = await store.pipe((("TIME",), ("ZRANGE", self.members, 0, -1, "WITHSCORES")))
        ends = {members[at].decode(): int(float(members[at + 1])) for at in range(0, len(members), 2)}
        return Members(int(seconds) * 1_000 + int(micros) // 1_000, ends)

    async def strike(self, store: Store, process: str, *, expired: bool = False) -> bool:
        """Take a process off the roll; with `expired` only if its lease has run out. True if it is not on it."""
        reply = await store.call(*script("strike", (self.members, self.statuses), (process, int(expired))))
        return bool(reply == 1)

    async def status(self, store: Store) -> dict[str, bytes]:
        reply = await store.call("HGETALL", self.statuses)
        return {reply[at].decode(): reply[at + 1] for at in range(0, len(reply), 2)}


@dataclass(frozen=True, slots=True)
class Members:
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
