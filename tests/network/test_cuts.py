"""Cuts of single links under load, in both directions and in one, and slow links: the checker of the load tool stays
clean, and leases are respected.

`make verify` runs these. They need root; without it they are skipped with a message.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.namespaces import ROOT, Namespace, NamespacedCluster, missing

LEASE_S = 1.0
RENEWED_S = LEASE_S / 3
"""The longest time between two renewals of a lease."""
SETTINGS = {"lease_ms": int(LEASE_S * 1000), "gateway_lease_ms": 2_500, "retry_ms": 500}
CUT_S = LEASE_S * 3
DELAY_S = 0.02
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"!!! SKIPPED network faults: {missing()}"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NamespacedCluster]:
    with NamespacedCluster(tmp_path_factory.mktemp("network"), **SETTINGS) as cluster:
        yield cluster


def cut(one: Namespace, other: Namespace, direction: str) -> ExitStack:
    """Cut the link between two hosts: both directions, or only what one of them sends."""
    cuts = ExitStack()
    if direction in ("both", "to the store"):
        cuts.enter_context(other.deaf_to(one))
    if direction in ("both", "from the store"):
        cuts.enter_context(one.deaf_to(other))
    return cuts


@contextmanager
def load(cluster: NamespacedCluster, folder: Path, duration_s: int) -> Iterator[dict[str, Any]]:
    """Put load on the cluster meanwhile. The measurements are there afterwards, and the checker has found nothing."""
    found, log = folder / "found.json", folder / "load.log"
    words = ["--url", cluster.urls, "--rooms", "12", "--think", "100", "--duration", str(duration_s), "--seed", "1"]
    command = [sys.executable, "-m", "deploy.cli", "load", *words, "--data", str(folder), "--json", str(found)]
    measured: dict[str, Any] = {}
    with log.open("wb") as output, subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output) as process:
        try:
            yield measured
            code = process.wait(timeout=200)
        finally:
            process.kill()
    assert code == 0, log.read_text() + cluster.logs()
    measured |= json.loads(found.read_text())


def until_one_owns_all(cluster: NamespacedCluster) -> tuple[str, float]:
    """Wait until one worker owns all partitions; that worker, and how long it took."""
    begun = time.monotonic()
    while time.monotonic() < begun + CUT_S:
        owners = asyncio.run(cluster.owners())
        if len(owners) == 1:
            return owners.pop(), time.monotonic() - begun
        time.sleep(0.02)
    raise AssertionError(f"no takeover within {CUT_S:g} s: {cluster.logs()}")


def watch_both_own(cluster: NamespacedCluster, duration_s: float) -> None:
    """Fail as soon as one of the two workers owns no partition."""
    end = time.monotonic() + duration_s
    while time.monotonic() < end:
        assert len(asyncio.run(cluster.owners())) == 2, cluster.logs()
        time.sleep(RENEWED_S)


@pytest.mark.parametrize("direction", ["both", "to the store", "from the store"])
def test_a_worker_that_is_cut_off_loses_its_partitions_when_its_lease_ends_and_not_before(
    cluster: NamespacedCluster, tmp_path: Path, direction: str
) -> None:
    survivors = []
    with load(cluster, tmp_path, 24) as measured:
        for number in range(3):
            time.sleep(LEASE_S * 2)
            begun = time.monotonic()
            with cut(cluster.workers[number % 2], cluster.store, direction):
                owner, after_s = until_one_owns_all(cluster)
                assert after_s >= LEASE_S - RENEWED_S - 0.1, "a lease that had not ended was taken"
                survivors.append(owner)
                time.sleep(max(0.0, begun + CUT_S - time.monotonic()))
    assert survivors[0] == survivors[2] != survivors[1]
    assert measured["longest_wait_ms"] > LEASE_S * 300, "the cut had no effect"


@pytest.mark.parametrize("direction", ["both", "to the store", "from the store"])
def test_a_gateway_is_cut_off_three_times_and_nothing_is_lost_or_doubled(
    cluster: NamespacedCluster, tmp_path: Path, direction: str
) -> None:
    with load(cluster, tmp_path, 24) as measured:
        for number in range(3):
            time.sleep(LEASE_S * 2)
            with cut(cluster.gateways[number % 2], cluster.store, direction):
                time.sleep(CUT_S)
    assert measured["longest_wait_ms"] > LEASE_S * 300, "the cut had no effect"


def test_a_slow_link_to_the_store_costs_a_worker_no_lease(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("slow")
    with NamespacedCluster(folder, delay_s=DELAY_S, **SETTINGS) as cluster, load(cluster, tmp_path, 10) as measured:
        watch_both_own(cluster, 8.0)
    logs = "\n".join(log.read_text() for log in folder.glob("*w*.log"))
    assert "leases on" not in logs
    assert measured["latency_ms"]["p99"] > DELAY_S * 2_000
