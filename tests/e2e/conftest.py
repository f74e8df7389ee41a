"""Clusters of real processes for the end-to-end tests, and players that are hung up on when a test ends."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import TypeAlias

import pytest

from tests.support.cluster import QUICK, Cluster, Node
from tests.support.player import Player

Arrive: TypeAlias = Callable[[Node], Awaitable[Player]]


@pytest.fixture(scope="session")
def calm() -> Iterator[Cluster]:
    """Two gateways and two workers that nobody hurts; shared by the tests of this process."""
    with Cluster(lease_ms=900, bot_ms=5, secret="known to tests") as cluster:
        yield cluster.start()


@pytest.fixture(scope="module")
def _fragile() -> Iterator[Cluster]:
    with Cluster(bot_ms=5, away_ms=600_000, **QUICK) as cluster:
        yield cluster.start()


@pytest.fixture
def hurt(_fragile: Cluster) -> Cluster:
    """Two gateways and two workers with short leases, all alive at the start of each test."""
    _fragile.mend()
    return _fragile


@pytest.fixture
async def arrive() -> AsyncIterator[Arrive]:
    """Brings a new player to a gateway; at the end nobody may have seen a hole, a repetition or disorder."""
    async with AsyncExitStack() as guests:

        async def bring(gateway: Node) -> Player:
            player = await guests.enter_async_context(Player())
            return await player.arrive(gateway.url)

        yield bring
