"""The promise under load: the load tool plays and checks while it kills processes one after the other."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.launched import ROOT, Launched

SETTINGS = {"TAVOLATA_LEASE_MS": "600", "TAVOLATA_GATEWAY_LEASE_MS": "2500", "TAVOLATA_RETRY_MS": "500"}
KILLS = ("kill-worker", "kill-gateway", "kill-store", "cut-pubsub")


def test_workers_gateways_and_the_store_are_killed_under_load_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with Launched(tmp_path / "data", module="deploy.cli", env=SETTINGS) as launched:
        words = ["--data", str(launched.data), "--rooms", "20", "--duration", "10", "--think", "10", "--seed", "1"]
        faults = ["--faults", ",".join(KILLS), "--every", "1.5", "--json", str(report)]
        load = subprocess.run(
            [sys.executable, "-m", "deploy.cli", "load", *words, *faults],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert load.returncode == 0, load.stdout + load.stderr
    found = json.loads(report.read_text())
    assert found["moves"] > 0
    assert set(KILLS) & set(found["pauses"])
