"""docs/operations.md is complete: settings, metrics, commands, paths."""

import re

import pytest

from deploy import settings_reference
from deploy.cli import app
from tests.support.launched import ROOT
from tests.unit.deploy.test_compose import METRICS

BEGIN = "<!-- settings: `tavolata settings --markdown` -->\n"
END = "<!-- end of settings -->\n"


@pytest.fixture(scope="module")
def document() -> str:
    return (ROOT / "docs" / "operations.md").read_text()


def test_the_tables_of_settings_are_generated_from_the_code(document: str) -> None:
    assert document.partition(BEGIN)[2].partition(END)[0] == settings_reference.markdown()


def test_every_metric_is_explained(document: str) -> None:
    assert set(re.findall(r"^\| `(tavolata_\w+)", document, re.MULTILINE)) == METRICS


def test_every_variable_that_is_mentioned_exists(document: str) -> None:
    known = {name for _, rows in settings_reference.sections() for name, _, _ in rows}
    assert set(re.findall(r"\bTAVOLATA_[A-Z_]+\b", document)) <= known


def test_every_command_is_mentioned(document: str) -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert all(f"tavolata {verb}" in document for verb in verbs)


def test_every_path_that_is_mentioned_exists(document: str) -> None:
    for path in re.findall(r"`((?:deploy|docs)/[\w./-]+)`", document):
        assert (ROOT / path).exists(), path
