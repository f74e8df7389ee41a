"""The games that this worker can play: those of this project, of installed packages and of configured modules."""

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Final

import msgspec

from shared.bus.meta import GameCard
from shared.game import AnyGame, Game
from shared.game_schemas import game_schemas
from shared.games import stones
from shared.games.codex import game as codex
from shared.games.eriantys import game as eriantys
from shared.games.snarl import game as snarl
from shared.ids import GameVersion, game_version, name_and_version
from shared.room_events import RoomEvent
from shared.runtime.settings import SettingError

GAMES: Final[tuple[AnyGame, ...]] = (stones.GAME, eriantys.GAME, codex.GAME, snarl.GAME)
"""The games of this project. A new one is a folder in shared/games and an entry here."""

ENTRY_POINTS: Final = "tavolata.games"
"""The entry point group by which installed packages add games."""


class NoSuchGame(Exception):
    """The catalog has no game of this name, or not in this version."""

    def __init__(self, game: str, version: int | None = None) -> None:
        super().__init__(game if version is None else game_version(game, version))
        self.game = game
        self.version = version or 0


class GameCatalog:
    """Games by name and version, with the decoders of their commands and events."""

    def __init__(self, games: Sequence[AnyGame]) -> None:
        self._games: dict[tuple[str, int], AnyGame] = {}
        self._for_new_rooms: dict[str, AnyGame] = {}
        """The version of each game that new rooms take: the newest, unless other workers cannot play it."""
        self._elsewhere: dict[str, GameVersion] = {}
        """The version that new rooms take of each game that only other workers can play."""
        self._others: frozenset[GameVersion] = frozenset()
        """The game versions that other workers can play."""
        for game in games:
            self._games[game.name, game.version] = game
        self.follow(())
        self._commands = {key: msgspec.json.Decoder(game.command_type).decode for key, game in self._games.items()}
        self._events = {
            key: msgspec.json.Decoder(list[RoomEvent | game.event_type])  # type: ignore[name-defined]
            for key, game in self._games.items()
        }

    def get(self, name: str, version: int | None = None) -> AnyGame:
        """A version of a game, by default the one that new rooms take; raises `NoSuchGame`."""
        game = self._for_new_rooms.get(name) if version is None else self._games.get((name, version))
        if game is None:
            raise NoSuchGame(name, version)
        return game

    def follow(self, others: Collection[Collection[GameVersion]]) -> bool:
        """Follow the game versions that the other live workers can play. Whether new rooms take other versions now.

        New rooms take the newest version that all workers of that game can play: a room of any other version would
        depend on some of them."""
        self._others = frozenset(game for plays in others for game in plays)
        theirs = [_by_game(plays) for plays in others]
        ours = _by_game(self.versions())
        agreed = {name: self._games[name, _newest_common(name, ours[name], theirs)] for name in ours}
        changed, self._for_new_rooms = agreed != self._for_new_rooms, agreed
        known = {name: versions for plays in theirs for name, versions in plays.items() if name not in ours}
        self._elsewhere = {
            name: game_version(name, _newest_common(name, versions, theirs)) for name, versions in known.items()
        }
        return changed

    def elsewhere(self, name: str) -> GameVersion | None:
        """The version that a new room would take of a game that only other workers can play."""
        return self._elsewhere.get(name)

    def is_played_elsewhere(self, game: GameVersion) -> bool:
        return game in self._others

    def can_play(self, wanted: GameVersion) -> bool:
        return name_and_version(wanted) in self._games

    def commands(self, game: AnyGame) -> Callable[[msgspec.Raw], Any]:
        """The decoder of the game's commands; it raises `msgspec.MsgspecError`."""
        return self._commands[game.name, game.version]

    def events(self, game: AnyGame | None, raw: msgspec.Raw) -> list[Any]:
        """Decode the events of a journal record. Without a game, the record is the one that opened the room."""
        if game is None:
            game = self.get(*_opened(raw))
        return self._events[game.name, game.version].decode(raw)

    def names(self) -> list[str]:
        return sorted(self._for_new_rooms)

    def versions(self) -> list[GameVersion]:
        """Every game version that can be played."""
        return sorted(game_version(name, version) for name, version in self._games)

    def cards(self) -> list[GameCard]:
        """The version of each game that new rooms take, as workers announce it in the store."""
        return [_card(game) for game in self._for_new_rooms.values()]


def _card(game: AnyGame) -> GameCard:
    schemas = {part: msgspec.Raw(msgspec.json.encode(schema)) for part, schema in game_schemas(game).items()}
    return GameCard(game.name, game.title, game.version, game.seats, least=game.least, **schemas)


def _by_game(plays: Collection[GameVersion]) -> dict[str, set[int]]:
    """The versions of each game."""
    versions: dict[str, set[int]] = {}
    for name, version in map(name_and_version, plays):
        versions.setdefault(name, set()).add(version)
    return versions


def _newest_common(name: str, versions: set[int], others: Sequence[Mapping[str, set[int]]]) -> int:
    """The newest of the versions of a game that all workers of that game can play; without one, the newest of all."""
    common = versions.intersection(*(plays[name] for plays in others if name in plays))
    return max(common or versions)


class _Spec(msgspec.Struct):
    game: str


class _Opening(msgspec.Struct):
    spec: _Spec
    version: int


def _opened(raw: msgspec.Raw) -> tuple[str, int]:
    """Game and version in the event that opened the room, which is the first of its journal."""
    first = msgspec.json.decode(raw, type=list[msgspec.Raw])[0]
    opening = msgspec.json.decode(first, type=_Opening)
    return opening.spec.game, opening.version


def import_game_module(name: str) -> ModuleType:
    """Import a module, also from the current folder. That folder counts from here on only, when our own packages are
    imported: a folder `worker` or `shared` in it cannot be taken for ours."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return import_module(name)


def load_catalog(modules: str) -> GameCatalog:
    """The games of this project, of installed packages and of the named modules; raises `SettingError`."""
    games: list[AnyGame] = list(GAMES)
    for point in entry_points(group=ENTRY_POINTS):
        games.append(_checked(point.load(), point.value))
    for name in filter(None, (part.strip() for part in modules.split(","))):
        try:
            module = import_game_module(name)
        except ImportError as error:
            raise SettingError(f"TAVOLATA_GAMES: cannot import {name!r}: {error}") from None
        games.append(_checked(getattr(module, "GAME", None), name))
    return GameCatalog(games)


def _checked(game: Any, where: str) -> AnyGame:
    if not isinstance(game, Game):
        raise SettingError(f"TAVOLATA_GAMES: {where} must define GAME as a tavolata.Game, not {type(game).__name__}")
    return game
