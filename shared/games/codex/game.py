"""Codex Naturalis as the cluster sees it: the `Game` value, and the outcome."""

from typing import Final

from shared.game import Game, Outcome
from shared.games.codex.bot import bot
from shared.games.codex.commands import Command
from shared.games.codex.events import Event
from shared.games.codex.presence import notice, timers
from shared.games.codex.rules import decide, options, turn
from shared.games.codex.setup import Options, setup
from shared.games.codex.state import State, evolve
from shared.games.codex.visibility import redact, view


def outcome(state: State) -> Outcome | None:
    """The scores are the points of each player."""
    result = state.table.result
    if result is None:
        return None
    return Outcome(result.winners, result.reason, {row.seat: row.points for row in result.standings})


GAME: Final = Game(
    name="codex",
    title="Codex Naturalis",
    seats=(2, 3, 4),
    options_type=Options,
    state_type=State,
    command_type=Command,
    event_type=Event,
    empty=State(),
    setup=setup,
    turn=turn,
    options=options,
    decide=decide,
    evolve=evolve,
    view=view,
    redact=redact,
    outcome=outcome,
    notice=notice,
    timers=timers,
    bot=bot,
)
