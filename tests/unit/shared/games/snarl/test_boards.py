"""Ways on a board."""

from shared.games.snarl.boards import reachable
from shared.games.snarl.pieces import Board, Point


def board(*rows: str) -> Board:
    return Board(rows, (), (0, 0), None)


def test_doors_and_hallways_are_walked_and_walls_are_not() -> None:
    assert reachable(board("..#.", "#+::", "..#."), (0, 0)) == {
        *((0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 1), (2, 0), (0, 3), (2, 3)),
    }


def test_no_way_leads_around_the_edge_of_the_board() -> None:
    rows = (".#.", "##.", ".#.")
    corners: dict[Point, set[Point]] = {
        (0, 0): {(0, 0)},
        (2, 0): {(2, 0)},
        (0, 2): {(0, 2), (1, 2), (2, 2)},
    }
    for start, expected in corners.items():
        assert reachable(board(*rows), start) == expected


def test_a_board_of_one_cell_is_its_own_way() -> None:
    assert reachable(board("."), (0, 0)) == {(0, 0)}
