"""Fixtures for all tests: a real Valkey for each test process, empty at the start of each test."""

from collections.abc import Iterator

import pytest

from tests.support.valkey import ValkeyServer


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """The server that the tests of this process share; do not kill it."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture
def valkey_url(valkey_server: ValkeyServer) -> str:
    """The shared server, emptied."""
    valkey_server.flush()
    return valkey_server.url


@pytest.fixture(scope="session")
def valkey_cluster_server() -> Iterator[ValkeyServer]:
    """A Valkey Cluster of one node that owns all slots, shared likewise."""
    with ValkeyServer(cluster=True) as server:
        yield server


@pytest.fixture
def valkey_cluster_url(valkey_cluster_server: ValkeyServer) -> str:
    """The shared cluster of one, emptied."""
    valkey_cluster_server.flush()
    return valkey_cluster_server.url


@pytest.fixture
def own_valkey() -> Iterator[ValkeyServer]:
    """A server of the test's own, to be killed, paused and restarted."""
    with ValkeyServer() as server:
        yield server
