"""Which games this worker can play: our own, and those of modules and entry points outside the project."""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import msgspec

from shared.bus.meta import GameCard
from shared.game import AnyGame, Game
from shared.room_events import RoomEvent
from shared.runtime.settings import SettingError
from worker.catalog import GAMES

ENTRY_POINTS = "tavolata.games"


class NoSuchGame(Exception):
    """No game of this name and version is known here."""


class GameCatalog:
    """Games by name and version, with the decoders of their words."""

    def __init__(self, games: Sequence[AnyGame]) -> None:
        self._games: dict[tuple[str, int], AnyGame] = {}
        self._newest: dict[str, AnyGame] = {}
        for game in games:
            self._games[game.name, game.version] = game
            newest = self._newest.get(game.name)
            if newest is None or newest.version < game.version:
                self._newest[game.name] = game
        self._commands = {key: msgspec.json.Decoder(game.command_type) for key, game in self._games.items()}
        self._events = {
            key: msgspec.json.Decoder(list[RoomEvent | game.event_type])  # type: ignore[name-defined]
            for key, game in self._games.items()
        }

    def get(self, name: str, version: int | None = None) -> AnyGame:
        game = self._newest.get(name) if version is None else self._games.get((name, version))
        if game is None:
            raise NoSuchGame(name if version is None else f"{name}@{version}")
        return game

    def commands(self, game: AnyGame) -> Callable[[msgspec.Raw], Any]:
        """Reads a command in the game's words; raises `msgspec.MsgspecError`."""
        return self._commands[game.name, game.version].decode

    def events(self, game: AnyGame | None, raw: msgspec.Raw) -> list[Any]:
        """Events of a journal. Before a room is opened there is no game; its first events are the room's own."""
        if game is None:
            game = self.get(*_opened(raw))
        return self._events[game.name, game.version].decode(raw)

    def names(self) -> list[str]:
        return sorted(self._newest)

    def cards(self) -> list[GameCard]:
        return [
            GameCard(
                game.name,
                game.title,
                game.version,
                game.seats,
                msgspec.Raw(msgspec.json.encode(msgspec.json.schema(game.options_type))),
                msgspec.Raw(msgspec.json.encode(msgspec.json.schema(game.command_type))),
                game.least,
            )
            for game in self._newest.values()
        ]


class _Spec(msgspec.Struct):
    game: str


class _Opening(msgspec.Struct):
    spec: _Spec
    version: int


def _opened(raw: msgspec.Raw) -> tuple[str, int]:
    first = msgspec.json.decode(raw, type=list[msgspec.Raw])[0]
    opening = msgspec.json.decode(first, type=_Opening)
    return opening.spec.game, opening.version


def load_catalog(modules: str) -> GameCatalog:
    """Our own games, those of installed packages, and those of the named modules; raises `SettingError`."""
    games: list[AnyGame] = list(GAMES)
    for point in entry_points(group=ENTRY_POINTS):
        games.append(_checked(point.load(), point.value))
    for name in filter(None, (part.strip() for part in modules.split(","))):
        try:
            module = import_module(name)
        except ImportError as error:
            raise SettingError(f"TAVOLATA_GAMES: cannot import {name!r}: {error}") from None
        games.append(_checked(getattr(module, "GAME", None), name))
    return GameCatalog(games)


def _checked(game: Any, where: str) -> AnyGame:
    if not isinstance(game, Game):
        raise SettingError(f"TAVOLATA_GAMES: {where} has no GAME made with tavolata.Game")
    return game
