"""`tavolata new-game` writes a package that works, and `tavolata dev` follows its changes."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy import check_game, dev, new_game
from deploy.dev import GameWatcher
from deploy.errors import CommandError
from tests.support.waiting import eventually_async

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, which has the package `four_in_row`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    new_game.write("four_in_row", tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "four_in_row"]:
        del sys.modules[name]


def test_a_written_game_keeps_the_contract(folder: Path) -> None:
    game = check_game.load("four_in_row")
    assert (game.name, game.title) == ("four-in-row", "Four In Row")
    assert sum(1 for _ in check_game.check(game, 2)) == 2


@pytest.mark.slow
def test_the_tests_of_a_written_game_pass(folder: Path) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "four_in_row"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("name", "text"), [("4x", "a letter first"), ("Chess", "lower case"), ("json", "already"), ("a-b", "lower case")]
)
def test_a_name_that_cannot_be_used_is_refused(name: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=text):
        new_game.write(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten(folder: Path) -> None:
    with pytest.raises(CommandError, match="exists already"):
        new_game.write("four_in_row", folder)


class RecordingSupervisor:
    def __init__(self) -> None:
        self.restarted: list[str] = []

    def restart(self, role: str) -> None:
        self.restarted.append(role)


@pytest.mark.slow
async def test_workers_are_restarted_when_the_game_has_changed_and_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "POLL_S", 0.01)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(folder))))
    supervisor, reports = RecordingSupervisor(), list[str]()
    watcher = GameWatcher("four_in_row", supervisor, reports.append)
    watching = asyncio.create_task(watcher.watch())
    rules = folder / "four_in_row" / "game.py"
    text = rules.read_text()
    rules.write_text(text + "oops = (\n")
    await eventually_async(lambda: len(reports) == 1, "the error is reported", 60)
    assert "the old rules go on: four_in_row cannot be imported: SyntaxError" in reports[0]
    assert supervisor.restarted == []
    rules.write_text(text + "# changed\n")
    await eventually_async(lambda: len(reports) == 2, "the change is reported", 60)
    assert "keeps the contract" in reports[1]
    assert supervisor.restarted == ["worker"]
    watching.cancel()


def test_the_files_of_a_package_without_its_tests_and_of_a_module_are_watched(folder: Path) -> None:
    assert [path.name for path in dev.sources("four_in_row")] == ["__init__.py", "game.py"]
    (folder / "single.py").write_text("")
    assert [path.name for path in dev.sources("single")] == ["single.py"]
