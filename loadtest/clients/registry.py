"""The dialects of each game, and the client class of each dialect."""

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
"""Dialects besides `play`, which serves every game."""
ROOMLESS = ("eriantys.status", "snarl")
"""Dialects that name no room: a new player is seated wherever a table waits."""


def dialects_of(game: str, dialect: str) -> tuple[str, ...]:
    """The dialects of the seats of a table, in turn; raises `PlanError` for one that the game does not have."""
    known = DIALECTS.get(game, ())
    if dialect == MIXED:
        return known if set(known) == {"snarl"} else (*known, PLAY)
    if dialect != PLAY and dialect not in known:
        raise PlanError(f"--dialect: {game} has {', '.join((PLAY, *known, MIXED))}, not {dialect!r}")
    return (dialect,)


def dialect_at(dialects: tuple[str, ...], table: int, seat: int) -> str:
    """The dialect of a seat. The seats of a table use different dialects as far as there are enough, and the
    combinations change from table to table. The first seat uses one that names rooms, if there is one, so that the
    others can join by number."""
    openers = [dialect for dialect in dialects if dialect not in ROOMLESS] or list(dialects)
    turn, which = divmod(table, len(openers))
    rest = [dialect for dialect in dialects if dialect != openers[which]]
    shift = turn % len(rest) if rest else 0
    ring = [openers[which], *rest[shift:], *rest[:shift]]
    return ring[seat % len(ring)]


def request_ids() -> Iterator[int]:
    """Ids that rise over a session, also across its connections."""
    return itertools.count(time.time_ns() // 1000)


def player_for(dialect: str, seating: SeatAssignment, findings: Findings | None = None) -> Player:
    if dialect == PLAY:
        return Play(seating, request_ids(), findings)
    module = importlib.import_module(f"loadtest.clients.{dialect.partition('.')[0]}")
    players: dict[str, Callable[[SeatAssignment], Player]] = module.PLAYERS
    return players[dialect](seating)
