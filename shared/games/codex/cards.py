"""All 102 cards, by number. Data only: the rules are elsewhere."""

from collections.abc import Iterator
from itertools import count
from typing import Final

from shared.game import Value
from shared.games.codex.data import objectives, placeable
from shared.games.codex.pieces import Back, Blank, Corner, Face, Kind, Kingdom, Symbol

_LETTERS: Final[dict[str, Symbol]] = dict(zip("FPAIQKM", Symbol, strict=True))
_BLANKS: Final[dict[str, Blank]] = {".": Blank.EMPTY, "-": Blank.MISSING}


class Side(Value, frozen=True):
    """One side of a card that is placed."""

    corners: tuple[Corner, Corner, Corner, Corner]
    """Top left, top right, bottom left, bottom right."""
    centre: tuple[Symbol, ...] = ()
    """Never covered."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return (*(corner for corner in self.corners if isinstance(corner, Symbol)), *self.centre)


class Card(Value, frozen=True):
    """A resource, gold or starting card."""

    id: int
    kind: Kind
    kingdom: Kingdom | None
    front: Side
    back: Side
    points: int = 0
    """The points for placing the card on its front, multiplied if one of the next two fields is set."""
    per_corner: bool = False
    per_object: Symbol | None = None
    cost: tuple[tuple[Symbol, int], ...] = ()
    """The symbols that must be visible to place the card on its front."""

    def side(self, face: Face) -> Side:
        return self.front if face is Face.FRONT else self.back


class PatternCell(Value, frozen=True):
    """A card of a pattern, relative to the topmost one."""

    kingdom: Kingdom
    row: int
    column: int


class Objective(Value, frozen=True):
    """An objective asks for a pattern of three cards or for a set of symbols."""

    id: int
    points: int
    """The points for each time the objective is met."""
    pattern: tuple[PatternCell, ...] = ()
    symbols: tuple[Symbol, ...] = ()


def _corners(text: str) -> tuple[Corner, Corner, Corner, Corner]:
    first, second, third, fourth = (_LETTERS.get(letter) or _BLANKS[letter] for letter in text)
    return first, second, third, fourth


def _symbols(letters: str) -> tuple[Symbol, ...]:
    return tuple(_LETTERS[letter] for letter in letters)


def _back(kingdom: Kingdom) -> Side:
    return Side(_corners("...."), (Symbol(kingdom),))


def _resource_cards(numbers: Iterator[int]) -> Iterator[Card]:
    for name, row in placeable.RESOURCE.items():
        kingdom = Kingdom(name)
        for text in row.split():
            front = Side(_corners(text[:4]))
            yield Card(next(numbers), Kind.RESOURCE, kingdom, front, _back(kingdom), points=len(text[4:]))


def _gold_cards(numbers: Iterator[int]) -> Iterator[Card]:
    for name, rows in placeable.GOLD.items():
        kingdom = Kingdom(name)
        for row in rows:
            front, worth, price = row.split()
            points, _, per = worth.partition("/")
            yield Card(
                next(numbers),
                Kind.GOLD,
                kingdom,
                Side(_corners(front)),
                _back(kingdom),
                points=int(points),
                per_corner=per == "c",
                per_object=_LETTERS.get(per),
                cost=tuple((_LETTERS[letter], price.count(letter)) for letter in dict.fromkeys(price)),
            )


def _starting_cards(numbers: Iterator[int]) -> Iterator[Card]:
    for row in placeable.STARTING:
        front, back, centre = row.split()
        sides = Side(_corners(front)), Side(_corners(back), _symbols(centre))
        yield Card(next(numbers), Kind.STARTING, None, *sides)


def _pattern(drawing: str) -> tuple[PatternCell, ...]:
    rows = enumerate(drawing.split("|"))
    cells = [(letter, row, column) for row, line in rows for column, letter in enumerate(line) if letter != "."]
    _, top, left = cells[0]
    return tuple(PatternCell(Kingdom(_LETTERS[letter]), row - top, column - left) for letter, row, column in cells)


def _objectives(numbers: Iterator[int]) -> Iterator[Objective]:
    for row in objectives.PATTERNS:
        points, drawing = row.split()
        yield Objective(next(numbers), int(points), pattern=_pattern(drawing))
    for row in objectives.SETS:
        points, letters = row.split()
        yield Objective(next(numbers), int(points), symbols=_symbols(letters))


_numbers = count(1)
RESOURCE_CARDS: Final = tuple(_resource_cards(_numbers))
GOLD_CARDS: Final = tuple(_gold_cards(_numbers))
STARTING_CARDS: Final = tuple(_starting_cards(_numbers))
OBJECTIVE_CARDS: Final = tuple(_objectives(_numbers))

CARDS: Final[dict[int, Card]] = {card.id: card for card in (*RESOURCE_CARDS, *GOLD_CARDS, *STARTING_CARDS)}
OBJECTIVES: Final[dict[int, Objective]] = {objective.id: objective for objective in OBJECTIVE_CARDS}
BACKS: Final[dict[int, Back]] = {
    card.id: Back(card.kind, card.kingdom) for card in CARDS.values() if card.kingdom is not None
}
"""The backs of resource and gold cards, by card number."""
