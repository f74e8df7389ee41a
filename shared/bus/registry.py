"""The registries of live workers and gateways: each process with the end of its lease. All times are the store's."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.bus import keys
from shared.bus.scripts import script
from shared.bus.store import RedisCommand, Store


@dataclass(frozen=True, slots=True)
class Members:
    """One reading of a registry."""

    now_ms: int
    ends: dict[str, int]
    """The end of each process's lease."""
    lease_lost: bool = False
    """Whether the process that sent the heartbeat had been unregistered by others."""

    @property
    def live(self) -> list[str]:
        return sorted(process for process, end in self.ends.items() if end > self.now_ms)

    @property
    def expired(self) -> list[str]:
        return sorted(process for process, end in self.ends.items() if end <= self.now_ms)


@dataclass(frozen=True, slots=True)
class Registry:
    """The registry of one kind of process."""

    keys: Callable[[], tuple[str, str]]
    """The keys of the registry and of the statuses. They are looked up at each call, behind the prefix of the
    process."""

    async def heartbeat(self, store: Store, process: str, lease_ms: int, status: bytes, *, first: bool) -> Members:
        """Register (`first`), or renew the lease. A process that finds itself unregistered has to start afresh: others
        have acted as if it had died."""
        arguments = (process, lease_ms, status, int(first))
        now, *members = await store.call(*script("heartbeat", self.keys(), arguments))
        return Members(int(now), _ends(members), lease_lost=not members)

    async def members(self, store: Store) -> Members:
        """Read the registry, without a heartbeat of one's own."""
        return self.parse(*await store.pipe(self.reading()))

    def reading(self) -> tuple[RedisCommand, RedisCommand]:
        """The commands that read the registry; `parse` takes their replies."""
        return ("TIME",), ("ZRANGE", self.keys()[0], 0, -1, "WITHSCORES")

    @staticmethod
    def parse(now: list[bytes], members: list[bytes]) -> Members:
        return Members(int(now[0]) * 1_000 + int(now[1]) // 1_000, _ends(members))

    async def unregister(self, store: Store, process: str, *, expired: bool = False) -> bool:
        """Remove a process; with `expired` only if its lease has ended. True if it is not registered any more."""
        reply = await store.call(*script("unregister", self.keys(), (process, int(expired))))
        return bool(reply == 1)

    async def live_status(self, store: Store) -> dict[str, bytes]:
        """The last status of each process whose lease has not ended."""
        return self.parse_live(*await store.pipe(self.reading_live()))

    def reading_live(self) -> tuple[RedisCommand, ...]:
        """The commands that read the registry with the statuses; `parse_live` takes their replies."""
        return (*self.reading(), ("HGETALL", self.keys()[1]))

    def parse_live(self, now: list[bytes], members: list[bytes], reply: list[bytes]) -> dict[str, bytes]:
        statuses = _pairs(reply)
        return {process: statuses[process] for process in self.parse(now, members).live if process in statuses}

    async def status(self, store: Store) -> dict[str, bytes]:
        """The status that each process sent with its last heartbeat."""
        return _pairs(await store.call("HGETALL", self.keys()[1]))


def _pairs(reply: list[bytes]) -> dict[str, bytes]:
    return {reply[at].decode(): reply[at + 1] for at in range(0, len(reply), 2)}


def _ends(members: list[bytes]) -> dict[str, int]:
    return {members[at].decode(): int(float(members[at + 1])) for at in range(0, len(members), 2)}


WORKERS = Registry(lambda: (keys.WORKERS, keys.WORKER_STATUS))
GATEWAYS = Registry(lambda: (keys.GATEWAYS, keys.GATEWAY_STATUS))
