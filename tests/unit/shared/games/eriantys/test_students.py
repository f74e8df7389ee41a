"""Moving students in Eriantys: dining rooms, islands, professors and coins."""

import pytest

from shared.games.eriantys.commands import ChooseColor, MoveToHall, MoveToIsland, PlayCharacter
from shared.games.eriantys.dining_rooms import leader
from shared.games.eriantys.events import CoinTaken, PhaseBegan, ProfessorTaken, StudentToHall, StudentToIsland
from shared.games.eriantys.pieces import Phase
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import G, R, Y, board, do, events_of, refusal, with_seat, with_view

FIRST, SECOND = Seat(0), Seat(1)


def test_a_student_goes_to_the_row_of_its_colour_and_takes_the_professor() -> None:
    assert events_of(board(), MoveToHall(G)) == (StudentToHall(FIRST, G), ProfessorTaken(G, FIRST))


def test_a_student_on_an_island_changes_nothing_else() -> None:
    state = board()
    assert events_of(state, MoveToIsland(R, 12)) == (StudentToIsland(FIRST, R, 12),)
    after = do(state, MoveToIsland(R, 12)).view
    assert after.tiles[11].students == (0, 1, 0, 0, 0)
    assert after.players[0].entrance == (2, 1, 1, 1, 1)


def test_a_full_row_a_missing_student_and_a_missing_island_are_refused() -> None:
    assert refusal(board(halls={0: (10, 0, 0, 0, 0)}), MoveToHall(G)) == "eriantys/row_full"
    bare = with_seat(board(), 0, entrance=(0, 1, 1, 1, 1))
    assert refusal(bare, MoveToHall(G)) == "eriantys/no_student"
    assert refusal(bare, MoveToIsland(G, 1)) == "eriantys/no_student"
    assert refusal(board(), MoveToIsland(G, 0)) == "eriantys/no_such_island"
    assert refusal(board(), MoveToIsland(G, 13)) == "eriantys/no_such_island"


@pytest.mark.parametrize(("players", "moves"), [(2, 3), (3, 4), (4, 3)])
def test_exactly_three_or_four_students_are_moved(players: int, moves: int) -> None:
    state = board(players)
    for left in range(moves, 0, -1):
        assert state.view.moves == left
        assert state.view.phase is Phase.STUDENTS
        state = do(state, MoveToIsland(next(c for c in (G, R) if state.view.players[0].entrance[(G, R).index(c)]), 1))
    assert state.view.phase is Phase.MOTHER
    assert refusal(state, MoveToHall(Y)) == "eriantys/wrong_phase"


def test_the_moves_left_are_a_counter_of_their_own() -> None:
    """A swap leaves the entrance as large as it was; so the counter cannot be read off the entrance."""
    assert events_of(with_view(board(), moves=1), MoveToIsland(G, 1))[-1] == PhaseBegan(Phase.MOTHER)


@pytest.mark.parametrize(
    ("rows", "owner", "expected"),
    [
        ((0, 0, 0), None, None),
        ((0, 0, 0), 1, 1),
        ((1, 0, 0), None, 0),
        ((2, 2, 0), 1, 1),
        ((2, 2, 0), 2, 2),
        ((3, 2, 0), 1, 0),
        ((1, 3, 2), 2, 1),
    ],
)
def test_professors_by_the_rule(rows: tuple[int, ...], owner: int | None, expected: int | None) -> None:
    state = board(3, halls={seat: (number, 0, 0, 0, 0) for seat, number in enumerate(rows)})
    owners = (None if owner is None else Seat(owner), None, None, None, None)
    assert leader(with_view(state, professors=owners).view, G) == expected


def test_a_tie_does_not_take_the_professor_and_one_more_does() -> None:
    state = with_view(board(halls={1: (1, 0, 0, 0, 0)}), professors=(SECOND, None, None, None, None))
    once = do(state, MoveToHall(G))
    assert once.view.professors[0] == SECOND
    assert do(once, MoveToHall(G)).view.professors[0] == FIRST


def test_a_team_mates_students_do_not_count_for_a_professor() -> None:
    state = board(4, halls={2: (1, 0, 0, 0, 0), 1: (2, 0, 0, 0, 0)})
    state = with_view(state, professors=(SECOND, None, None, None, None))
    assert do(state, MoveToHall(G), MoveToHall(G)).view.professors[0] == SECOND


@pytest.mark.parametrize("row", range(10))
def test_every_third_place_earns_a_coin(row: int) -> None:
    events = events_of(board(cards=(2,), halls={0: (row, 0, 0, 0, 0)}), MoveToHall(G))
    assert (CoinTaken(FIRST) in events) is ((row + 1) in (3, 6, 9))


def test_an_empty_bank_pays_nothing_and_a_simple_game_has_no_coins() -> None:
    rich = with_view(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}), bank=0)
    assert CoinTaken(FIRST) not in events_of(rich, MoveToHall(G))
    assert CoinTaken(FIRST) not in events_of(board(halls={0: (2, 0, 0, 0, 0)}), MoveToHall(G))


def test_a_place_that_was_emptied_pays_again() -> None:
    state = board(cards=(12,), halls={0: (2, 0, 0, 0, 0)})
    state = do(state, MoveToHall(G))
    assert state.view.players[0].coins == 11
    state = do(state, PlayCharacter(12, ChooseColor(G)))
    assert state.view.players[0].hall[0] == 0
    refilled = with_seat(state, 0, hall=(2, 0, 0, 0, 0))
    assert CoinTaken(FIRST) in events_of(refilled, MoveToHall(G))
