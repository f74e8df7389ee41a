"""The number of times that each of the sixteen objectives is met."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.games.codex.cards import CARDS, OBJECTIVES, PatternCell
from shared.games.codex.objectives import count_pattern, count_sets, points_for
from shared.games.codex.pieces import Face, Kingdom, Placed, Symbol
from shared.games.codex.views import PlayerView, no_symbols
from tests.unit.shared.games.codex.positions import back, front

PATTERNS = range(87, 95)
SETS = range(95, 103)
FIRST_OF = {Kingdom.FUNGI: 1, Kingdom.PLANT: 11, Kingdom.ANIMAL: 21, Kingdom.INSECT: 31}


def showing(**symbols: int) -> PlayerView:
    return PlayerView(symbols=no_symbols() | {Symbol(name): number for name, number in symbols.items()})


def laid(*cells: tuple[Kingdom, int, int]) -> PlayerView:
    """Cards of these kingdoms in these cells, fronts and backs in turn."""
    return PlayerView(
        tuple(
            Placed(FIRST_OF[kingdom] + number % 10, (Face.FRONT, Face.BACK)[number % 2], i, j)
            for number, (kingdom, i, j) in enumerate(cells)
        )
    )


def copy_at(pattern: tuple[PatternCell, ...], i: int, j: int) -> list[tuple[Kingdom, int, int]]:
    return [(cell.kingdom, i + cell.row, j + cell.column) for cell in pattern]


@pytest.mark.parametrize("objective", PATTERNS)
def test_a_pattern_scores_once_for_each_copy(objective: int) -> None:
    card = OBJECTIVES[objective]
    once = copy_at(card.pattern, 30, 30)
    assert points_for(objective, laid(*once)) == card.points
    assert points_for(objective, laid(*once, *copy_at(card.pattern, 50, 50))) == 2 * card.points
    assert points_for(objective, laid(*reversed(once))) == card.points


@pytest.mark.parametrize("objective", PATTERNS)
def test_a_pattern_needs_all_its_cards_in_their_kingdoms(objective: int) -> None:
    cells = copy_at(OBJECTIVES[objective].pattern, 30, 30)
    for broken in range(3):
        rest = [cell for number, cell in enumerate(cells) if number != broken]
        assert points_for(objective, laid(*rest)) == 0
        kingdom, i, j = cells[broken]
        others = [other for other in Kingdom if other is not kingdom]
        assert all(points_for(objective, laid(*rest, (other, i, j))) == 0 for other in others)


@pytest.mark.parametrize("objective", PATTERNS)
def test_a_pattern_is_not_turned_or_mirrored(objective: int) -> None:
    pattern = OBJECTIVES[objective].pattern
    mirrored = [(cell.kingdom, 30 + cell.row, 30 - cell.column) for cell in pattern]
    upside_down = [(cell.kingdom, 30 - cell.row, 30 + cell.column) for cell in pattern]
    assert points_for(objective, laid(*mirrored)) == 0
    assert points_for(objective, laid(*upside_down)) == 0


def test_starting_cards_take_no_part_in_patterns() -> None:
    area = (front(81, 40, 40), back(1, 39, 41), back(2, 41, 39))
    assert points_for(87, PlayerView(area)) == 0


@pytest.mark.parametrize(("length", "points"), [(2, 0), (3, 2), (4, 2), (5, 2), (6, 4), (7, 4), (8, 4), (9, 6)])
def test_a_run_along_a_diagonal_gives_one_copy_for_three_cards(length: int, points: int) -> None:
    rising = [(Kingdom.FUNGI, 50 - step, 30 + step) for step in range(length)]
    falling = [(Kingdom.INSECT, 30 + step, 30 + step) for step in range(length)]
    assert points_for(87, laid(*rising)) == points
    assert points_for(90, laid(*falling)) == points


def test_a_card_in_the_middle_of_two_columns_counts_once() -> None:
    fungi = [(Kingdom.FUNGI, row, 0) for row in (0, 2, 4)]
    plants = [(Kingdom.PLANT, 3, 1), (Kingdom.PLANT, 5, 1)]
    assert points_for(91, laid(*fungi, *plants)) == 3
    assert points_for(91, laid(*fungi, (Kingdom.FUNGI, 6, 0), *plants, (Kingdom.PLANT, 7, 1))) == 6


@pytest.mark.parametrize(
    ("objective", "symbol"),
    [(95, "fungi"), (96, "plant"), (97, "animal"), (98, "insect")],
)
def test_three_of_a_resource_give_two_points(objective: int, symbol: str) -> None:
    assert [points_for(objective, showing(**{symbol: number})) for number in (0, 2, 3, 5, 6, 10)] == [0, 0, 2, 2, 4, 6]


@pytest.mark.parametrize(
    ("objective", "symbol"),
    [(100, "manuscript"), (101, "inkwell"), (102, "quill")],
)
def test_two_of_an_object_give_two_points(objective: int, symbol: str) -> None:
    assert [points_for(objective, showing(**{symbol: number})) for number in (0, 1, 2, 3, 4)] == [0, 0, 2, 2, 4]


def test_one_of_each_object_gives_three_points() -> None:
    assert points_for(99, showing(quill=2, inkwell=3, manuscript=1)) == 3
    assert points_for(99, showing(quill=2, inkwell=3, manuscript=2)) == 6
    assert points_for(99, showing(quill=2, inkwell=3)) == 0


def test_every_objective_counts_symbols_or_cards() -> None:
    everything = no_symbols() | dict.fromkeys(Symbol, 6)
    assert {objective: count_sets(OBJECTIVES[objective].symbols, everything) for objective in SETS} == {
        **dict.fromkeys(range(95, 99), 2),
        99: 6,
        **dict.fromkeys(range(100, 103), 3),
    }


def most_copies(pattern: tuple[PatternCell, ...], area: tuple[Placed, ...]) -> int:
    """The largest set of copies that share no card, by trying all."""
    kingdoms = {(placed.i, placed.j): CARDS[placed.card].kingdom for placed in area}
    copies = []
    for i, j in kingdoms:
        cells = frozenset((i + cell.row, j + cell.column) for cell in pattern)
        if all(kingdoms.get((i + cell.row, j + cell.column)) is cell.kingdom for cell in pattern):
            copies.append(cells)
    for size in range(len(copies), 0, -1):
        for some in combinations(copies, size):
            if len(frozenset().union(*some)) == 3 * size:
                return size
    return 0


@given(
    st.sampled_from(PATTERNS),
    st.dictionaries(st.tuples(st.integers(0, 9), st.integers(0, 3)), st.integers(0, 2), min_size=8, max_size=24),
)
def test_the_count_of_a_pattern_is_the_largest_possible(objective: int, cells: dict[tuple[int, int], int]) -> None:
    pattern = OBJECTIVES[objective].pattern
    kingdoms = [pattern[0].kingdom, pattern[1].kingdom, pattern[2].kingdom]
    view = laid(*((kingdoms[pick], i, 2 * j + i % 2) for (i, j), pick in cells.items()))
    assert count_pattern(pattern, view.area) == most_copies(pattern, view.area)
