"""The closed sets and small things that commands, events, views and cards are written with."""

from enum import StrEnum
from typing import Final, TypeAlias

from shared.game import Value
from shared.ids import Seat

BOARD_SIZE: Final = 81
CENTRE: Final = 40
"""Row and column of the starting card."""

RESOURCE_DECK: Final = 0
GOLD_DECK: Final = 1
FIRST_FACE_UP: Final = 2
PLACES: Final = 6
"""The number of places to draw from: the two decks, then two face-up resource and two face-up gold places."""


class Face(StrEnum):
    FRONT = "front"
    BACK = "back"


class Color(StrEnum):
    """The colors of the pawns, in the order in which the game offers them."""

    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    YELLOW = "yellow"


class Kind(StrEnum):
    RESOURCE = "resource"
    GOLD = "gold"
    STARTING = "starting"
    OBJECTIVE = "objective"


class Kingdom(StrEnum):
    FUNGI = "fungi"
    PLANT = "plant"
    ANIMAL = "animal"
    INSECT = "insect"


class Symbol(StrEnum):
    """The four resources, spelled like their kingdoms, and the three objects."""

    FUNGI = "fungi"
    PLANT = "plant"
    ANIMAL = "animal"
    INSECT = "insect"
    QUILL = "quill"
    INKWELL = "inkwell"
    MANUSCRIPT = "manuscript"


class Blank(StrEnum):
    """A corner without a symbol: one that can be covered, or none at all."""

    EMPTY = "empty"
    MISSING = "missing"


Corner: TypeAlias = Symbol | Blank


class Phase(StrEnum):
    STARTING = "starting"
    COLOR = "color"
    OBJECTIVE = "objective"
    PLAYING = "playing"
    DRAWING = "drawing"
    ENDING = "ending"


class Timing(Value, frozen=True):
    """The times, in milliseconds, that the game waits for absent players."""

    grace_ms: int = 10_000
    """The wait for an absent player whose turn it is."""
    alone_ms: int = 60_000
    """The wait of the last connected player before winning."""


class Back(Value, frozen=True):
    """The visible side of a card that lies face down."""

    kind: Kind
    kingdom: Kingdom


Place: TypeAlias = int | Back | None
"""A place to draw from: the number of a face-up card, the back of a deck's top card, or nothing."""


class Placed(Value, frozen=True):
    """A card in a player's area."""

    card: int
    face: Face
    i: int
    j: int


class Own(Value, frozen=True):
    """The part of the game that only its player knows."""

    hand: tuple[int, ...] = ()
    starting: int | None = None
    """Until it is placed."""
    offered: tuple[int, ...] = ()
    """The two objectives to choose from, until the choice is made."""
    objective: int | None = None


class Standing(Value, frozen=True):
    seat: Seat
    points: int
    objective_points: int


class Result(Value, frozen=True):
    """The end of the game: by `points`, because one player was left `alone`, or `abandoned` by all."""

    reason: str
    winners: tuple[Seat, ...]
    standings: tuple[Standing, ...]
    """All players, best first."""
