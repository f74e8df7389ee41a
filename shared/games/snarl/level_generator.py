"""Dungeons out of a seed: rooms on a grid of cells, joined by hallways; the higher the number, the more and larger.

Every level is valid and solvable by construction: rooms stay inside their cells, a hallway bends only in the gap
between two neighboring cells, and the hallways that are kept join all rooms.
"""

from typing import Final

from shared.dice import Dice
from shared.games.snarl.levels import Bounds, Hallway, Level, Placed, Room
from shared.games.snarl.pieces import ItemKind, Point

MAX_ROOMS: Final = 20
_LEAST_SIDE: Final = 5
_MOST_GROWTH: Final = 4
_EXTRA_HALLWAYS: Final = 3
"""One in this many hallways is built although all rooms are joined without it."""


def generate(seed: int, number: int) -> Level:
    dice = Dice(seed, "level", number)
    count = min(2 + number, MAX_ROOMS)
    columns = next(width for width in range(1, count + 1) if width * width >= count)
    cells = [divmod(index, columns) for index in range(count)]
    growth = min(number, _MOST_GROWTH)
    pitch = (_LEAST_SIDE + growth + 3, _LEAST_SIDE + 2 * growth + 3)
    rooms = {cell: _Plan(cell, pitch, growth, dice) for cell in cells}
    hallways = tuple(_join(rooms[one], rooms[other], pitch, dice) for one, other in _links(cells, dice))
    home, goal = dice.shuffle(cells)[:2]
    objects = (
        Placed(ItemKind.KEY, dice.choice(rooms[home].floor())),
        Placed(ItemKind.EXIT, dice.choice(rooms[goal].floor())),
    )
    return Level(tuple(rooms[cell].room() for cell in cells), hallways, objects)


class _Plan:
    """A room while it is being built."""

    def __init__(self, cell: Point, pitch: Point, growth: int, dice: Dice) -> None:
        self.cell = cell
        self.rows = _LEAST_SIDE + dice.below(growth + 1)
        self.columns = _LEAST_SIDE + dice.below(2 * growth + 1)
        self.top = cell[0] * pitch[0] + dice.below(pitch[0] - self.rows)
        self.left = cell[1] * pitch[1] + dice.below(pitch[1] - self.columns)
        self._tiles = [
            [int(0 < row < self.rows - 1 and 0 < column < self.columns - 1) for column in range(self.columns)]
            for row in range(self.rows)
        ]
        self._raise_pillars(dice)

    def _raise_pillars(self, dice: Dice) -> None:
        """Single inner walls, none touching another wall, not even by a corner: they part nothing."""
        for row in range(2, self.rows - 2, 2):
            for column in range(2, self.columns - 2, 2):
                if dice.below(2):
                    self._tiles[row][column] = 0

    def open_door(self, side: Point, dice: Dice) -> Point:
        """A door in the middle part of the wall on that side (one step up, down, left or right)."""
        down, right = side
        if down:
            row, column = (self.rows - 1 if down > 0 else 0), 1 + dice.below(self.columns - 2)
        else:
            row, column = 1 + dice.below(self.rows - 2), (self.columns - 1 if right > 0 else 0)
        self._tiles[row][column] = 2
        return self.top + row, self.left + column

    def floor(self) -> list[Point]:
        return [
            (self.top + row, self.left + column)
            for row in range(self.rows)
            for column in range(self.columns)
            if self._tiles[row][column] == 1
        ]

    def room(self) -> Room:
        return Room((self.top, self.left), Bounds(self.rows, self.columns), tuple(map(tuple, self._tiles)))


def _links(cells: list[Point], dice: Dice) -> list[tuple[Point, Point]]:
    """Pairs of neighboring cells to join: enough to reach every cell, and a few more."""
    pairs = [
        (cell, other) for cell in cells for other in ((cell[0], cell[1] + 1), (cell[0] + 1, cell[1])) if other in cells
    ]
    group = {cell: cell for cell in cells}
    links: list[tuple[Point, Point]] = []
    for one, other in dice.shuffle(pairs):
        if group[one] != group[other]:
            joined, left = group[one], group[other]
            group = {cell: joined if leader == left else leader for cell, leader in group.items()}
            links.append((one, other))
        elif not dice.below(_EXTRA_HALLWAYS):
            links.append((one, other))
    return links


def _join(one: _Plan, other: _Plan, pitch: Point, dice: Dice) -> Hallway:
    """A hallway to the room on the right or below, bent in the last row or column of the first one's cell."""
    down, right = other.cell[0] - one.cell[0], other.cell[1] - one.cell[1]
    start, end = one.open_door((down, right), dice), other.open_door((-down, -right), dice)
    if right:
        bend = other.cell[1] * pitch[1] - 1
        waypoints: tuple[Point, ...] = ((start[0], bend), (end[0], bend))
    else:
        bend = other.cell[0] * pitch[0] - 1
        waypoints = ((bend, start[1]), (bend, end[1]))
    return Hallway(start, end, () if start[0] == end[0] or start[1] == end[1] else waypoints)
