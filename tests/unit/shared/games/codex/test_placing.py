"""Placing cards: legal places, covered corners, points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conformance import play
from shared.games.codex.area import free_cells, grid_of, obstacle
from shared.games.codex.cards import CARDS
from shared.games.codex.commands import PlaceCard
from shared.games.codex.events import CardPlaced
from shared.games.codex.game import GAME
from shared.games.codex.pieces import BOARD_SIZE, Blank, Face, Placed, Symbol
from shared.games.codex.state import State
from tests.support.examples import fewer_examples
from tests.unit.shared.games.codex.positions import A, B, back, do, front, in_play, refusal, visible

FRONT, BACK = Face.FRONT, Face.BACK
BESIDE = [front(82, 40, 40)]


def table(*area: Placed, hand: tuple[int, ...] = (1, 2, 41)) -> State:
    return in_play({A: list(area), B: BESIDE}, {A: hand})


def shown(state: State) -> dict[Symbol, int]:
    return {symbol: number for symbol, number in state.table.players[A].symbols.items() if number}


def placed(state: State, choice: int, i: int, j: int, face: Face = FRONT) -> tuple[State, CardPlaced]:
    after, events = do(state, A, PlaceCard(choice, i, j, face))
    event = events[0]
    assert isinstance(event, CardPlaced)
    return after, event


def test_a_card_covers_the_corner_under_it_and_adds_its_own() -> None:
    after, _ = placed(table(front(81, 40, 40)), 1, 39, 39)
    assert shown(after) == {Symbol.PLANT: 1, Symbol.INSECT: 1, Symbol.ANIMAL: 1, Symbol.FUNGI: 2}


def test_beside_a_card_nothing_can_lie() -> None:
    state = table(front(81, 40, 40), front(1, 39, 39), hand=(2, 3, 41))
    assert refusal(state, A, PlaceCard(1, 39, 40, FRONT)) == "codex/two_corners"


def test_a_corner_of_an_older_card_can_be_covered_at_the_side() -> None:
    state = table(front(81, 40, 40), front(1, 39, 39), hand=(2, 3, 41))
    after, _ = placed(state, 2, 40, 38, BACK)
    assert shown(after) == {Symbol.PLANT: 1, Symbol.INSECT: 1, Symbol.ANIMAL: 1, Symbol.FUNGI: 2}


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ((38, 40), "codex/no_corner"),
        ((38, 38), None),
        ((38, 42), None),
        ((40, 38), None),
        ((40, 42), "codex/no_corner"),
    ],
)
def test_one_missing_corner_among_the_neighbours_forbids_a_cell(cell: tuple[int, int], code: str | None) -> None:
    area = [front(81, 40, 40), front(3, 39, 39), front(1, 39, 41)]
    assert obstacle(grid_of(area), cell) == code


def test_a_missing_corner_of_the_new_card_may_lie_over_an_open_one() -> None:
    assert CARDS[1].front.corners[3] is Blank.MISSING
    placed(table(front(81, 40, 40)), 1, 39, 39)


def test_the_bare_side_of_a_starting_card_can_be_left_upwards_only() -> None:
    state = table(back(85, 40, 40))
    assert shown(state) == {Symbol.PLANT: 1, Symbol.ANIMAL: 1, Symbol.INSECT: 1}
    assert list(free_cells(grid_of(state.table.players[A].area))) == [(39, 39), (39, 41)]
    assert refusal(state, A, PlaceCard(1, 41, 39, FRONT)) == "codex/no_corner"
    assert refusal(state, A, PlaceCard(1, 41, 41, BACK)) == "codex/no_corner"


def test_a_gold_card_may_cover_what_paid_for_it_and_counts_its_own_object() -> None:
    state = table(front(81, 40, 40), back(2, 41, 39), hand=(41, 1, 3))
    assert shown(state)[Symbol.FUNGI] == 2
    assert shown(state)[Symbol.ANIMAL] == 1
    after, event = placed(state, 1, 39, 39)
    assert event.earned == 1
    assert event.points == 1
    assert shown(after)[Symbol.FUNGI] == 1
    assert shown(after)[Symbol.QUILL] == 1


def test_an_object_that_the_card_itself_covers_does_not_count() -> None:
    area = [front(81, 40, 40), back(1, 39, 39), back(2, 39, 41), back(21, 41, 39), front(15, 41, 41)]
    state = table(*area, hand=(41, 3, 4))
    assert shown(state)[Symbol.QUILL] == 1
    assert CARDS[15].front.corners[2] is Symbol.QUILL
    _, over = placed(state, 1, 42, 40)
    assert over.earned == 1
    _, apart = placed(state, 1, 38, 38)
    assert apart.earned == 2


@pytest.mark.parametrize(("neighbours", "points"), [(1, 2), (2, 4), (3, 6), (4, 8)])
def test_a_card_that_scores_per_corner_counts_the_corners_it_covers(neighbours: int, points: int) -> None:
    around = [back(5, 37, 41), back(6, 37, 43), back(7, 39, 43), back(8, 39, 41)]
    payment = [back(1, 41, 39), back(2, 42, 38), back(3, 43, 37), back(21, 44, 36)]
    state = table(front(81, 40, 40), *payment, *around[:neighbours], hand=(44, 10, 11))
    _, event = placed(state, 1, 38, 42)
    assert event.earned == points


def test_a_gold_card_on_its_back_costs_and_scores_nothing_and_gives_its_kingdom() -> None:
    after, event = placed(table(front(81, 40, 40), hand=(80, 1, 2)), 1, 41, 41, BACK)
    assert event.earned == 0
    assert shown(after)[Symbol.INSECT] == 2


def test_a_gold_card_needs_its_cost_to_be_visible_before() -> None:
    state = table(front(81, 40, 40), hand=(50, 47, 1))
    assert refusal(state, A, PlaceCard(1, 39, 39, FRONT)) == "codex/cost"
    four = [front(81, 40, 40), back(2, 39, 41), back(3, 41, 41), back(4, 41, 39)]
    assert visible(four)[Symbol.FUNGI] == 4
    assert refusal(table(*four, hand=(50, 47, 1)), A, PlaceCard(1, 39, 39, FRONT)) == "codex/cost"
    five = [*four, back(5, 38, 42)]
    _, event = placed(table(*five, hand=(50, 47, 1)), 1, 39, 39)
    assert event.earned == 5


def test_a_resource_card_scores_its_point_on_the_front_only() -> None:
    state = table(front(81, 40, 40), hand=(8, 9, 41))
    assert placed(state, 1, 39, 39)[1].earned == 1
    assert placed(state, 1, 39, 39, BACK)[1].earned == 0


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (PlaceCard(0, 39, 39, FRONT), "codex/bad_choice"),
        (PlaceCard(4, 39, 39, FRONT), "codex/bad_choice"),
        (PlaceCard(-1, 39, 39, FRONT), "codex/bad_choice"),
        (PlaceCard(1, -1, 39, FRONT), "codex/off_board"),
        (PlaceCard(1, 39, 81, FRONT), "codex/off_board"),
        (PlaceCard(1, 40, 40, FRONT), "codex/occupied"),
        (PlaceCard(1, 40, 41, FRONT), "codex/two_corners"),
        (PlaceCard(1, 41, 40, BACK), "codex/two_corners"),
        (PlaceCard(1, 38, 38, FRONT), "codex/detached"),
        (PlaceCard(1, 10, 11, FRONT), "codex/detached"),
        (PlaceCard(3, 39, 39, FRONT), "codex/cost"),
    ],
)
def test_a_placing_is_refused_with_its_reason(command: PlaceCard, code: str) -> None:
    assert refusal(table(front(81, 40, 40)), A, command) == code


def test_cells_outside_the_board_are_not_free() -> None:
    area = [front(81, 1, 1), back(1, 0, 0), back(2, 0, 2)]
    assert (-1, -1) not in list(free_cells(grid_of(area)))
    rim = [back(81, BOARD_SIZE - 1, BOARD_SIZE - 1)]
    assert list(free_cells(grid_of(rim))) == [(BOARD_SIZE - 2, BOARD_SIZE - 2)]


def test_a_placed_card_leaves_the_hand_and_the_others_keep_their_order() -> None:
    after, _ = placed(table(front(81, 40, 40), hand=(9, 8, 41)), 2, 39, 39)
    assert after.own[A].hand == (9, 41)
    assert after.table.players[A].hand == 2


@fewer_examples(10)
@given(st.integers(2, 4), st.integers(0, 10**6))
def test_free_cells_are_exactly_those_without_an_obstacle(seats: int, seed: int) -> None:
    final, _, _ = play(GAME, seats, seed)
    for player in final.table.players.values():
        for size in range(1, len(player.area) + 1, 7):
            grid = grid_of(player.area[:size])
            rows, columns = [i for i, _ in grid], [j for _, j in grid]
            around = [
                (i, j)
                for i in range(min(rows) - 2, max(rows) + 3)
                for j in range(min(columns) - 2, max(columns) + 3)
                if obstacle(grid, (i, j)) is None
            ]
            assert sorted(free_cells(grid)) == around
