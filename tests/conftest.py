"""Fixtures and settings for all tests: Valkey servers, hypothesis profiles, and groups that keep fixtures together."""

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.support import memory_cluster
from tests.support.valkey import ValkeyServer

# `make unit` chooses the first profile, `make verify` the last one; all other runs use the second.
hypothesis.settings.register_profile("quick", max_examples=12, deadline=None)
hypothesis.settings.register_profile("fast", max_examples=40, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=1_500, deadline=None)
hypothesis.settings.load_profile("fast")

STARTS_SERVERS = ("browser", "e2e", "integration")
"""Folders whose modules start servers: each module runs in one process, so that it starts them once."""


def _group_of(item: pytest.Item) -> str | None:
    """The module, for tests that start servers. Clusters that several modules share are started once per process."""
    path = item.path.relative_to(Path(__file__).parent)
    return str(path) if path.parts[0] in STARTS_SERVERS else None


# First, because xdist reads the marks in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark for `--dist loadgroup` which tests belong into one process. All other tests go to the next free process."""
    for item in items:
        if group := _group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """A server that the tests of this process share. Tests must not kill it."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def valkey_url(valkey_server: ValkeyServer) -> str:
    """The URL of the shared server, which is empty at the start of each test."""
    valkey_server.flush()
    return valkey_server.url


@pytest.fixture(scope="session")
def valkey_cluster_server() -> Iterator[ValkeyServer]:
    """A Valkey Cluster of one node that owns all slots, shared by the tests of this process."""
    with ValkeyServer(cluster=True) as server:
        yield server


@pytest.fixture
def valkey_cluster_url(valkey_cluster_server: ValkeyServer) -> str:
    """The URL of the shared Cluster, which is empty at the start of each test."""
    valkey_cluster_server.flush()
    return valkey_cluster_server.url


@pytest.fixture
def own_valkey() -> Iterator[ValkeyServer]:
    """A server for one test alone, which may kill, pause and restart it."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _memory_clusters_are_closed() -> Iterator[None]:
    """Close the in-memory clusters that a test has made; a loop that is left open would fail a later test."""
    yield
    memory_cluster.close_all()
