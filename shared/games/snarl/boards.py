"""A level drawn: from rooms and hallways to the cells of a board, and what can be asked about the ways on it."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from shared.games.snarl.levels import Hallway, Level
from shared.games.snarl.pieces import DOOR, FLOOR, HALLWAY, VOID, WALL, Area, Board, ItemKind, Point

STEPS: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""Up, left, right, down."""

PASSABLE: Final = FLOOR + HALLWAY + DOOR

_CELLS: Final = {0: WALL, 1: FLOOR, 2: DOOR}


def draw(level: Level) -> Board:
    """The board of a level that was checked."""
    cells: dict[Point, str] = {}
    for room in level.rooms:
        for down, tiles in enumerate(room.layout):
            for right, tile in enumerate(tiles):
                cells[room.origin[0] + down, room.origin[1] + right] = _CELLS[tile]
    for hallway in level.hallways:
        for point in hallway_points(hallway):
            cells[point] = HALLWAY
    height = 1 + max(row for row, _ in cells)
    width = 1 + max(column for _, column in cells)
    rows = [[VOID] * width for _ in range(height)]
    for (row, column), cell in cells.items():
        rows[row][column] = cell
    places = {thing.kind: thing.position for thing in level.objects}
    return Board(
        rows=tuple("".join(line) for line in rows),
        rooms=tuple(Area(room.origin, room.bounds.rows, room.bounds.columns) for room in level.rooms),
        exit=places[ItemKind.EXIT],
        key=places[ItemKind.KEY],
    )


def hallway_points(hallway: Hallway) -> tuple[Point, ...]:
    """The tiles strictly between the two doors, in order."""
    corners = hallway.corners
    walked = [corners[0]]
    for (row, column), (next_row, next_column) in pairwise(corners):
        down, right = _sign(next_row - row), _sign(next_column - column)
        length = abs(next_row - row) + abs(next_column - column)
        walked.extend((row + down * step, column + right * step) for step in range(1, length + 1))
    return tuple(walked[1:-1])


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def neighbors(point: Point) -> Iterator[Point]:
    row, column = point
    return ((row + down, column + right) for down, right in STEPS)


def passable(board: Board, point: Point) -> bool:
    return board.at(point) in PASSABLE


def floor_of(board: Board, room: Area) -> Iterator[Point]:
    """The floor tiles of a room, row by row."""
    top, left = room.origin
    for row in range(top, top + room.rows):
        for column, cell in enumerate(board.rows[row][left : left + room.columns], start=left):
            if cell == FLOOR:
                yield row, column


def reachable(board: Board, start: Point) -> set[Point]:
    """All points that can be walked to.

    Levels of players are searched while other rooms wait. Cells are numbered row by row, with a column of void between
    the rows and a row of void around them: a step is one addition, and none leads out of the board."""
    width = len(board.rows[0]) + 1
    margin = VOID * (width + 1)
    cells = margin + VOID.join(board.rows) + margin
    seen = {len(margin) + start[0] * width + start[1]}
    waiting = list(seen)
    while waiting:
        here = waiting.pop()
        for cell in (here - width, here - 1, here + 1, here + width):
            if cell not in seen and cells[cell] in PASSABLE:
                seen.add(cell)
                waiting.append(cell)
    return {divmod(cell - len(margin), width) for cell in seen}


def distance(one: Point, other: Point) -> int:
    """Steps between two points if nothing were in the way."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def nearest(start: Point, points: Iterable[Point]) -> int:
    return min((distance(start, point) for point in points), default=1 << 30)
