"""The jester and the minstrel of Eriantys: swaps, all at once."""

import pytest

from shared.games.eriantys.commands import (
    ActivateCharacter,
    Exchange,
    PlayCharacter,
)
from shared.games.eriantys.events import (
    CardSwapped,
    CoinTaken,
    HallSwapped,
    ProfessorTaken,
)
from shared.games.eriantys.pieces import NO_STUDENTS, Phase
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import (
    B,
    G,
    P,
    R,
    Y,
    board,
    do,
    events_of,
    refusal,
    with_seat,
    with_view,
)

FIRST, SECOND = Seat(0), Seat(1)


def swap(given: tuple[int, ...], taken: tuple[int, ...]) -> Exchange:
    return Exchange(given, taken)  # type: ignore[arg-type]


# --- 7 jester --------------------------------------------------------------------------------------------------------


def test_the_jester_swaps_up_to_three_at_once_without_a_draw() -> None:
    state = board(cards=(7,))
    command = PlayCharacter(7, swap((1, 1, 1, 0, 0), (0, 0, 0, 1, 1)))
    assert refusal(state, command) == "eriantys/swap_count"
    three = PlayCharacter(7, swap((1, 2, 0, 0, 0), (0, 0, 1, 1, 1)))
    assert events_of(state, three)[2:] == (
        CardSwapped(FIRST, 7, Y, G),
        CardSwapped(FIRST, 7, P, R),
        CardSwapped(FIRST, 7, B, R),
    )
    after = do(state, three).view
    assert after.players[0].entrance == (1, 0, 2, 2, 2)
    assert after.characters[0].students == (3, 3, 0, 0, 0)
    assert after.bag == state.view.bag


@pytest.mark.parametrize(
    ("given", "taken", "code"),
    [
        ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), "swap_count"),
        ((2, 2, 0, 0, 0), (2, 1, 1, 0, 0), "swap_count"),
        ((1, 0, 0, 0, 0), (1, 1, 0, 0, 0), "swap_count"),
        ((3, 0, 0, 0, 0), (1, 1, 1, 0, 0), "no_student"),
        ((1, 0, 0, 0, 0), (0, 2, 0, 0, 0), "swap_count"),
        ((1, 1, 0, 0, 0), (0, 2, 0, 0, 0), "no_student"),
        ((-1, 0, 1, 0, 1), (1, 0, 0, 0, 0), "bad_arguments"),
    ],
)
def test_the_jesters_students_must_be_there_and_equal_in_number(
    given: tuple[int, ...], taken: tuple[int, ...], code: str
) -> None:
    assert refusal(board(cards=(7,)), PlayCharacter(7, swap(given, taken))) == "eriantys/" + code


def test_a_colour_on_both_sides_is_swapped_with_itself() -> None:
    state = board(cards=(7,))
    command = PlayCharacter(7, swap((1, 1, 0, 0, 0), (1, 0, 1, 0, 0)))
    assert events_of(state, command)[2:] == (CardSwapped(FIRST, 7, Y, R),)
    assert events_of(state, PlayCharacter(7, swap((1, 0, 0, 0, 0), (1, 0, 0, 0, 0))))[2:] == ()


def test_the_jester_needs_an_entrance() -> None:
    state = with_seat(board(phase=Phase.MOTHER, cards=(7,)), 0, entrance=NO_STUDENTS)
    assert refusal(state, ActivateCharacter(7)) == "eriantys/card_useless"


# --- 10 minstrel -----------------------------------------------------------------------------------------------------


def minstrel(*hall: int) -> State:
    return board(cards=(10,), halls={0: hall})  # type: ignore[dict-item]


def test_the_minstrel_swaps_up_to_two_with_coins_and_professors() -> None:
    state = with_view(minstrel(0, 2, 1, 0, 0), professors=(None, FIRST, FIRST, None, None))
    one = events_of(state, PlayCharacter(10, swap((0, 1, 0, 0, 0), (0, 0, 1, 0, 0))))
    assert one[2:] == (HallSwapped(FIRST, R, Y), CoinTaken(FIRST))
    two = do(state, PlayCharacter(10, swap((2, 0, 0, 0, 0), (0, 1, 1, 0, 0)))).view
    assert two.players[0].hall == (2, 1, 0, 0, 0)
    assert two.professors[0] == FIRST
    assert two.professors[2] == FIRST


def test_a_professor_goes_to_a_sole_leader_when_the_owners_row_shrinks() -> None:
    state = with_seat(minstrel(0, 2, 0, 0, 0), 1, hall=(0, 2, 0, 0, 0))
    state = with_view(state, professors=(None, FIRST, None, None, None))
    after = events_of(state, PlayCharacter(10, swap((1, 0, 0, 0, 0), (0, 1, 0, 0, 0))))
    assert ProfessorTaken(R, SECOND) in after


def test_the_minstrels_equal_colours_change_nothing_and_earn_nothing() -> None:
    assert events_of(minstrel(3, 0, 0, 0, 0), PlayCharacter(10, swap((1, 0, 0, 0, 0), (1, 0, 0, 0, 0))))[2:] == ()


@pytest.mark.parametrize(
    ("hall", "given", "taken", "code"),
    [
        ((10, 1, 0, 0, 0), (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), "row_full"),
        ((9, 2, 0, 0, 0), (2, 0, 0, 0, 0), (0, 2, 0, 0, 0), "row_full"),
        ((0, 2, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 1, 0, 0), "no_student"),
        ((0, 3, 0, 0, 0), (2, 0, 1, 0, 0), (0, 3, 0, 0, 0), "swap_count"),
        ((0, 1, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 2, 0, 0), "swap_count"),
    ],
)
def test_a_swap_of_the_minstrel_beyond_its_limits_is_refused(
    hall: tuple[int, ...], given: tuple[int, ...], taken: tuple[int, ...], code: str
) -> None:
    assert refusal(minstrel(*hall), PlayCharacter(10, swap(given, taken))) == "eriantys/" + code


def test_a_full_row_may_be_swapped_with_itself() -> None:
    assert events_of(minstrel(10, 1, 0, 0, 0), PlayCharacter(10, swap((1, 0, 0, 0, 0), (1, 0, 0, 0, 0))))


def test_the_minstrel_needs_a_dining_room_and_an_entrance() -> None:
    assert refusal(minstrel(0, 0, 0, 0, 0), ActivateCharacter(10)) == "eriantys/card_useless"
    bare = with_seat(with_view(minstrel(1, 0, 0, 0, 0), phase=Phase.MOTHER), 0, entrance=NO_STUDENTS)
    assert refusal(bare, ActivateCharacter(10)) == "eriantys/card_useless"
