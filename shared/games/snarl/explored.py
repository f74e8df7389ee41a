"""The explored part of a level: what all players together have seen of it. By default, spectators see no more.

An explored part is a board without rooms: of tiles it only tells what windows tell, and unseen tiles are blank.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from shared.games.snarl.pieces import DOOR, FLOOR, SIGHT, WALL, Board, ItemKind, Window

_CELLS: Final = (WALL, FLOOR, DOOR)
"""The cell for each tile of a window. Windows do not tell walls from void, nor hallways from floor."""
NOTHING_SEEN: Final = Board((), (), None, None)


def is_explored_part(board: Board | None) -> bool:
    return board is not None and not board.rooms


def explore(board: Board, windows: Iterable[Window]) -> Board:
    """The explored part after players have looked through these windows, too."""
    rows = list(board.rows)
    places = {ItemKind.KEY: board.key, ItemKind.EXIT: board.exit}
    for window in windows:
        top, left = window.position[0] - SIGHT, window.position[1] - SIGHT
        for row, cells in enumerate(_lines(window.layout), start=top):
            if row >= 0:
                rows.extend([""] * (row + 1 - len(rows)))
                rows[row] = _overwritten(rows[row], left, cells)
        places.update((item.kind, item.position) for item in window.items)
    return replace(board, rows=tuple(rows), key=places[ItemKind.KEY], exit=places[ItemKind.EXIT])


def _overwritten(row: str, left: int, cells: str) -> str:
    if left < 0:
        left, cells = 0, cells[-left:]
    return row[:left].ljust(left) + cells + row[left + len(cells) :]


@lru_cache(maxsize=4_096)
def _lines(layout: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    return tuple("".join(_CELLS[tile] for tile in line) for line in layout)
