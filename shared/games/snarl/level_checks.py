"""Checks that a level is playable. Every fault has its own sentence, with the place it concerns.

Levels come from untrusted sources: the cost of a check grows no faster than the text of the level and its board.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, TypeAlias

from shared.games.snarl.boards import distance, draw, hallway_points, passable, reachable
from shared.games.snarl.levels import Hallway, Level, LevelError, Room
from shared.games.snarl.pieces import Board, ItemKind, Point
from shared.games.snarl.placement import MAX_PLAYERS, ghosts, spawn_points, zombies

FAR: Final = 250
"""Rows and columns of a level are below this."""
LONG: Final = 4 * FAR
"""No hallway is longer."""
MOST_CELLS: Final = 1_600
"""The cells of a level that a player gives. All levels of a dungeon together have four times as many at most."""
_LARGE_LEVELS: Final = 4


_Taken: TypeAlias = dict[Point, int]
"""Cells, and the number of the room or hallway that has them."""
_DOOR: Final = 2


def check_level(level: Level, number: int) -> Board:
    """The board of a level that is played as level `number`, or a LevelError."""
    _refuse(_layout_faults(level), number)
    board = draw(level)
    _refuse(_board_faults(board, number), number)
    return board


def _refuse(faults: Iterator[str], number: int) -> None:
    """Each fault relies on there being none before it: only the first is of use."""
    for fault in faults:
        raise LevelError(f"level {number}: {fault}")


def check_levels(levels: tuple[Level, ...]) -> None:
    for number, level in enumerate(levels, start=1):
        check_level(level, number)


def check_sizes(levels: tuple[Level, ...], most: int) -> None:
    """Refuse levels with too many cells, before any cell is looked at: the text of a hallway says little about its
    length."""
    sizes = [_cells(level) for level in levels]
    for number, size in enumerate(sizes, start=1):
        if size > most:
            raise LevelError(f"level {number}: it has {size} cells; a level from a player has {most} at most")
    if sum(sizes) > _LARGE_LEVELS * most:
        raise LevelError(f"the levels have {sum(sizes)} cells; those from a player have {_LARGE_LEVELS * most} at most")


def _cells(level: Level) -> int:
    """The tiles of all rooms and hallways."""
    rooms = sum(len(row) for room in level.rooms for row in room.layout)
    corners = (pair for hallway in level.hallways for pair in pairwise(hallway.corners))
    return rooms + sum(distance(one, other) for one, other in corners)


def _layout_faults(level: Level) -> Iterator[str]:
    if not level.rooms:
        yield "there are no rooms"
    rooms: _Taken = {}
    doors: set[Point] = set()
    for index, room in enumerate(level.rooms, start=1):
        for fault in _room_faults(room):
            yield f"room {index} at {_at(room.origin)}: {fault}"
        for point, tile in _tiles(room):
            if rooms.setdefault(point, index) != index:
                yield f"rooms {rooms[point]} and {index} overlap"
            if tile == _DOOR:
                doors.add(point)
    hallways: _Taken = {}
    for index, hallway in enumerate(level.hallways, start=1):
        for fault in _hallway_faults(hallway, rooms, doors):
            yield f"hallway {index} from {_at(hallway.start)} to {_at(hallway.end)}: {fault}"
        for point in hallway_points(hallway):
            if hallways.setdefault(point, index) != index:
                yield f"hallways {hallways[point]} and {index} cross at {_at(point)}"
    yield from _object_counts(level)


def _room_faults(room: Room) -> Iterator[str]:
    rows, columns = room.bounds.rows, room.bounds.columns
    if min(room.origin) < 0:
        yield "the origin is negative"
    if min(rows, columns) < 1:
        yield "the bounds are not positive"
    if room.origin[0] + rows > FAR or room.origin[1] + columns > FAR:
        yield f"it reaches beyond row or column {FAR - 1}"
    if len(room.layout) != rows:
        yield f"the bounds say {rows} rows, the layout has {len(room.layout)}"
    for down, row in enumerate(room.layout):
        if len(row) != columns:
            yield f"the bounds say {columns} columns, row {down} of the layout has {len(row)}"
        for right, tile in enumerate(row):
            here = _at((room.origin[0] + down, room.origin[1] + right))
            edge = down in (0, rows - 1) or right in (0, columns - 1)
            if tile not in (0, 1, 2):
                yield f"the tile at {here} is {tile}; tiles are 0, 1 or 2"
            if tile == _DOOR and not edge:
                yield f"the door at {here} is not on the boundary"
            if tile == 1 and edge:
                yield f"the boundary is open at {here}; it has walls and doors only"


def _hallway_faults(hallway: Hallway, rooms: _Taken, doors: set[Point]) -> Iterator[str]:
    for point in (hallway.start, hallway.end):
        if point not in doors:
            yield f"there is no door at {_at(point)}"
    if rooms[hallway.start] == rooms[hallway.end]:
        yield "both ends are doors of the same room"
    for one, next_one in pairwise(hallway.corners):
        if min(next_one) < 0 or max(next_one) >= FAR:
            yield f"the waypoint {_at(next_one)} is outside of rows and columns 0 to {FAR - 1}"
        if one[0] != next_one[0] and one[1] != next_one[1]:
            yield f"{_at(one)} and {_at(next_one)} share neither row nor column"
    if sum(distance(one, next_one) for one, next_one in pairwise(hallway.corners)) > LONG:
        yield f"it is longer than {LONG} tiles"
    walked: set[Point] = set()
    for point in hallway_points(hallway):
        if point in rooms:
            yield f"it runs through room {rooms[point]} at {_at(point)}"
        if point in walked:
            yield f"it crosses itself at {_at(point)}"
        walked.add(point)


def _object_counts(level: Level) -> Iterator[str]:
    for kind in ItemKind:
        count = sum(thing.kind is kind for thing in level.objects)
        if count != 1:
            yield f"there must be exactly one {kind}, not {count}"


def _board_faults(board: Board, number: int) -> Iterator[str]:
    items = ((ItemKind.KEY, board.key), (ItemKind.EXIT, board.exit))
    things = [(kind, point) for kind, point in items if point is not None]
    for kind, point in things:
        if not passable(board, point):
            yield f"the {kind} at {_at(point)} is not on a traversable tile"
    needed, free = MAX_PLAYERS + zombies(number) + ghosts(number), spawn_points(board)
    if len(free) < needed:
        yield f"{needed} free floor tiles are needed for players and adversaries, there are {len(free)}"
    near: set[Point] = set()
    for kind, point in things:
        if point not in near:
            near = reachable(board, point)
        for start in free:
            if start not in near:
                yield f"the {kind} at {_at(point)} cannot be reached from {_at(start)}"


def _tiles(room: Room) -> Iterator[tuple[Point, int]]:
    top, left = room.origin
    for row, tiles in enumerate(room.layout, start=top):
        for column, tile in enumerate(tiles, start=left):
            yield (row, column), tile


def _at(point: Point) -> str:
    return f"[{point[0]}, {point[1]}]"
