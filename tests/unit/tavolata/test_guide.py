"""The guide for game authors and the example game import the public package and nothing else of the cluster."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", ["docs/games/adding-a-game.md", "shared/games/stones.py"])
def test_authors_are_shown_imports_of_the_public_package_only(path: str) -> None:
    text = (ROOT / path).read_text()
    assert re.search(r"^from tavolata import ", text, re.M)
    assert not re.findall(r"^(?:from|import) (?:shared|worker|gateway|deploy|loadtest)\b.*", text, re.M)
