"""Two minutes of load while servers of the store are killed, slots move, and nodes join and leave.

The figures of these runs are in docs/store.md."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadtest.checks.checker import VIOLATIONS
from tests.support.launched import ROOT, Launched

TAVOLATA = "deploy.cli"
"""With the leases of a real cluster."""
LOAD = ("--rooms", "200", "--duration", "120")
LONGEST_PAUSE_S, MEDIAN_PAUSE_S = 30.0, 10.0


def run_load(data: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code of the load tool, and its measurements."""
    file = data.parent / "load.json"
    command = [sys.executable, "-m", TAVOLATA, "load", "--data", str(data), "--json", str(file), *LOAD, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert file.exists(), done.stdout + done.stderr
    found: dict[str, Any] = json.loads(file.read_text())
    return done.returncode, found


def violations(found: dict[str, Any]) -> dict[str, int]:
    return {kind: found["findings"][kind] for kind in VIOLATIONS if found["findings"][kind]}


def check_pauses(found: dict[str, Any], kinds: set[str]) -> None:
    assert set(found["pauses"]) == kinds
    for pause in found["pauses"].values():
        assert pause["max_s"] <= LONGEST_PAUSE_S
        assert pause["median_s"] <= MEDIAN_PAUSE_S


@pytest.mark.verify
def test_killed_primaries_lose_nothing_with_replicated(tmp_path: Path) -> None:
    with Launched(tmp_path / "data", "--store", "sentinel", "--durability", "replicated", module=TAVOLATA) as cluster:
        code, found = run_load(cluster.data, "--faults", "kill-store", "--every", "20")
    assert violations(found) == {}, found["words"]
    assert code == 0
    check_pauses(found, {"kill-store"})


@pytest.mark.verify
def test_forced_failovers_lose_nothing_with_replicated(tmp_path: Path) -> None:
    with Launched(tmp_path / "data", "--store", "sentinel", "--durability", "replicated", module=TAVOLATA) as cluster:
        code, found = run_load(cluster.data, "--faults", "failover", "--every", "12")
    assert violations(found) == {}, found["words"]
    assert code == 0
    check_pauses(found, {"failover"})


@pytest.mark.verify
@pytest.mark.parametrize("fault", ["kill-store", "failover"])
def test_moves_that_a_failover_undoes_with_fsync_are_reported_as_rewound(tmp_path: Path, fault: str) -> None:
    with Launched(tmp_path / "data", "--store", "sentinel", module=TAVOLATA) as cluster:
        code, found = run_load(cluster.data, "--faults", fault, "--every", "20", "--allow-rewound")
    assert violations(found).keys() <= {"rewound"}, found["words"]
    assert code == 0
    check_pauses(found, {fault})


@pytest.mark.verify
def test_a_cluster_loses_nothing_while_primaries_die_slots_move_and_nodes_come_and_go(tmp_path: Path) -> None:
    with Launched(tmp_path / "data", "--store", "cluster", "--durability", "replicated", module=TAVOLATA) as cluster:
        code, found = run_load(cluster.data, "--faults", "kill-store,move-slots,resize-store", "--every", "13")
    assert violations(found) == {}, found["words"]
    assert code == 0
    check_pauses(found, {"kill-store", "move-slots", "resize-store"})
