"""Which dialects a game is played in, and a player for each."""

import importlib
import itertools
import time
from collections.abc import Callable, Iterator

from loadtest.checker import Findings
from loadtest.plan import PlanError
from loadtest.play import Play
from loadtest.player import Player, Seating

PLAY = "play"
DIALECTS = {
    "eriantys": ("eriantys.events", "eriantys.prompts", "eriantys.status"),
    "codex": ("codex",),
    "snarl": ("snarl",),
}
"""Besides `play`, which speaks of every game."""
MIXED = "mixed"


def dialects_of(game: str, dialect: str) -> tuple[str, ...]:
    """The dialects that the seats of a table speak, in turn."""
    known = DIALECTS.get(game, ())
    if dialect == MIXED:
        return known or (PLAY,)
    if dialect != PLAY and dialect not in known:
        raise PlanError(f"{game} is played in the dialects {', '.join((PLAY, *known, MIXED))}, not in {dialect!r}")
    return (dialect,)


def first_id() -> Iterator[int]:
    """Request ids rise over a session, also across its connections."""
    return itertools.count(time.time_ns() // 1000)


def player_for(dialect: str, seating: Seating, findings: Findings | None = None) -> Player:
    if dialect == PLAY:
        return Play(seating, first_id(), findings)
    module = importlib.import_module(f"loadtest.{dialect.partition('.')[0]}")
    players: dict[str, Callable[[Seating], Player]] = module.PLAYERS
    return players[dialect](seating)
