"""Stones, the example game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conformance import check_every_option, play
from shared.errors import Rejected
from shared.games.stones import (
    GAME,
    Options,
    Started,
    State,
    Take,
    Taken,
    decide,
    evolve,
    options,
    outcome,
    turn,
)
from shared.ids import Seat
from tavolata.testing import CommandRefused, GameTable
from tavolata.testing.rooms import GameRoom

A, B, C = Seat(0), Seat(1), Seat(2)


def position(left: int, *seats: Seat) -> State:
    return evolve(State(), Started(left, seats or (A, B)))


@given(st.sampled_from(GAME.seats), st.integers(0, 2**62), st.integers(1, 30), st.booleans())
def test_any_game_keeps_the_contract(seats: int, seed: int, pile: int, smart: bool) -> None:
    play(GAME, seats, seed, options=Options(pile), smart=smart)


@pytest.mark.parametrize("stones", [1, 21, 1_000_000, 2_000_000_000])
def test_a_game_begins_with_the_stones_of_the_table(stones: int) -> None:
    assert GameTable(GAME, 2, options={"stones": stones}).state.stones == stones


@pytest.mark.parametrize("stones", [-5, 0, 2_000_000_001, 10**30])
def test_a_table_without_stones_or_with_too_many_is_refused(stones: int) -> None:
    room = GameRoom(GAME, 2, options={"stones": stones})
    with pytest.raises(CommandRefused, match="stones") as refused:
        room.enter("ada")
    assert refused.value.code == "room/bad_options"


@pytest.mark.parametrize("seats", GAME.seats)
def test_everything_that_is_offered_is_accepted(seats: int) -> None:
    assert check_every_option(GAME, seats, 1) > 20


@given(st.integers(0, 20), st.integers(-5, 25), st.sampled_from((A, B)))
def test_exactly_what_is_offered_is_accepted(left: int, count: int, seat: Seat) -> None:
    state = position(left)
    accepted = not isinstance(decide(state, seat, Take(count)), Rejected)
    assert accepted == (Take(count) in options(state, seat))


def test_the_first_seat_begins() -> None:
    assert turn(position(5, B, C)) == (B,)


def test_seats_take_turns() -> None:
    assert turn(evolve(position(5, A, B, C), Taken(A, 1))) == (B,)


def test_after_the_last_seat_comes_the_first() -> None:
    state = position(9, A, C)
    for seat in (A, C):
        state = evolve(state, Taken(seat, 1))
    assert turn(state) == (A,)


def test_the_seat_that_takes_the_last_stone_wins() -> None:
    result = outcome(evolve(position(2), Taken(A, 2)))
    assert result is not None
    assert result.winners == (A,)


@pytest.mark.parametrize(
    ("left", "seat", "count", "code"),
    [
        (5, B, 1, "game/not_your_turn"),
        (5, A, 0, "game/illegal"),
        (5, A, 4, "game/illegal"),
        (2, A, 3, "game/illegal"),
        (5, A, -1, "game/illegal"),
    ],
)
def test_commands_that_the_rules_forbid_are_refused(left: int, seat: Seat, count: int, code: str) -> None:
    refusal = decide(position(left), seat, Take(count))
    assert isinstance(refusal, Rejected)
    assert refusal.code == code


def test_moves_after_the_end_are_refused() -> None:
    refusal = decide(evolve(position(1), Taken(A, 1)), B, Take(1))
    assert isinstance(refusal, Rejected)
    assert refusal.code == "game/over"


@pytest.mark.parametrize(("pile", "games"), [(1, 1), (2, 2), (3, 4), (4, 7), (5, 13), (10, 274)])
def test_there_are_so_many_games_with_so_many_stones(pile: int, games: int) -> None:
    def count(state: State) -> int:
        if outcome(state) is not None:
            return 1
        (seat,) = turn(state)
        return sum(count(evolve(state, Taken(seat, command.count))) for command in options(state, seat))

    assert count(position(pile)) == games
