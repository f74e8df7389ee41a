"""The board of Eriantys as a client keeps it: mutable, and filled from the messages of its dialect."""

from dataclasses import dataclass, field
from typing import Any

from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import COLORS, INDEX, Color


def none() -> list[int]:
    return [0] * len(COLORS)


def counted(students: list[str]) -> list[int]:
    numbers = none()
    for name in students:
        numbers[INDEX[Color(name)]] += 1
    return numbers


@dataclass(slots=True)
class Island:
    """A group of tiles."""

    students: list[int] = field(default_factory=none)
    towers: int = 0
    colour: str = ""
    no_entry: int = 0
    tile: int = 0
    """The lowest tile number, if the dialect sends it."""


@dataclass(slots=True)
class Card:
    number: int
    students: list[int] = field(default_factory=none)
    no_entry: int = 0
    used: bool = False

    @property
    def price(self) -> int:
        return CARDS[self.number].cost + self.used


@dataclass(slots=True)
class Person:
    name: str
    tower: str = ""
    towers: int = 0
    entrance: list[int] = field(default_factory=none)
    hall: list[int] = field(default_factory=none)
    coins: int = 0
    hand: list[int] = field(default_factory=lambda: list(range(1, 11)))
    assistant: int | None = None


@dataclass(slots=True)
class Board:
    people: list[Person]
    islands: list[Island] = field(default_factory=lambda: [Island() for _ in range(12)])
    mother: int = 0
    """The index of Mother Nature's island in the list."""
    clouds: list[list[int]] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    professors: list[int | None] = field(default_factory=lambda: [None] * len(COLORS))

    def card(self, number: int) -> Card:
        return next(card for card in self.cards if card.number == number)

    def seat(self, name: str) -> int:
        return next(seat for seat, person in enumerate(self.people) if person.name == name)

    def comparable(self) -> Any:
        """The public position, in a form that is the same for clients of all dialects."""
        return {
            "islands": [[i.students, i.colour if i.towers else "", i.towers, i.no_entry] for i in self.islands],
            "mother": self.mother,
            "clouds": self.clouds,
            "people": [[p.name, p.entrance, p.hall, p.towers, p.coins] for p in self.people],
            "professors": self.professors,
            "cards": [[card.number, card.students, card.no_entry] for card in self.cards],
        }

    def result(self, winners: list[str]) -> list[str]:
        """The winners if they are of one team; empty if several teams share the victory."""
        colours = {self.people[self.seat(name)].tower for name in winners}
        return sorted(winners) if len(colours) == 1 else []

    def ending(self) -> str:
        """The reason for the end of the game, as far as the position shows it."""
        keepers = {person.tower: person for person in reversed(self.people)}.values()
        if any(keeper.towers == 0 for keeper in keepers):
            return "towers"
        if len(self.islands) <= 3:
            return "islands"
        return "bag" if self.people[0].hand else "assistants"
