"""The public API for authors of games: the types that a game is written with.

A game module imports from here (and from `msgspec`), never from the packages of the cluster. Checks for your own tests
are in `tavolata.testing`. See docs/games/adding-a-game.md.
"""

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import (
    Absent,
    AnyGame,
    Choice,
    DeadlinePassed,
    Draft,
    Game,
    Message,
    Notice,
    Outcome,
    Present,
    Table,
    Timer,
    Value,
)
from shared.ids import Seat

__all__ = [
    "Absent",
    "AnyGame",
    "Choice",
    "DeadlinePassed",
    "Dice",
    "Draft",
    "Game",
    "Message",
    "Notice",
    "Outcome",
    "Present",
    "Rejected",
    "Seat",
    "Table",
    "Timer",
    "Value",
]
