"""What the bus promises, it promises on every kind of store: fakeredis, a Valkey, and a Valkey Cluster of one node."""

from collections.abc import AsyncIterator

import pytest

from shared.bus.store import Store
from tests.support.bus import linked
from tests.support.fake_store import FakeStore

KINDS = ("fakeredis", "valkey", "cluster")


async def _opened(kind: str, request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    if kind == "fakeredis":
        yield FakeStore()
        return
    url: str = request.getfixturevalue("valkey_url" if kind == "valkey" else "valkey_cluster_url")
    link = await linked(url)
    yield link
    await link.stop()


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    async for opened in _opened(request.param, request):
        yield opened


@pytest.fixture(params=KINDS[:2])
async def one_server(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """Not a Cluster, where every partition would have to be committed by itself."""
    async for opened in _opened(request.param, request):
        yield opened
