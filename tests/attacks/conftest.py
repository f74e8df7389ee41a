"""One cluster for all attacks: a gateway and a worker with the settings that ship. No attack may stop or break them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from tests.support.cluster import Cluster
from tests.support.free_ports import free_port
from tests.support.player import Player

NewPlayer: TypeAlias = Callable[[], Awaitable[Player]]


@dataclass(frozen=True, slots=True)
class Ports:
    """The TCP listeners of the gateway."""

    play: int
    snarl: int


@pytest.fixture(scope="session")
def ports() -> Ports:
    return Ports(free_port(), free_port())


@pytest.fixture(scope="session")
def _cluster(ports: Ports) -> Iterator[Cluster]:
    # Seats at waiting tables are kept for a second: a test waits until an abandoned table is closed.
    with Cluster(tcp=f"play={ports.play},snarl={ports.snarl}", grace_ms=1_000) as cluster:
        yield cluster.start(1, 1)


@pytest.fixture
def attacked(_cluster: Cluster) -> Iterator[Cluster]:
    """The cluster. At the end of a test, the same processes run and have logged no failure."""
    nodes = (*_cluster.gateways, *_cluster.workers)
    pids = [node.pid for node in nodes]
    lines = [len(node.log()) for node in nodes]
    yield _cluster
    assert all(node.alive for node in nodes)
    assert [node.pid for node in nodes] == pids
    for node, before in zip(nodes, lines, strict=True):
        logged = node.log()[before:]
        assert "Traceback" not in logged, logged[-3_000:]


@pytest.fixture
async def new_player(attacked: Cluster) -> AsyncIterator[NewPlayer]:
    """Connects a new player of `play` to the gateway."""
    async with AsyncExitStack() as players:

        async def log_in() -> Player:
            return await (await players.enter_async_context(Player())).log_in(attacked.gateways[0].url)

        yield log_in
