"""`tavolata check-game`: loads a game module and runs the conformance suite on it."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from deploy.errors import USAGE, CommandError
from shared.conformance import check_declaration
from tavolata import AnyGame, Game
from tavolata.testing import NotConformant, check_every_option, play
from worker.games import import_game_module

WALKS: Final = 5
"""The number of games in which every option is tried. It takes much longer than playing."""


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """The figures of one game that kept the contract."""

    seats: int
    events: int
    tried: int


def load(name: str) -> AnyGame:
    """The `GAME` of a module, imported as a worker would import it: the current folder counts too."""
    try:
        module = import_game_module(name)
    except ModuleNotFoundError as error:
        raise CommandError(f"there is no module {error.name!r}: run this where `import {name}` works", USAGE) from None
    except Exception as error:  # noqa: BLE001  # the module is not ours: any error is possible
        raise CommandError(f"{name} cannot be imported: {_described(error)}") from None
    if not hasattr(module, "GAME"):
        raise CommandError(f"{name} has no GAME: see docs/games/adding-a-game.md", USAGE)
    if not isinstance(module.GAME, Game):
        raise CommandError(f"{name}.GAME must be a tavolata.Game, not {type(module.GAME).__name__}", USAGE)
    try:
        check_declaration(module.GAME)
    except NotConformant as error:
        raise CommandError(f"{name}.GAME: {error}") from None
    return module.GAME


def check(game: AnyGame, games: int) -> Iterator[CheckedGame]:
    """Play this many games with every number of players; raises `CommandError` for the first that fails a check."""
    for seats in game.seats:
        for number in range(games):
            seed = 1_000_003 * (number + 1)
            try:
                _, journal, _ = play(game, seats, seed, smart=number % 2 == 1)
                tried = check_every_option(game, seats, seed) if number < WALKS else 0
            except NotConformant as error:
                raise CommandError(f"{game.name}, {seats} players, seed {seed}: {error}") from None
            except Exception as error:  # noqa: BLE001  # the game is not ours: any error is possible
                raise CommandError(f"{game.name}, {seats} players, seed {seed}: {_described(error)}") from None
            yield CheckedGame(seats, len(journal), tried)


def _described(error: Exception) -> str:
    """The error and the line that raised it, in one line of text. A syntax error names its line itself."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"
