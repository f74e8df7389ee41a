"""The tutorial leads from the game that `tavolata new-game` writes to a game that keeps the contract."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import new_game

ROOT = Path(__file__).parents[3]
BLOCKS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "tutorial.md").read_text(), re.MULTILINE | re.DOTALL)


def name_of(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def replaced(text: str, block: str) -> str:
    """The module with the definitions of the block in place of those with the same names."""
    fresh = {name_of(node): ast.get_source_segment(block, node) for node in ast.parse(block).body}
    for node in reversed(ast.parse(text).body):
        found = fresh.pop(name_of(node), None)
        old = ast.get_source_segment(text, node)
        if found is not None:
            assert old is not None
            text = text.replace(old, found)
    assert not fresh, f"the game has no {list(fresh)}"
    return text


def follow_the_tutorial(package: Path) -> None:
    *rules, tests = BLOCKS
    game, test = package / "game.py", package / "test_game.py"
    for path, blocks in ((game, rules), (test, [tests])):
        text = re.sub(r"\bPlace\b", "Drop", path.read_text())
        for block in blocks:
            text = replaced(text, block)
        path.write_text(text.replace('Drop(options[0]["row"], options[0]["column"])', 'Drop(options[0]["column"])'))


@pytest.mark.slow
def test_the_game_of_the_tutorial_passes_its_tests(tmp_path: Path) -> None:
    new_game.write("connect4", tmp_path)
    follow_the_tutorial(tmp_path / "connect4")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "connect4"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
