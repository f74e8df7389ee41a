"""The command: exit codes, and what is printed and written."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadtest.__main__ import app
from tests.unit.loadtest.fake import Fake

NOWHERE = ["--url", "ws://127.0.0.1:1"]


class Served:
    """A fake server in a thread of its own: the command runs a loop itself."""

    def __init__(self, fake: Fake) -> None:
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
def served(request: pytest.FixtureRequest) -> Iterator[Fake]:
    server = Served(getattr(request, "param", None) or Fake())
    server.start()
    yield server.fake
    server.stop()


def test_a_good_run_says_so_and_writes_its_figures(served: Fake, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    words = ["--url", served.url, "--rooms", "2", "--games", "1", "--options", '{"stones": 9}', "--json", str(figures)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "all good: 0 holes, 0 repeats, 0 disorder, 0 lost" in result.output
    found = json.loads(figures.read_text())
    assert found["good"] is True
    assert found["games_finished"] == 2
    assert found["findings"]["lost"] == 0


def test_a_run_over_time_says_what_it_measured(served: Fake) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--rooms", "2", "--duration", "0.2"])
    assert result.exit_code == 0, result.output
    for word in ("moves per second", "p99.9", "longest pause", "cpu per move"):
        assert word in result.output


@pytest.mark.parametrize("served", [Fake(refuse="game/unknown")], indirect=True)
def test_a_bad_run_has_exit_code_1(served: Fake) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--rooms", "1", "--games", "1"])
    assert result.exit_code == 1
    assert "game/unknown" in result.output


def test_no_server_is_one_line_and_exit_code_1() -> None:
    result = CliRunner().invoke(app, NOWHERE)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == ["tavolata: no server at 127.0.0.1:1 (Connection refused)"]


@pytest.mark.parametrize(
    "words",
    [
        ["--url", "ftp://x"],
        ["--options", "{"],
        ["--dialect", "klingon"],
        ["--rooms", "0"],
        ["--pids", "x"],
        ["stray"],
        ["--tcp", "nonsense"],
        ["--tcp"],
    ],
)
def test_a_wrong_option_has_exit_code_2(words: list[str]) -> None:
    result = CliRunner().invoke(app, [*NOWHERE, *words])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_idle_sessions_are_counted(served: Fake) -> None:
    result = CliRunner().invoke(app, ["--url", served.url, "--idle", "7", "--data", "/nowhere"])
    assert result.exit_code == 0, result.output
    assert "7 idle sessions opened, 0 failed" in result.output
