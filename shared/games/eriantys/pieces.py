"""The pieces of the game, and arithmetic on counts of students. No rules."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeAlias, cast


class Color(StrEnum):
    """The colors of students and professors, in the order of every array of counts."""

    GREEN = "GREEN"
    RED = "RED"
    YELLOW = "YELLOW"
    PINK = "PINK"
    BLUE = "BLUE"


class Tower(StrEnum):
    """The colors of towers. In a game of four, a tower color is also the name of a team."""

    BLACK = "BLACK"
    WHITE = "WHITE"
    GREY = "GREY"


class Mage(StrEnum):
    MAGE1 = "MAGE1"
    MAGE2 = "MAGE2"
    MAGE3 = "MAGE3"
    MAGE4 = "MAGE4"


class Phase(StrEnum):
    PLANNING = "planning"
    STUDENTS = "students"
    MOTHER = "mother"
    CLOUD = "cloud"
    CHARACTER = "character"
    """The turn is over except for the choice that a paid character still owes."""
    OVER = "over"


class Manner(StrEnum):
    """The ways to play a character."""

    WHOLE = "whole"
    """Paid and used by one command."""
    STRICT = "strict"
    """Paid first; nothing else may be done before the choice, and another action ends a row of swaps."""
    LAX = "lax"
    """Paid first; the choice may be made at any time of the turn, which does not end without it."""


class Reason(StrEnum):
    """The reasons for which a game ends."""

    TOWERS = "towers"
    ISLANDS = "islands"
    BAG = "bag"
    ASSISTANTS = "assistants"
    ALONE = "alone"


Counts: TypeAlias = tuple[int, int, int, int, int]
"""The number of students of each color."""

COLORS: Final = tuple(Color)
INDEX: Final = {color: number for number, color in enumerate(COLORS)}
NO_STUDENTS: Final[Counts] = (0, 0, 0, 0, 0)
TILES: Final = 12
ROW: Final = 10
"""The places of one color in a dining room."""
ASSISTANTS: Final = tuple(range(1, 11))


def counts(numbers: Iterable[int]) -> Counts:
    return cast("Counts", tuple(numbers))


def tally(students: Iterable[Color]) -> Counts:
    numbers = [0, 0, 0, 0, 0]
    for color in students:
        numbers[INDEX[color]] += 1
    return counts(numbers)


def plus(students: Counts, color: Color, number: int = 1) -> Counts:
    numbers = list(students)
    numbers[INDEX[color]] += number
    return counts(numbers)


def together(some: Counts, others: Counts) -> Counts:
    return counts(map(int.__add__, some, others))


def without(some: Counts, others: Counts) -> Counts:
    return counts(map(int.__sub__, some, others))


def holds(some: Counts, others: Counts) -> bool:
    return all(have >= need for have, need in zip(some, others, strict=True))


def listed(students: Counts) -> tuple[Color, ...]:
    """The students as a list of colors, in the order of colors."""
    return tuple(color for color, number in zip(COLORS, students, strict=True) for _ in range(number))


def steps_of(assistant: int) -> int:
    """The number of steps that an assistant allows mother nature."""
    return (assistant + 1) // 2


def students_per_cloud(players: int) -> int:
    """The students on a full cloud, which is also the number of students moved in a turn."""
    return 4 if players == 3 else 3
