"""Snarl as the cluster sees it: the `Game` value, and the outcome."""

from shared.game import Game, Outcome
from shared.games.snarl.bot import bot
from shared.games.snarl.commands import NAMES, Command
from shared.games.snarl.events import End, Event
from shared.games.snarl.presence import notice, removed, timers
from shared.games.snarl.rounds import merit
from shared.games.snarl.rules import decide, options, turn
from shared.games.snarl.setup import Options, TrustedOptions, setup
from shared.games.snarl.state import State, evolve
from shared.games.snarl.visibility import redact, replay, view


def outcome(state: State) -> Outcome | None:
    """The best of the ranking win, if the last level was completed; the scores are the exits of each player."""
    scene = state.scene
    if scene.end is None:
        return None
    best = [score for score in scene.ranking if merit(score) == merit(scene.ranking[0])]
    return Outcome(
        tuple(sorted(score.seat for score in best)) if scene.end is End.WON else (),
        scene.end.value,
        {score.seat: score.exits for score in scene.ranking},
    )


GAME: Game[State, Command, Event, Options] = Game(
    name="snarl",
    title="Snarl",
    seats=(1, 2, 3, 4),
    options_type=Options,
    trusted_options_type=TrustedOptions,
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
    replay=replay,
    secret_options=("levels",),
    notice=notice,
    timers=timers,
    bot=bot,
    removed=removed,
    names=NAMES,
    keeps_seats=False,
    least=1,
)
