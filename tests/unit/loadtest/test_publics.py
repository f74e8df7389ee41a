"""What a play client knows, in the terms of the other dialects."""

from functools import reduce
from typing import Any

import msgspec

from loadtest.checks.comparable import shown
from shared.game import Table
from shared.games.eriantys.game import GAME
from shared.ids import Seat

NAMES = {0: "ada", 1: "bob"}


def ending(*names: str) -> dict[str, Any]:
    return {"type": "room.ended", "winners": [0], "names": list(names)}


def opening() -> Any:
    """The view of a table of Eriantys that was just laid out, as it travels."""
    seats = (Seat(0), Seat(1))
    options = msgspec.convert({"expert": True}, GAME.options_type)
    choices: dict[Seat, dict[str, Any]] = {}
    for seat in seats:
        choice = GAME.admit(options, 2, choices, seat, {})
        assert isinstance(choice, dict)
        choices[seat] = choice
    state = reduce(GAME.evolve, GAME.setup(Table(options, seats, seats, 7, choices)), GAME.empty)
    return msgspec.json.decode(msgspec.json.encode(GAME.view(state, None)))


def test_a_view_of_eriantys_is_shown_as_its_dialects_show_the_board() -> None:
    result, board = shown("eriantys", opening(), NAMES, ending("bob"))
    assert result == ["bob"]
    assert [person[0] for person in board["people"]] == ["ada", "bob"]
    assert len(board["islands"]) == 12
    assert len(board["clouds"]) == 2
    assert len(board["cards"]) == 3


def test_a_shared_victory_of_eriantys_has_no_winner() -> None:
    result, _ = shown("eriantys", opening(), NAMES, ending("ada", "bob"))
    assert result == []


def test_what_only_one_seat_may_know_is_left_out() -> None:
    assert shown("codex", {"table": 1, "own": 2}, NAMES, ending("ada")) == ({"winners": ["ada"]}, {"table": 1})
    assert shown("snarl", {"level": 1, "window": 2, "you": 0}, NAMES, ending("ada")) == (["ada"], {"level": 1})


def test_before_the_end_nothing_is_shown() -> None:
    assert shown("eriantys", opening(), NAMES, None) == (None, None)
