"""The strategy of Eriantys clients: random legal moves, with a preference for dining rooms, which pay coins."""

from dataclasses import dataclass

from loadtest.clients.eriantys.board import Board, Card
from shared.dice import Dice
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import COLORS, ROW, Color, steps_of


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice for a character: a color, the index of an island, or pairs (from the entrance, to it) of a swap."""

    colour: Color | None = None
    island: int | None = None
    swaps: tuple[tuple[Color, Color], ...] = ()


@dataclass(frozen=True, slots=True)
class Student:
    colour: Color
    island: int | None
    """The index of the island; None: the dining room."""


class RandomStrategy:
    def __init__(self, seed: int) -> None:
        self._dice = Dice(seed, "eriantys")

    def chance(self, percent: int) -> bool:
        return self._dice.below(100) < percent

    def pick(self, numbers: list[int]) -> int:
        return self._dice.choice(numbers)

    def assistant(self, hand: list[int], taken: list[int]) -> int:
        return self._dice.choice([value for value in hand if value not in taken] or hand)

    def student(self, board: Board, seat: int) -> Student:
        me = board.people[seat]
        there = [place for place in range(len(COLORS)) if me.entrance[place]]
        seats = [place for place in there if me.hall[place] < ROW]
        if seats and self.chance(70):
            most = max(me.hall[place] for place in seats)
            return Student(COLORS[self.pick([place for place in seats if me.hall[place] == most])], None)
        return Student(COLORS[self.pick(there)], self._dice.below(len(board.islands)))

    def steps(self, board: Board, seat: int, extra: int) -> int:
        return 1 + self._dice.below(steps_of(board.people[seat].assistant or 1) + extra)

    def cloud(self, board: Board) -> int:
        return self.pick([place for place, students in enumerate(board.clouds) if any(students)])

    def card(self, board: Board, seat: int) -> int | None:
        """The index of a character to play now, if any."""
        if not board.cards or not self.chance(50):
            return None
        usable = [
            place
            for place, card in enumerate(board.cards)
            if card.price <= board.people[seat].coins and self.choice(board, seat, card) is not None
        ]
        return self.pick(usable) if usable else None

    def choice(self, board: Board, seat: int, card: Card, most: int = 3) -> Choice | None:
        """A choice that the character allows this seat; None if there is none."""
        me, island = board.people[seat], self._dice.below(len(board.islands))
        on_card = [place for place in range(len(COLORS)) if card.students[place]]
        match CARDS[card.number].asks:
            case Ask.NOTHING:
                return Choice()
            case Ask.ISLAND:
                return Choice(island=island) if card.no_entry or not CARDS[card.number].no_entry else None
            case Ask.STUDENT:
                return Choice(COLORS[self.pick(on_card)], island) if on_card else None
            case Ask.COLOR:
                seats = [place for place in on_card if me.hall[place] < ROW]
                colours = seats if CARDS[card.number].students else list(range(len(COLORS)))
                return Choice(COLORS[self.pick(colours)]) if colours else None
            case Ask.CARD_SWAPS:
                return self._swaps(me.entrance, card.students, min(most, 3), full=None)
            case Ask.HALL_SWAPS:
                return self._swaps(me.entrance, me.hall, min(most, 2), full=me.hall)

    def _swaps(self, entrance: list[int], source: list[int], most: int, full: list[int] | None) -> Choice | None:
        """Pairs that are legal whether the dialect swaps them one by one or all at once."""
        given, taken = list(entrance), list(source)
        rows = None if full is None else list(full)
        swaps: list[tuple[Color, Color]] = []
        for _ in range(1 + self._dice.below(most)):
            leaving = [p for p in range(len(COLORS)) if given[p] and (rows is None or rows[p] < ROW)]
            coming = [p for p in range(len(COLORS)) if taken[p]]
            if not leaving or not coming:
                break
            out, back = self.pick(leaving), self.pick(coming)
            given[out] -= 1
            taken[back] -= 1
            if rows is not None:
                rows[out] += 1
            swaps.append((COLORS[out], COLORS[back]))
        return Choice(swaps=tuple(swaps)) if swaps else None
