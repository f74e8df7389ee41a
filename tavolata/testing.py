"""The conformance suite as functions, for the tests of a game. `tavolata check-game` runs the same checks."""

from shared.conformance import NotConformant, check_every_option, play

__all__ = ["NotConformant", "check_every_option", "play"]
