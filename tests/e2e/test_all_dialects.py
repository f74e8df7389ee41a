"""Whole games in every dialect over a cluster of `tavolata up`, played and checked by the load tool."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cluster import NEVER_MS, store_options
from tests.support.launched import ROOT, Launched


@pytest.mark.verify
def test_a_game_of_every_dialect_is_played_to_its_end_and_checked(tmp_path: Path) -> None:
    env = {"TAVOLATA_STORE_DOWN_AFTER_MS": str(NEVER_MS)}
    with Launched(tmp_path / "data", *store_options(), module="deploy.cli", env=env) as launched:
        words = ["--data", str(launched.data), "--mix", "--rooms", "16", "--games", "1"]
        load = subprocess.run(
            [sys.executable, "-m", "deploy.cli", "load", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert load.returncode == 0, load.stdout + load.stderr
