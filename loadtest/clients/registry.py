"""The dialects of each game, and the client class of each dialect."""

import importlib
import time
from collections.abc import Callable
from typing import Any

from gateway.dialects.framing import Framing
from loadtest.checks.checker import Findings
from loadtest.clients import eriantys
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
ORIGINALS = {"eriantys": tuple(eriantys.FRAMINGS)}
"""Original programs, as models. They need a TCP listener in their compat mode."""
ROOMLESS = ("eriantys.status", "snarl", eriantys.AM28)
"""Dialects that name no room: a new player is seated wherever a table waits."""


def dialects_of(game: str, dialect: str) -> tuple[str, ...]:
    """The dialects of the seats of a table, in turn, from a list of them; raises `PlanError` for one that the game does
    not have."""
    known = DIALECTS.get(game, ())
    if dialect == MIXED:
        return known if set(known) == {"snarl"} else (*known, PLAY)
    named = tuple(name.strip() for name in dialect.split(","))
    for name in named:
        if name not in (PLAY, *known, *ORIGINALS.get(game, ())):
            every = (PLAY, *known, *ORIGINALS.get(game, ()), MIXED)
            raise PlanError(f"--dialect: {game} has {', '.join(every)}, not {name!r}")
    return named


def framing_of(dialect: str) -> Callable[[], Framing] | None:
    """The framing of a dialect over TCP; None: JSON lines."""
    return eriantys.FRAMINGS.get(dialect)


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


def first_id() -> int:
    """The first id of a session. Ids rise over the session, also across its connections."""
    return time.time_ns() // 1000


def player_for(
    dialect: str,
    seating: SeatAssignment,
    findings: Findings | None = None,
    texts: dict[str, Any] | None = None,
) -> Player:
    """A player of a seat. `texts` are those of the AM24 listener."""
    if dialect == PLAY:
        return Play(seating, first_id(), findings)
    if dialect in eriantys.FRAMINGS:
        return eriantys.original_players(texts or {})[dialect](seating)
    module = importlib.import_module(f"loadtest.clients.{dialect.partition('.')[0]}")
    players: dict[str, Callable[[SeatAssignment], Player]] = module.PLAYERS
    return players[dialect](seating)
