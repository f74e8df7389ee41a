"""The guide for game authors: its examples are a game that works, with imports of the public package alone."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tavolata.testing import GameTable
from tavolata.testing.rooms import GameRoom

ROOT = Path(__file__).parents[3]
GUIDES = ("docs/games/adding-a-game.md", "docs/clients/python.md")


@pytest.mark.parametrize("path", ["docs/games/adding-a-game.md", "shared/games/stones.py"])
def test_authors_are_shown_imports_of_the_public_package_only(path: str) -> None:
    text = (ROOT / path).read_text()
    assert re.search(r"^from tavolata import ", text, re.M)
    assert not re.findall(r"^(?:from|import) (?:shared|worker|gateway|deploy|loadtest)\b.*", text, re.M)


def examples(guide: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / guide).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_examples_of_the_guides_satisfy_a_strict_type_checker(tmp_path: Path) -> None:
    programs = ["\n".join(examples(GUIDES[0])), *examples(GUIDES[1])]
    for number, program in enumerate(programs):
        (tmp_path / f"program{number}.py").write_text(program)
    words = [sys.executable, "-m", "mypy", "--strict", *map(str, tmp_path.iterdir())]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_examples_of_the_guide_are_a_game_that_passes_its_own_tests() -> None:
    module: dict[str, Any] = {}
    exec("\n".join(examples(GUIDES[0])), module)
    tests = [value for name, value in module.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
    assert GameTable(module["GAME"], 3).finish().reason == "last_stone"


def test_the_timer_of_the_guide_gives_every_turn_its_whole_time() -> None:
    module: dict[str, Any] = {}
    exec("\n".join(examples(GUIDES[0])), module)
    game = dataclasses.replace(module["GAME"], timers=module["timers"], notice=module["notice"])
    room = GameRoom(game, seats=2)
    room.enter("ada")
    room.enter("bob")
    room.advance(15_000)
    room.act("ada", module["Take"](1))
    room.advance(19_000)
    assert room.view()["game"]["stones"] == 20
    room.advance(2_000)
    assert room.view()["game"]["stones"] == 19
