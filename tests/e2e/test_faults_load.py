"""The promise under load: the load tool plays and checks while processes are killed one after the other."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.cluster import ROOT, Cluster
from tests.support.waiting import eventually


def _answers(cluster: Cluster) -> float:
    return sum(node.metrics().get("tavolata_frame_to_ack_seconds_count", 0) for node in cluster.gateways)


def _play_a_while(cluster: Cluster, load: "subprocess.Popen[bytes]") -> None:
    before = _answers(cluster)
    eventually(lambda: load.poll() is not None or _answers(cluster) > before + 300, "moves are made")


def test_a_worker_a_gateway_and_the_store_are_killed_under_load_and_nothing_is_lost_or_doubled(
    hurt: Cluster, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    urls = ",".join(gateway.url for gateway in hurt.gateways)
    words = ["--url", urls, "--game", "stones", "--rooms", "20", "--players", "2", "--duration", "8", "--think", "10"]
    with (tmp_path / "output.txt").open("wb") as output:
        load = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "load", *words, "--json", str(report)],
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
    try:
        _play_a_while(hurt, load)
        hurt.workers[0].kill()
        hurt.mend()
        _play_a_while(hurt, load)
        hurt.gateways[0].kill()
        hurt.mend()
        _play_a_while(hurt, load)
        hurt.store.restart()
        _play_a_while(hurt, load)
        code = load.wait(timeout=90)
    finally:
        if load.poll() is None:
            load.kill()
            load.wait()
    assert code == 0, (tmp_path / "output.txt").read_text()
    assert json.loads(report.read_text())["moves"] > 0
