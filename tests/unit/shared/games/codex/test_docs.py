"""docs/games/codex.md says what the code does."""

import json
import re
from pathlib import Path
from typing import get_args

import msgspec

from shared.games.codex.commands import Command
from shared.games.codex.events import Event, PlayerFound, PlayerLost
from shared.games.codex.refusals import CODES
from shared.games.codex.setup import Options
from shared.games.codex.views import View

PAGE = (Path(__file__).parents[5] / "docs" / "games" / "codex.md").read_text()
BLOCKS = [block.strip().splitlines() for block in re.findall(r"```json\n(.*?)```", PAGE, re.S)]


def test_every_code_is_documented_and_no_other() -> None:
    assert set(re.findall(r"`(codex/\w+)`", PAGE)) == set(CODES)


def test_the_options_are_documented_with_their_defaults() -> None:
    for name, default in msgspec.to_builtins(Options()).items():
        assert f"| `{name}` | {default} |" in PAGE


def test_every_command_has_an_example() -> None:
    commands = [msgspec.json.decode(line, type=Command) for line in BLOCKS[0]]
    assert {type(command) for command in commands} == set(get_args(Command))
    assert [msgspec.to_builtins(command) for command in commands] == [json.loads(line) for line in BLOCKS[0]]


def test_every_event_that_is_told_has_an_example() -> None:
    events = [msgspec.json.decode(line, type=Event) for line in BLOCKS[1]]
    assert {type(event) for event in events} == set(get_args(Event)) - {PlayerLost, PlayerFound}
    assert [json.loads(msgspec.json.encode(event)) for event in events] == [json.loads(line) for line in BLOCKS[1]]


def test_the_view_has_an_example() -> None:
    (line,) = BLOCKS[2]
    assert json.loads(msgspec.json.encode(msgspec.json.decode(line, type=View))) == json.loads(line)
