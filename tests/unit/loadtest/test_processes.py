"""The CPU meter on a made-up /proc."""

import json
from pathlib import Path

import pytest

from loadtest.measure.processes import Meter, role_of, roles, usage


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    return tmp_path / "proc"


def put(proc: Path, pid: int, ticks: int, start: int = 5, pages: int = 10) -> None:
    """A process that has used so many hundredths of a second, half of them in the kernel."""
    parts = ["S", *["0"] * 10, str(ticks // 2), str(ticks - ticks // 2), *["0"] * 6, str(start), "0", str(pages), "0"]
    folder = proc / str(pid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stat").write_text(f"{pid} (odd) name) {' '.join(parts)}\n")


def cluster(data: Path, *processes: tuple[str, int]) -> None:
    listed = [{"role": role, "pid": pid, "port": None} for role, pid in processes]
    (data / "cluster.json").write_text(json.dumps({"url": "x", "processes": listed}))


def test_a_line_of_proc_is_read(proc: Path) -> None:
    put(proc, 7, 250)
    seen = usage(7, proc)
    assert seen is not None
    assert seen.cpu_s == 2.5
    assert seen.rss_bytes > 0
    assert usage(8, proc) is None


def test_time_is_summed_by_role_from_the_mark_on(proc: Path, tmp_path: Path) -> None:
    cluster(tmp_path, ("supervisor", 1), ("gateway", 2), ("gateway", 3), ("valkey", 4))
    for pid, ticks in ((1, 900), (2, 100), (3, 100), (4, 50)):
        put(proc, pid, ticks)
    meter = Meter(tmp_path, {}, proc)
    meter.mark()
    for pid, ticks in ((1, 999), (2, 150), (3, 120), (4, 60)):
        put(proc, pid, ticks)
    meter.sample()
    assert meter.spent() == pytest.approx({"gateway": 0.7, "valkey": 0.1})


def put_machine(proc: Path, total: int, stolen: int) -> None:
    proc.mkdir(parents=True, exist_ok=True)
    (proc / "stat").write_text(f"cpu  {total - stolen} 0 0 0 0 0 0 {stolen} 0 0\ncpu0 1 2 3\n")


def test_time_that_went_to_others_is_a_share_of_all_from_the_mark_on(proc: Path, tmp_path: Path) -> None:
    meter = Meter(tmp_path, {}, proc)
    put_machine(proc, 1_000, 900)
    meter.mark()
    put_machine(proc, 1_400, 940)
    meter.sample()
    assert meter.stolen() == pytest.approx(0.1)


@pytest.mark.parametrize("text", ["", "cpu 1 2 3\n", "nonsense\n"])
def test_where_the_machine_says_nothing_of_it_no_time_is_stolen(proc: Path, tmp_path: Path, text: str) -> None:
    meter = Meter(tmp_path, {}, proc)
    meter.mark()
    proc.mkdir()
    (proc / "stat").write_text(text)
    meter.sample()
    assert meter.stolen() == 0


def test_a_process_that_was_started_again_counts_with_its_predecessor(proc: Path, tmp_path: Path) -> None:
    cluster(tmp_path, ("worker", 2))
    put(proc, 2, 100)
    meter = Meter(tmp_path, {}, proc)
    meter.mark()
    put(proc, 2, 130)
    meter.sample()
    cluster(tmp_path, ("worker", 9))
    put(proc, 9, 40)
    meter.sample()
    put(proc, 2, 10, start=77)
    cluster(tmp_path, ("worker", 2))
    meter.sample()
    assert meter.spent() == pytest.approx({"worker": 0.8})


def test_without_a_cluster_nothing_is_seen(proc: Path, tmp_path: Path) -> None:
    meter = Meter(tmp_path, {}, proc)
    meter.mark()
    assert meter.spent() == {}
    (tmp_path / "cluster.json").write_text("half")
    assert roles(tmp_path, {}) == {}


def test_named_processes_win(tmp_path: Path) -> None:
    cluster(tmp_path, ("worker", 2))
    assert roles(tmp_path, {5: "gateway"}) == {5: "gateway"}


@pytest.mark.parametrize(
    ("command", "role"),
    [
        ("python\0-m\0gateway", "gateway"),
        ("/x/python\0-m\0worker", "worker"),
        ("/opt/valkey-server *:6379", "valkey"),
        ("redis-server *:6379", "valkey"),
        ("bash", "other"),
    ],
)
def test_a_role_is_guessed(proc: Path, command: str, role: str) -> None:
    (proc / "3").mkdir(parents=True)
    (proc / "3" / "cmdline").write_text(command)
    assert role_of(3, proc) == role


def test_the_tools_own_time_is_counted_since_the_mark(
    proc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked = iter((3.0, 5.5))
    monkeypatch.setattr("loadtest.measure.processes.time.process_time", lambda: next(worked))
    meter = Meter(tmp_path, {}, proc)
    meter.mark()
    meter.sample()
    assert meter.tool() == 2.5
