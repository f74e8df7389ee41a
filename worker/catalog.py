"""The games that come with the cluster. A new one is a folder in shared/games, and a line here."""

from shared.game import AnyGame
from shared.games import stones
from shared.games.codex import game as codex
from shared.games.eriantys import game as eriantys
from shared.games.snarl import game as snarl

GAMES: tuple[AnyGame, ...] = (stones.GAME, eriantys.GAME, codex.GAME, snarl.GAME)
