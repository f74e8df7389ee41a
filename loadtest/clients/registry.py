"""Which dialects a game is played in, and a player for each."""

import importlib
import itertools
import time
from collections.abc import Callable, Iterator

from loadtest.checks.checker import Findings
from loadtest.clients.contract import Player, SeatAssignment
from loadtest.clients.play.client import Play
from loadtest.plan import PlanError

PLAY = "play"
MIXED = "mixed"
DIALECTS = {
    "eriantys": ("eriantys.events", "eriantys.prompts", "eriantys.status"),
    "codex": ("codex",),
    "snarl": ("snarl",),
}
"""Besides `play`, which speaks of every game."""
ROOMLESS = ("eriantys.status", "snarl")
"""Dialects that never name a room: who comes sits down wherever a table waits."""


def dialects_of(game: str, dialect: str) -> tuple[str, ...]:
    """The dialects that the seats of a table speak, in turn."""
    known = DIALECTS.get(game, ())
    if dialect == MIXED:
        return known if set(known) == {"snarl"} else (*known, PLAY)
    if dialect != PLAY and dialect not in known:
        raise PlanError(f"{game} is played in the dialects {', '.join((PLAY, *known, MIXED))}, not in {dialect!r}")
    return (dialect,)


def dialect_at(dialects: tuple[str, ...], table: int, seat: int) -> str:
    """What a seat speaks: another dialect at every seat while there are enough, in changing company. The first seat
    speaks one that can tell the others where the table is, if there is one."""
    openers = [dialect for dialect in dialects if dialect not in ROOMLESS] or list(dialects)
    turn, which = divmod(table, len(openers))
    rest = [dialect for dialect in dialects if dialect != openers[which]]
    shift = turn % len(rest) if rest else 0
    ring = [openers[which], *rest[shift:], *rest[:shift]]
    return ring[seat % len(ring)]


def first_id() -> Iterator[int]:
    """Request ids rise over a session, also across its connections."""
    return itertools.count(time.time_ns() // 1000)


def player_for(dialect: str, seating: SeatAssignment, findings: Findings | None = None) -> Player:
    if dialect == PLAY:
        return Play(seating, first_id(), findings)
    module = importlib.import_module(f"loadtest.clients.{dialect.partition('.')[0]}")
    players: dict[str, Callable[[SeatAssignment], Player]] = module.PLAYERS
    return players[dialect](seating)
