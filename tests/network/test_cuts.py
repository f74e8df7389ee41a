"""Cuts of single links under load, in both directions and in one: the checker of the load tool stays clean, and the
partitions of a worker that is cut off move to the other one.

`make verify` runs these. They need root; without it they are skipped with a message.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.namespaces import ROOT, Namespace, NamespacedCluster, missing

LEASE_S = 1.0
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"!!! SKIPPED network faults: {missing()}"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NamespacedCluster]:
    settings = {"lease_ms": int(LEASE_S * 1000), "gateway_lease_ms": 2_500, "retry_ms": 500}
    with NamespacedCluster(tmp_path_factory.mktemp("network"), **settings) as cluster:
        yield cluster


def cut(one: Namespace, other: Namespace, direction: str) -> ExitStack:
    """Cut the link between two hosts: both directions, or only what one of them sends."""
    cuts = ExitStack()
    if direction in ("both", "to the store"):
        cuts.enter_context(other.deaf_to(one))
    if direction in ("both", "from the store"):
        cuts.enter_context(one.deaf_to(other))
    return cuts


@pytest.mark.parametrize("direction", ["both", "to the store", "from the store"])
@pytest.mark.parametrize("role", ["worker", "gateway"])
def test_a_link_to_the_store_is_cut_three_times_and_nothing_is_lost_or_doubled(
    cluster: NamespacedCluster, tmp_path: Path, role: str, direction: str
) -> None:
    found = tmp_path / "found.json"
    words = ["--url", cluster.urls, "--rooms", "12", "--think", "100", "--duration", "24", "--seed", "1"]
    with (tmp_path / "load.log").open("wb") as output:
        load = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "load", *words, "--data", str(tmp_path), "--json", str(found)],
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
    hosts = cluster.workers if role == "worker" else cluster.gateways
    for number in range(3):
        time.sleep(LEASE_S * 2)
        with cut(hosts[number % 2], cluster.store, direction):
            time.sleep(LEASE_S * 3)
    code = load.wait(timeout=200)
    assert code == 0, (tmp_path / "load.log").read_text() + cluster.logs()
    measured = json.loads(found.read_text())
    assert measured["moves"] > 0
    assert measured["longest_wait_ms"] > LEASE_S * 300, "the cut had no effect"
