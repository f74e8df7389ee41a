"""The topologies of a store: one server, a primary that Sentinels name, or a Cluster.

A topology makes what the programs use: the shared connection, the reader of command streams, subscriptions. The rest of
a program is the same on every topology. Its callback for new connections is called when a server may have lost writes;
then it compares `Store.server_of`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from shared.bus.address import Address
from shared.bus.client import StoreClient
from shared.bus.cluster_client import ClusterClient
from shared.bus.cluster_reader import ClusterReader
from shared.bus.cluster_subscription import ClusterSubscription
from shared.bus.cluster_view import ClusterView
from shared.bus.command_streams import CommandReader, StreamReader
from shared.bus.connection import Check, Endpoint
from shared.bus.scripts import LOADING
from shared.bus.sentinel import PRIMARY, SentinelPrimary
from shared.bus.store import OnMessage, Store
from shared.bus.store_address import ClusterAddress, SentinelAddress, StoreAddress
from shared.bus.store_counters import StoreCounters
from shared.bus.subscription import Subscription


class SharedStore(Store, Protocol):
    """A `Store` that is started and stopped, and whose connection can be checked."""

    @property
    def up(self) -> bool:
        """Whether commands can be sent."""

    async def start(self) -> None:
        """Connect for the first time; raises `StoreError`."""

    async def stop(self) -> None: ...


class ChannelSubscription(Protocol):
    """Channels of the store. `on_gap` is called after each subscription: earlier messages may be lost."""

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None: ...

    async def stop(self) -> None: ...


class OwnReader(CommandReader, Protocol):
    """A reader with connections of its own."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class StoreTopology(Protocol):
    """Makes the connections to one store."""

    counters: StoreCounters

    async def start(self) -> None:
        """Begin to follow the store; raises `StoreError`."""

    async def stop(self) -> None: ...

    def store(self, *, checks: Sequence[Check] = (), on_connect: Callable[[], None] | None = None) -> SharedStore:
        """A connection that all callers of a process share. Every server is checked before it is used."""

    def reader(self, name: str, store: Store) -> OwnReader:
        """A reader of command streams, which `store` can wake."""

    def subscription(self) -> ChannelSubscription: ...


class OnePrimary:
    """A store with one server that takes writes: the same one always, or the one that Sentinels name."""

    def __init__(self, address: Address | SentinelAddress) -> None:
        self.counters = StoreCounters()
        self._sentinel: SentinelPrimary | None = None
        self._checks: tuple[Check, ...] = ()
        if isinstance(address, SentinelAddress):
            self._endpoint: Endpoint = SentinelPrimary(address, self.counters)
            self._sentinel, self._checks = self._endpoint, (PRIMARY,)
        else:
            self._endpoint = address

    async def start(self) -> None:
        if self._sentinel is not None:
            await self._sentinel.start()

    async def stop(self) -> None:
        if self._sentinel is not None:
            await self._sentinel.stop()

    def store(self, *, checks: Sequence[Check] = (), on_connect: Callable[[], None] | None = None) -> StoreClient:
        everything = (*self._checks, *checks)
        return self._followed(
            StoreClient(
                self._endpoint, greeting=LOADING, checks=everything, on_connect=on_connect, counters=self.counters
            )
        )

    def reader(self, name: str, store: Store) -> OwnReader:
        client = StoreClient(self._endpoint, checks=self._checks, name=name, counters=self.counters)
        return StreamReader(self._followed(client), store)

    def subscription(self) -> Subscription:
        made = Subscription(self._endpoint, checks=self._checks, counters=self.counters)
        if self._sentinel is not None:
            self._sentinel.follow(made.moved)
        return made

    def _followed(self, client: StoreClient) -> StoreClient:
        if self._sentinel is not None:
            self._sentinel.follow(client.moved)
        return client


class ClusterTopology:
    """A store whose partitions are divided among the primaries of a Cluster."""

    def __init__(self, address: ClusterAddress) -> None:
        self.counters = StoreCounters()
        self._view = ClusterView(address, self.counters)

    async def start(self) -> None:
        await self._view.start()

    async def stop(self) -> None:
        await self._view.stop()

    def store(self, *, checks: Sequence[Check] = (), on_connect: Callable[[], None] | None = None) -> ClusterClient:
        return ClusterClient(self._view, greeting=LOADING, checks=checks, on_connect=on_connect, counters=self.counters)

    def reader(self, name: str, store: Store) -> OwnReader:
        return ClusterReader(self._view, store)

    def subscription(self) -> ClusterSubscription:
        return ClusterSubscription(self._view, self.counters)


def topology_of(address: StoreAddress) -> StoreTopology:
    """The topology of the store at an address."""
    return ClusterTopology(address) if isinstance(address, ClusterAddress) else OnePrimary(address)
