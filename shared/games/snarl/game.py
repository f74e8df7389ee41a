"""Snarl, gathered."""

from shared.game import Game
from shared.games.snarl.bot import bot
from shared.games.snarl.commands import NAMES, Command
from shared.games.snarl.events import Event
from shared.games.snarl.options import Options
from shared.games.snarl.presence import notice, removed, timers
from shared.games.snarl.rules import decide, options, outcome, setup, turn
from shared.games.snarl.state import State, evolve
from shared.games.snarl.visibility import redact, view

GAME: Game[State, Command, Event, Options] = Game(
    name="snarl",
    title="Snarl",
    seats=(1, 2, 3, 4),
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
    outcome=outcome,
    redact=redact,
    secret_options=("levels",),
    notice=notice,
    timers=timers,
    bot=bot,
    removed=removed,
    names=NAMES,
    keeps_seats=False,
    least=1,
)
