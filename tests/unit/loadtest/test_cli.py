"""The `load` command: exit codes, output and the JSON file."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadtest.__main__ import app
from tests.unit.loadtest.fake_gateway import FakeGateway

NOWHERE = ["--url", "ws://127.0.0.1:1"]


class Served:
    """A fake gateway in its own thread: the command runs its own event loop."""

    def __init__(self, fake: FakeGateway) -> None:
        self.fake = fake
        self._up = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._down = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    async def _serve(self) -> None:
        async with self.fake.listening():
            self._up.set()
            await self._down.wait()

    def start(self) -> None:
        self._thread.start()
        self._up.wait()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._down.set)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[FakeGateway]:
    server = Served(getattr(request, "param", None) or FakeGateway())
    server.start()
    yield server.fake
    server.stop()


def test_a_good_run_prints_the_verdict_and_writes_the_measurements(served: FakeGateway, tmp_path: Path) -> None:
    measured = tmp_path / "measured.json"
    options = [
        "--url",
        served.url,
        "--rooms",
        "2",
        "--games",
        "1",
        "--options",
        '{"stones": 9}',
        "--json",
        str(measured),
    ]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 0, result.output
    assert "all good: 0 holes, 0 repeats, 0 disorder, 0 lost" in result.output
    found = json.loads(measured.read_text())
    assert found["good"] is True
    assert found["games_finished"] == 2
    assert found["findings"]["lost"] == 0


def test_a_run_writes_a_page_and_checks_games_at_once(served: FakeGateway, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    options = ["--rooms", "2", "--games", "2", "--options", '{"stones": 9}', "--check-at-once", "--report", str(page)]
    result = CliRunner().invoke(app, ["--url", served.url, *options])
    assert result.exit_code == 0, result.output
    assert "4 rooms" in result.output
    assert "No violation found" in page.read_text()


def test_a_run_with_a_duration_prints_its_measurements(served: FakeGateway) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--rooms", "2", "--duration", "0.2"])
    assert result.exit_code == 0, result.output
    for title in ("moves per second", "p99.9", "longest pause", "cpu per move"):
        assert title in result.output


@pytest.mark.parametrize("served", [FakeGateway(refuse="game/unknown")], indirect=True)
def test_a_bad_run_has_exit_code_1(served: FakeGateway) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--rooms", "1", "--games", "1"])
    assert result.exit_code == 1
    assert "game/unknown" in result.output


def test_no_server_is_one_line_and_exit_code_1() -> None:
    result = CliRunner().invoke(app, NOWHERE)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == ["tavolata: no server at 127.0.0.1:1 (Connection refused)"]


@pytest.mark.parametrize(
    "options",
    [
        ["--url", "ftp://x"],
        ["--options", "{"],
        ["--dialect", "klingon"],
        ["--rooms", "0"],
        ["--pids", "x"],
        ["unexpected"],
        ["--tcp", "nonsense"],
        ["--tcp"],
        ["--faults", "kill-everything"],
        ["--faults", "kill-worker", "--data", "/nowhere"],
    ],
)
def test_a_wrong_option_has_exit_code_2(options: list[str]) -> None:
    result = CliRunner().invoke(app, [*NOWHERE, *options])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_idle_sessions_are_counted(served: FakeGateway) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--idle", "7", "--data", "/nowhere"])
    assert result.exit_code == 0, result.output
    assert "7 idle sessions opened, 0 failed" in result.output


def test_a_game_that_the_server_does_not_have_is_refused_with_the_games_that_it_has(served: FakeGateway) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--game", "nosuch"])
    assert result.exit_code == 2
    assert "the server has codex, stones, not 'nosuch'" in " ".join(result.output.replace("\u2502", " ").split())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--dialect", "eriantys.am28"], "spoken over TCP only"),
        (["--dialect", "eriantys.am24", "--tcp", "eriantys.am24=1"], "needs --texts"),
        (["--dialect", "eriantys.am24", "--tcp", "eriantys.am24=1", "--texts", "none.json"], "none.json"),
    ],
)
def test_original_programs_need_a_listener_and_its_texts(options: list[str], why: str) -> None:
    result = CliRunner().invoke(app, [*NOWHERE, "--game", "eriantys", *options])
    assert result.exit_code == 2
    assert why in result.output
