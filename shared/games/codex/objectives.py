"""Counts how often an objective is met: sets of visible symbols, patterns of cards in an area."""

from collections.abc import Iterable

from shared.games.codex.cards import CARDS, OBJECTIVES, PatternCell
from shared.games.codex.pieces import Kingdom, Placed, Symbol
from shared.games.codex.views import PlayerView


def points_for(objective: int, player: PlayerView) -> int:
    card = OBJECTIVES[objective]
    times = count_pattern(card.pattern, player.area) if card.pattern else count_sets(card.symbols, player.symbols)
    return card.points * times


def count_sets(wanted: tuple[Symbol, ...], symbols: dict[Symbol, int]) -> int:
    return min(symbols[symbol] // wanted.count(symbol) for symbol in wanted)


def count_pattern(pattern: tuple[PatternCell, ...], area: Iterable[Placed]) -> int:
    """The largest number of copies that share no card.

    Copies of one pattern can clash only along one diagonal or column, so that taking them from the top, each that
    still fits, gives the most. Which side of a card is up does not matter; starting cards have no kingdom.
    """
    unused: dict[tuple[int, int], Kingdom | None] = {
        (placed.i, placed.j): CARDS[placed.card].kingdom for placed in sorted(area, key=lambda card: (card.i, card.j))
    }
    copies = 0
    for i, j in list(unused):
        cells = [(i + cell.row, j + cell.column) for cell in pattern]
        if all(unused.get(at) is cell.kingdom for at, cell in zip(cells, pattern, strict=True)):
            copies += 1
            for at in cells:
                del unused[at]
    return copies
