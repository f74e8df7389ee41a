"""The cells of an area where a card may be placed, and the corners it covers. See docs/games/codex.md, "Placing"."""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from shared.games.codex.cards import CARDS, Card, Side
from shared.games.codex.pieces import BOARD_SIZE, Blank, Corner, Face, Placed, Symbol

Cell: TypeAlias = tuple[int, int]
"""Row and column."""
Grid: TypeAlias = dict[Cell, Side]
"""The sides that face up, by cell."""

DIAGONALS: Final = ((-1, -1), (-1, 1), (1, -1), (1, 1))
"""The offsets of the neighbors at the four corners of a card. A card covers neighbor n at its corner 3 - n."""
ORTHOGONALS: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))


def grid_of(area: Iterable[Placed]) -> Grid:
    return {(placed.i, placed.j): CARDS[placed.card].side(placed.face) for placed in area}


def covered_corners(grid: Grid, cell: Cell) -> list[Corner]:
    """The corners of the neighbors that a card in this cell would lie over."""
    i, j = cell
    return [
        side.corners[3 - corner]
        for corner, (down, right) in enumerate(DIAGONALS)
        if (side := grid.get((i + down, j + right))) is not None
    ]


def obstacle(grid: Grid, cell: Cell) -> str | None:
    """The code of the rule that forbids this cell, whatever the card; None if it is free."""
    i, j = cell
    if not (0 <= i < BOARD_SIZE and 0 <= j < BOARD_SIZE):
        return "codex/off_board"
    if cell in grid:
        return "codex/occupied"
    if any((i + down, j + right) in grid for down, right in ORTHOGONALS):
        return "codex/two_corners"
    covered = covered_corners(grid, cell)
    if not covered:
        return "codex/detached"
    if Blank.MISSING in covered:
        return "codex/no_corner"
    return None


def free_cells(grid: Grid) -> Iterator[Cell]:
    """All cells where a card may be placed, nearest to the oldest cards first."""
    tried = set(grid)
    for (i, j), side in grid.items():
        for (down, right), corner in zip(DIAGONALS, side.corners, strict=True):
            cell = (i + down, j + right)
            if corner is not Blank.MISSING and cell not in tried:
                tried.add(cell)
                if obstacle(grid, cell) is None:
                    yield cell


def affordable(card: Card, face: Face, symbols: dict[Symbol, int]) -> bool:
    """Whether the visible symbols pay for the card; placing it on its back costs nothing."""
    return face is Face.BACK or all(symbols[symbol] >= number for symbol, number in card.cost)


def symbols_after(symbols: dict[Symbol, int], side: Side, covered: Iterable[Corner]) -> dict[Symbol, int]:
    """The visible symbols after the side was placed over these corners."""
    after = dict(symbols)
    for corner in covered:
        if isinstance(corner, Symbol):
            after[corner] -= 1
    for symbol in side.symbols:
        after[symbol] += 1
    return after
