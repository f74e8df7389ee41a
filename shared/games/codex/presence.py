"""Absent players: the timers that wait for them, the choices made for them, and the early end.

See docs/games/codex.md, "Absent players".
"""

from typing import Final

from shared.game import Absent, DeadlinePassed, Draft, Notice, Present, Timer
from shared.games.codex.choices import free_colors, keep_objective, pick_color, place_starting
from shared.games.codex.drawing import first_place
from shared.games.codex.events import Event, PlayerFound, PlayerLost
from shared.games.codex.pieces import Face, Phase
from shared.games.codex.state import State, StepDraft, evolve
from shared.games.codex.turns import draw_card, end_early, pass_turn
from shared.ids import Seat

GRACE: Final = "grace"
ALONE: Final = "alone"


def timers(state: State) -> tuple[Timer, ...]:
    table, presence = state.table, state.presence
    if table.current is None:
        return ()
    running = []
    if table.current in presence.away and table.current not in presence.left:
        since = max(presence.turn_began, presence.away[table.current])
        running.append(Timer(GRACE, state.options.grace_ms, since))
    if len(_connected(state)) < 2:
        running.append(Timer(ALONE, state.options.alone_ms, presence.changed))
    return tuple(running)


def notice(state: State, notice: Notice) -> tuple[Event, ...]:
    if state.table.current is None:
        return ()
    draft = Draft(state, evolve)
    away, left = state.presence.away, state.presence.left
    match notice:
        case Absent(seat=seat, for_good=for_good):
            if seat not in left and (for_good or seat not in away):
                draft.emit(PlayerLost(seat, for_good))
                play_for_players_who_left(draft)
        case Present(seat=seat):
            if seat in away and seat not in left:
                draft.emit(PlayerFound(seat))
        case DeadlinePassed(name=name):
            if name == GRACE and state.table.current in away:
                _act_for(draft, state.table.current)
                play_for_players_who_left(draft)
            elif name == ALONE and len(_connected(state)) < 2:
                end_early(draft, _connected(state))
    return tuple(draft.events)


def play_for_players_who_left(draft: StepDraft) -> None:
    """Act at once for players who left for good, as long as any other player can come back."""
    while (current := draft.state.table.current) is not None:
        left = draft.state.presence.left
        if current not in left or len(left) == len(draft.state.table.order):
            return
        _act_for(draft, current)


def _act_for(draft: StepDraft, seat: Seat) -> None:
    match draft.state.table.phase:
        case Phase.STARTING:
            place_starting(draft, seat, Face.FRONT)
        case Phase.COLOR:
            pick_color(draft, seat, free_colors(draft.state.table)[0])
        case Phase.OBJECTIVE:
            keep_objective(draft, seat, 1)
        case Phase.DRAWING:
            draw_card(draft, first_place(draft.state))
        case Phase.PLAYING | Phase.ENDING:
            pass_turn(draft)


def _connected(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat in state.table.order if seat not in state.presence.away)
