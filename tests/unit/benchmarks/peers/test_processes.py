"""Server processes of a run, with small programs in their place."""

import sys
from pathlib import Path

import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.processes import ProcessGroup

SERVER = "import signal; print('listening', flush=True); signal.pause()"


def test_all_processes_are_stopped_when_the_group_is_left(tmp_path: Path) -> None:
    with ProcessGroup() as processes:
        started = [processes.start(f"server-{n}", [sys.executable, "-c", SERVER], {}, tmp_path) for n in range(2)]
        for process in started:
            process.wait_for_output("listening")
    assert not any(Path(f"/proc/{process.pid}").exists() for process in started)


def test_a_server_that_ends_at_its_start_is_reported_with_its_output(tmp_path: Path) -> None:
    with ProcessGroup() as processes:
        broken = processes.start("server", [sys.executable, "-c", "raise SystemExit('no port')"], {}, tmp_path)
        with pytest.raises(BenchmarkError, match="no port"):
            broken.wait_for_output("listening")


def test_settings_of_a_cluster_are_not_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_DURABILITY", "applied")
    report = "print('TAVOLATA_DURABILITY' in os.environ, os.environ['PORT'], flush=True)"
    program = f"import os, signal; {report}; signal.pause()"
    with ProcessGroup() as processes:
        process = processes.start("server", [sys.executable, "-c", program], {"PORT": "80"}, tmp_path)
        process.wait_for_output("80")
        assert process.output() == "False 80\n"
