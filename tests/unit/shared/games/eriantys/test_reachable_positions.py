"""Fixed-seed counts of reachable positions: a change of the rules shows as a change of these numbers."""

import pytest

from shared.errors import Rejected
from shared.game import Table
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.setup import Options
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import board, with_view
from tests.unit.shared.games.eriantys.test_whole_games import midgame


def reachable(state: State, depth: int) -> list[int]:
    """The numbers of different positions after one command, after two, ..."""
    counts, front = [], {state}
    for _ in range(depth):
        after = set()
        for position in front:
            for seat in GAME.turn(position):
                for command in GAME.options(position, seat):
                    events = GAME.decide(position, seat, command)
                    assert not isinstance(events, Rejected)
                    following = position
                    for event in events:
                        following = GAME.evolve(following, event)
                    after.add(following)
        front = after
        counts.append(len(front))
    return counts


def beginning(players: int, seed: int) -> State:
    seats = tuple(map(Seat, range(players)))
    state = GAME.empty
    for event in GAME.setup(Table(Options(), seats, seats, seed)):
        state = GAME.evolve(state, event)
    return state


@pytest.mark.parametrize(
    ("players", "depth", "expected"),
    [(2, 3, [10, 90, 4680]), (3, 3, [10, 90, 720]), (4, 4, [10, 90, 720, 5040])],
)
def test_positions_from_the_beginning(players: int, depth: int, expected: list[int]) -> None:
    assert reachable(beginning(players, 11), depth) == expected


@pytest.mark.parametrize(
    ("seed", "steps", "expected"),
    [(21, 13, [1, 9]), (22, 18, [39, 689]), (23, 30, [42, 897]), (24, 44, [65, 1693])],
)
def test_positions_in_mid_game(seed: int, steps: int, expected: list[int]) -> None:
    assert reachable(midgame(2, True, seed, steps, rich=True), 2) == expected


@pytest.mark.parametrize(
    ("cards", "expected"),
    [((1, 2, 3), [57, 278]), ((4, 5, 6), [19, 83]), ((7, 8), [94, 324]), ((9, 11, 12), [23, 94]), ((10,), [68, 235])],
)
def test_the_number_of_positions_after_characters_is_known(cards: tuple[int, ...], expected: list[int]) -> None:
    state = board(cards=cards, phase=Phase.MOTHER, halls={0: (2, 3, 0, 1, 9), 1: (2, 1, 1, 0, 0)})
    state = with_view(state, professors=(Seat(1), Seat(0), Seat(1), Seat(0), Seat(0)))
    assert reachable(state, 2) == expected
