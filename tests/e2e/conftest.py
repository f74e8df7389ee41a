"""Clusters of real processes for the end-to-end tests, and players whose connections close when a test ends."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import TypeAlias

import pytest

from tests.support.cluster import QUICK, Cluster, Node
from tests.support.player import Player

NewPlayer: TypeAlias = Callable[[Node], Awaitable[Player]]


@pytest.fixture(scope="session")
def calm() -> Iterator[Cluster]:
    """Two gateways and two workers that run undisturbed, shared by all tests that ask for them."""
    with Cluster(lease_ms=900, bot_ms=5, secret="a secret that is known to tests") as cluster:
        yield cluster.start()


@pytest.fixture(scope="session")
def _fragile() -> Iterator[Cluster]:
    with Cluster(bot_ms=5, away_ms=600_000, **QUICK) as cluster:
        yield cluster.start()


@pytest.fixture
def hurt(_fragile: Cluster) -> Cluster:
    """Two gateways and two workers with short leases, to be killed and frozen. All run at the start of each test."""
    _fragile.mend()
    return _fragile


@pytest.fixture
async def new_player() -> AsyncIterator[NewPlayer]:
    """Connects a new player to a gateway. At the end, no player may have seen a gap, a repetition or disorder."""
    async with AsyncExitStack() as players:

        async def log_in(gateway: Node) -> Player:
            player = await players.enter_async_context(Player())
            return await player.log_in(gateway.url)

        yield log_in
