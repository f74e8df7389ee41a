"""Fixtures and settings for all tests: Valkey servers, hypothesis profiles, and the scheduling over processes."""

from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.support import memory_cluster
from tests.support.store_sets import RunningClusterSet, RunningSentinelSet
from tests.support.valkey import ValkeyServer

# `make unit` chooses the first profile, `make verify` the last one; all other runs use the second.
hypothesis.settings.register_profile("quick", max_examples=12, deadline=None)
hypothesis.settings.register_profile("fast", max_examples=20, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=1_500, deadline=None)
hypothesis.settings.load_profile("fast")

ONE_PROCESS_PER_MODULE = (
    "tests/clients/",
    "tests/e2e/",
    "tests/integration/",
    "tests/unit/gateway/transports/java_stream/",
)
"""Folders whose modules start clusters or programs of their own: a module runs in one process and starts them once."""
ONE_PROCESS = ("tests/attacks/",)
"""Folders whose tests all share one cluster: the whole folder runs in one process."""


class ModuleScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Keeps the tests of some modules and folders together; every other test goes to the next free process.

    The marks of `--dist loadgroup` would do the same, but pytest 9.2 no longer takes the groups of pytest-xdist 3.8.
    """

    def _split_scope(self, nodeid: str) -> str:
        for folder in ONE_PROCESS:
            if nodeid.startswith(folder):
                return folder
        return nodeid.partition("::")[0] if nodeid.startswith(ONE_PROCESS_PER_MODULE) else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ModuleScheduling:
    return ModuleScheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests marked `verify` unless `-m` asks for them, as `make verify` does."""
    if "verify" not in config.option.markexpr:
        long = [item for item in items if item.get_closest_marker("verify")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


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


@pytest.fixture(scope="session")
def sentinel_set() -> Iterator[RunningSentinelSet]:
    """A primary, two replicas and three sentinels that the tests of this process share. Tests must not kill them.

    A busy machine must not cause a failover, so a server counts as dead only after a long time."""
    with RunningSentinelSet(down_after_ms=30_000) as servers:
        yield servers


@pytest.fixture(scope="session")
def cluster_set() -> Iterator[RunningClusterSet]:
    """A Cluster of six servers that the tests of this process share. Tests must not kill them."""
    with RunningClusterSet(down_after_ms=30_000) as servers:
        yield servers


@pytest.fixture
def own_sentinel_set() -> Iterator[RunningSentinelSet]:
    """A set for one test alone, which may kill, pause and restart its servers."""
    with RunningSentinelSet() as servers:
        yield servers


@pytest.fixture
def own_cluster_set() -> Iterator[RunningClusterSet]:
    """A Cluster for one test alone, which may kill, pause and restart its servers."""
    with RunningClusterSet() as servers:
        yield servers


@pytest.fixture(autouse=True)
def _memory_clusters_are_closed() -> Iterator[None]:
    """Close the in-memory clusters that a test has made; a loop that is left open would fail a later test."""
    yield
    memory_cluster.close_all()
