"""Tools for the tests of a game: the conformance suite, and a table in memory. `tavolata check-game` runs the suite.

`tavolata.testing.rooms` has a room in memory, with bots, presence and timers; `tavolata.testing.strategies` has
strategies for hypothesis.
"""

from shared.conformance import NotConformant, check_every_option, play
from tavolata.testing.tables import CommandRefused, GameTable

__all__ = ["CommandRefused", "GameTable", "NotConformant", "check_every_option", "play"]
