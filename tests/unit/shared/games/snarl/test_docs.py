"""The examples in the docs of the game are correct."""

import re
from pathlib import Path

import msgspec

from shared.games.snarl.commands import Command
from shared.games.snarl.events import Event
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.level_checks import check_levels
from shared.games.snarl.levels import read_levels
from shared.games.snarl.setup import Options

PAGE = (Path(__file__).parents[5] / "docs" / "games" / "snarl.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_level_file_on_the_page_can_be_played() -> None:
    block = "\n".join(line for line in section("Level files").splitlines() if line.startswith("    ") or not line)
    check_levels(read_levels(block))


def test_the_commands_on_the_page_are_commands() -> None:
    shown = re.findall(r"\{.*?\}", section("Commands"))
    assert len(shown) == 2
    for text in shown:
        msgspec.json.decode(text, type=Command)


def test_the_page_lists_every_option_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| `?([^|`]+)`? \|", section("Options"), re.MULTILINE))
    actual = {**msgspec.to_builtins(Options()), "house": {}, **msgspec.to_builtins(HouseRules())}
    assert {name: msgspec.json.decode(value) for name, value in listed.items()} == actual


def test_the_page_lists_every_event() -> None:
    tags = {event.__struct_config__.tag for event in Event.__args__}
    assert set(re.findall(r"`([a-z]+_[a-z]+)`", section("Events"))) - {"fold"} == tags
