"""docs/protocols/snarl.md agrees with the code."""

import re
from pathlib import Path

import pytest

from gateway.dialects.snarl import SnarlSettings, close_codes
from gateway.dialects.snarl.listener_options import ListenerOptions, with_options
from gateway.transports.close_codes import CloseCode
from tests.unit.gateway.dialects.snarl.test_transcripts import FOLDER

PAGE = (Path(__file__).parents[5] / "docs" / "protocols" / "snarl.md").read_text()


def rows(first_cell: str) -> list[list[str]]:
    """The rows of the table whose first column has this title."""
    table = PAGE.split(f"\n| {first_cell} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in table]


def test_the_complete_game_is_the_recorded_one_with_some_turns_left_out() -> None:
    shown = [line.strip() for line in PAGE.splitlines() if re.match(r"    (S |C |\.\.\.)", line)]
    record = (FOLDER / "one_player.txt").read_text().splitlines()[1:-1]
    recorded = [line.replace("alice < ", "S ", 1).replace("alice > ", "C ", 1) for line in record]
    gap = shown.index("...")
    before, after = shown[:gap], shown[gap + 1 :]
    assert before == recorded[: len(before)]
    assert after == recorded[-len(after) :]


def test_the_page_lists_all_close_codes() -> None:
    codes = {value for value in vars(close_codes).values() if isinstance(value, CloseCode)}
    listed = {CloseCode(int(code), reason, reconnect == "yes") for code, reason, reconnect in rows("close code")}
    assert listed == codes


def test_the_page_lists_all_options_of_a_listener_with_their_defaults() -> None:
    usual = SnarlSettings().listener_options()
    listed = {name: default for name, default, _ in rows("option")}
    for name, default in listed.items():
        if name != "strict":
            assert with_options(usual, {name: default}) == usual
    assert with_options(usual, {"strict": "on"}) == ListenerOptions()
    with pytest.raises(ValueError) as refused:
        with_options(usual, {"?": ""})
    assert str(refused.value).endswith(", ".join(sorted(listed)))


def test_the_page_lists_all_settings_with_their_defaults() -> None:
    listed = {name: default for name, default, _ in rows("variable") if default}
    assert SnarlSettings.from_env(listed, lambda _: None) == SnarlSettings()
    assert len(rows("variable")) == 11
