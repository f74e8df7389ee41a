"""A table in memory plays by the rules of its game."""

import pytest
from hypothesis import given

from shared.games.codex.game import GAME as CODEX
from shared.games.stones import GAME, Take, Taken
from tavolata import Seat
from tavolata.testing import CommandRefused, GameTable
from tavolata.testing.strategies import commands, tables


def test_a_command_returns_its_events_and_changes_the_view() -> None:
    table = GameTable(GAME, options={"stones": 5})
    assert table.act(0, Take(2)) == (Taken(Seat(0), 2),)
    assert table.view(1).stones == 3
    assert table.turn == (1,)
    assert table.options(1) == (Take(1), Take(2), Take(3))


def test_a_refused_command_raises_its_code_and_changes_nothing() -> None:
    table = GameTable(GAME)
    with pytest.raises(CommandRefused, match="take 1 to 3") as refused:
        table.act(0, Take(9))
    assert refused.value.code == "game/illegal"
    assert len(table.events) == 1


@pytest.mark.parametrize("seats", CODEX.seats)
def test_bots_play_to_the_end(seats: int) -> None:
    table = GameTable(CODEX, seats, seed=3)
    assert table.finish() == table.outcome
    assert table.turn == ()


def test_events_are_seen_as_the_game_shows_them() -> None:
    table = GameTable(CODEX, 2)
    assert table.seen_by(0) != table.seen_by(1)
    assert table.seen_by(None) != table.events


@given(table=tables(GAME, most_moves=10), command=commands(GAME))
def test_strategies_draw_positions_and_any_command(table: GameTable, command: Take) -> None:
    for seat in table.turn:
        legal = command in table.options(seat)
        before = table.state.stones
        try:
            table.act(seat, command)
        except CommandRefused:
            assert not legal
        else:
            assert table.state.stones == before - command.count


@given(command=commands(CODEX))
def test_strategies_draw_commands_of_every_type(command: object) -> None:
    assert isinstance(command, CODEX.command_type)
