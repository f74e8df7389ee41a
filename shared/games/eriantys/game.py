"""Eriantys as the cluster sees it: the `Game` value, and the outcome."""

from shared.game import Game, Outcome
from shared.games.eriantys.bot import bot
from shared.games.eriantys.commands import Command
from shared.games.eriantys.events import Event
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.presence import notice, timers
from shared.games.eriantys.rules import decide, options, turn
from shared.games.eriantys.setup import Options, admit, setup
from shared.games.eriantys.state import State, evolve
from shared.games.eriantys.visibility import redact, view
from shared.ids import Seat


def outcome(state: State) -> Outcome | None:
    """The scores are the towers that each seat's color has on the islands."""
    if state.view.phase is not Phase.OVER:
        return None
    built = [tile.tower for tile in state.view.tiles]
    scores = {Seat(seat): built.count(player.tower) for seat, player in enumerate(state.view.players)}
    return Outcome(state.view.winners, state.view.ending, scores)


GAME: Game[State, Command, Event, Options] = Game(
    name="eriantys",
    title="Eriantys",
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
    admit=admit,
)
