"""Playing a game module against the contract of games, for authors of games outside this project."""

import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from deploy.errors import USAGE, CommandError
from shared.conformance import NotConformant, check_every_option, play
from shared.game import AnyGame, Game

WALKS = 5
"""In how many of the games everything that is offered is tried, too."""


@dataclass(frozen=True, slots=True)
class Played:
    """One game that went well."""

    seats: int
    events: int
    tried: int


def load(name: str) -> AnyGame:
    """The `GAME` of a module, found as `python -m worker` would find it: the current folder counts too."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise CommandError(f"there is no module {error.name!r}: run this where `import {name}` works", USAGE) from None
    except Exception as error:  # noqa: BLE001  # whatever a module of somebody else does
        raise CommandError(f"{name} cannot be imported: {_place(error)}") from None
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise CommandError(f"{name} has no GAME: see docs/games/adding-a-game.md", USAGE)
    return game


def check(game: AnyGame, games: int) -> Iterator[Played]:
    """Play so many games with every number of players; raises `Trouble` at the first that breaks the contract."""
    for seats in game.seats:
        for number in range(games):
            seed = 1_000_003 * (number + 1)
            try:
                _, journal, _ = play(game, seats, seed, smart=number % 2 == 1)
                tried = check_every_option(game, seats, seed) if number < WALKS else 0
            except NotConformant as error:
                raise CommandError(f"{game.name}, {seats} players, seed {seed}: {error}") from None
            except Exception as error:  # noqa: BLE001  # whatever a game of somebody else does
                raise CommandError(f"{game.name}, {seats} players, seed {seed}: {_place(error)}") from None
            yield Played(seats, len(journal), tried)


def _place(error: Exception) -> str:
    """The error and where it came from, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"
