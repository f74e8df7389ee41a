"""The final view of a `play` client in the form of the other dialects."""

from functools import reduce
from typing import Any

import msgspec

from loadtest.checks.comparable import comparable
from shared.game import Table
from shared.games.eriantys.game import GAME
from shared.ids import Seat

NAMES = {0: "ada", 1: "bob"}


def ending(*names: str) -> dict[str, Any]:
    return {"type": "room.ended", "winners": [0], "names": list(names)}


def opening() -> Any:
    """The first view of a game of Eriantys, as plain JSON values."""
    seats = (Seat(0), Seat(1))
    options = msgspec.convert({"expert": True}, GAME.options_type)
    choices: dict[Seat, dict[str, Any]] = {}
    for seat in seats:
        choice = GAME.admit(options, 2, choices, seat, {})
        assert isinstance(choice, dict)
        choices[seat] = choice
    state = reduce(GAME.evolve, GAME.setup(Table(options, seats, seats, 7, choices)), GAME.empty)
    return msgspec.json.decode(msgspec.json.encode(GAME.view(state, None)))


def test_a_view_of_eriantys_has_the_form_of_its_dialects() -> None:
    result, board = comparable("eriantys", opening(), NAMES, ending("bob"))
    assert result == ["bob"]
    assert [person[0] for person in board["people"]] == ["ada", "bob"]
    assert len(board["islands"]) == 12
    assert len(board["clouds"]) == 2
    assert len(board["cards"]) == 3


def test_a_shared_victory_of_eriantys_has_no_winner() -> None:
    result, _ = comparable("eriantys", opening(), NAMES, ending("ada", "bob"))
    assert result == []


def test_private_parts_of_a_view_are_left_out() -> None:
    assert comparable("codex", {"table": 1, "own": 2}, NAMES, ending("ada")) == ({"winners": ["ada"]}, {"table": 1})
    assert comparable("snarl", {"level": 1, "window": 2, "you": 0}, NAMES, ending("ada")) == (["ada"], {"level": 1})


def test_there_is_no_result_before_the_end() -> None:
    assert comparable("eriantys", opening(), NAMES, None) == (None, None)
