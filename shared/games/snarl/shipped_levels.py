"""The levels that come with the program, drawn by hand: `#` wall, `.` floor, `+` door."""

from typing import Final

from shared.games.snarl.levels import Bounds, Hallway, Level, Placed, Room
from shared.games.snarl.pieces import ItemKind, Point

_TILES: Final = {"#": 0, ".": 1, "+": 2}


def _room(row: int, column: int, *drawing: str) -> Room:
    layout = tuple(tuple(_TILES[cell] for cell in line) for line in drawing)
    return Room((row, column), Bounds(len(drawing), len(drawing[0])), layout)


def _things(key: Point, exit_: Point) -> tuple[Placed, ...]:
    return Placed(ItemKind.KEY, key), Placed(ItemKind.EXIT, exit_)


_CELLAR: Final = Level(
    (
        _room(
            1, 0,
            "#######",
            "#.....#",
            "#.....+",
            "#.....#",
            "###+###",
        ),
        _room(
            0, 12,
            "########",
            "#......#",
            "#..##..#",
            "+......#",
            "########",
        ),
        _room(
            9, 2,
            "#+########",
            "#........#",
            "#........#",
            "#........#",
            "##########",
        ),
    ),
    (
        Hallway((3, 6), (3, 12)),
        Hallway((5, 3), (9, 3)),
    ),
    _things(key=(1, 18), exit_=(12, 10)),
)  # fmt: skip

_CISTERN: Final = Level(
    (
        _room(
            0, 1,
            "########",
            "#......#",
            "#......+",
            "#......#",
            "####+###",
        ),
        _room(
            1, 15,
            "#########",
            "#.......#",
            "+..#.#..#",
            "#.......#",
            "#..#.#..#",
            "#.......#",
            "######+##",
        ),
        _room(
            10, 0,
            "#####+###",
            "#.......#",
            "#.#####.#",
            "#.......+",
            "#########",
        ),
        _room(
            11, 14,
            "#######+##",
            "#........#",
            "+........#",
            "#........#",
            "#........#",
            "##########",
        ),
    ),
    (
        Hallway((2, 8), (3, 15), ((2, 11), (3, 11))),
        Hallway((4, 5), (10, 5)),
        Hallway((7, 21), (11, 21)),
        Hallway((13, 8), (13, 14)),
    ),
    _things(key=(14, 15), exit_=(1, 2)),
)  # fmt: skip

_CATACOMBS: Final = Level(
    (
        _room(
            0, 0,
            "######",
            "#....#",
            "#....+",
            "#....#",
            "##+###",
        ),
        _room(
            0, 10,
            "###########",
            "#.........#",
            "+..#...#..+",
            "#.........#",
            "#####+#####",
        ),
        _room(
            1, 26,
            "#######",
            "#.....#",
            "+.....#",
            "#.....#",
            "###+###",
        ),
        _room(
            9, 1,
            "#+#######",
            "#.......#",
            "#.##.##.+",
            "#.......#",
            "#.##.##.#",
            "#.......#",
            "#########",
        ),
        _room(
            9, 14,
            "#+########",
            "+........#",
            "#........+",
            "#...##...#",
            "#........#",
            "##########",
        ),
        _room(
            8, 28,
            "#+######",
            "#......#",
            "#......#",
            "+......#",
            "#......#",
            "########",
        ),
    ),
    (
        Hallway((2, 5), (2, 10)),
        Hallway((2, 20), (3, 26), ((2, 23), (3, 23))),
        Hallway((4, 2), (9, 2)),
        Hallway((4, 15), (9, 15)),
        Hallway((5, 29), (8, 29)),
        Hallway((11, 9), (10, 14), ((11, 11), (10, 11))),
        Hallway((11, 23), (11, 28)),
    ),
    _things(key=(14, 5), exit_=(2, 31)),
)  # fmt: skip

SHIPPED_LEVELS: Final = (_CELLAR, _CISTERN, _CATACOMBS)
