"""The pieces of the dungeon: tiles, items, actors, boards, and the window of a player. Points are (row, column)."""

from enum import StrEnum
from typing import Final, TypeAlias

from shared.game import Value

Point: TypeAlias = tuple[int, int]

VOID: Final = " "
WALL: Final = "#"
FLOOR: Final = "."
HALLWAY: Final = ":"
DOOR: Final = "+"

TILES: Final = {VOID: 0, WALL: 0, FLOOR: 1, HALLWAY: 1, DOOR: 2}
"""The value of a board cell in a layout: 0 wall, 1 traversable, 2 door."""

SIGHT: Final = 2
"""The number of tiles that a player sees in every direction."""


class Kind(StrEnum):
    PLAYER = "player"
    ZOMBIE = "zombie"
    GHOST = "ghost"


class ItemKind(StrEnum):
    KEY = "key"
    EXIT = "exit"


class Actor(Value, frozen=True):
    kind: Kind
    number: int
    """A player's seat; adversaries are counted from 1, each kind by itself."""
    position: Point

    @property
    def name(self) -> str:
        """The name of an adversary; a player's is known to the room only."""
        return f"{self.kind}{self.number}"


class Item(Value, frozen=True):
    kind: ItemKind
    position: Point


class Window(Value, frozen=True):
    """The tiles that a player sees, five rows of five around the position, with the items and actors on them."""

    position: Point
    layout: tuple[tuple[int, ...], ...]
    items: tuple[Item, ...]
    actors: tuple[Actor, ...]
    """Without the player itself."""


class Area(Value, frozen=True):
    """The place of a room, its walls included."""

    origin: Point
    rows: int
    columns: int

    def __contains__(self, point: Point) -> bool:
        down, right = point[0] - self.origin[0], point[1] - self.origin[1]
        return 0 <= down < self.rows and 0 <= right < self.columns


class Board(Value, frozen=True):
    """A level as it lies on the table, or (without rooms) the part of it that players have seen."""

    rows: tuple[str, ...]
    """One character for each cell: blank void, `#` wall, `.` floor of a room, `:` hallway, `+` door. In a part: blank
    unseen, `#` wall or void, `.` traversable, `+` door."""
    rooms: tuple[Area, ...]
    exit: Point | None
    """None in a part if no player has seen it."""
    key: Point | None
    """None once it was found; the exit is unlocked then. Also None in a part if no player has seen it."""

    def at(self, point: Point) -> str:
        row, column = point
        if 0 <= row < len(self.rows) and 0 <= column < len(self.rows[row]):
            return self.rows[row][column]
        return VOID

    def room_at(self, point: Point) -> Area | None:
        return next((room for room in self.rooms if point in room), None)
