"""The games that come with the cluster. A new one is a folder and a line here."""

from shared.engine import AnyGame
from shared.games import stones

GAMES: tuple[AnyGame, ...] = (stones.GAME,)
