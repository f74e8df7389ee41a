"""The cluster of the scenarios: two gateways and two workers, one cluster for each module."""

from collections.abc import Iterator

import pytest

from tests.clients.scenarios import OUTBOX
from tests.support.cluster import QUICK, Cluster


@pytest.fixture(scope="module")
def _cluster() -> Iterator[Cluster]:
    settings = {**QUICK, "bot_ms": 5, "away_ms": 600_000, "outbox_bytes": OUTBOX, "rate": 100_000, "burst": 100_000}
    with Cluster(**settings) as cluster:
        yield cluster.start()


@pytest.fixture
def cluster(_cluster: Cluster) -> Cluster:
    """All processes run at the start of each test."""
    if not all(node.alive for node in (*_cluster.gateways, *_cluster.workers)):
        _cluster.mend()
    return _cluster
