"""Players who are lost and come back, and what the passing of time does."""

from shared.game import Absent, DeadlinePassed, Draft, Notice, Present, Timer
from shared.games.eriantys.actions import perform
from shared.games.eriantys.commands import PlayAssistant
from shared.games.eriantys.events import (
    Event,
    Finished,
    Paused,
    PlayerBack,
    PlayerLost,
    Resumed,
    TurnSkipped,
)
from shared.games.eriantys.pieces import Phase, Reason
from shared.games.eriantys.rounds import end_turn
from shared.games.eriantys.state import State, StepDraft, evolve
from shared.games.eriantys.views import View, playable_assistants
from shared.ids import Seat

GRACE = "grace"
ALONE = "alone"


def connected(view: View) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat in range(len(view.players)) if seat not in view.away)


def timers(state: State) -> tuple[Timer, ...]:
    view = state.view
    if view.phase is Phase.OVER or not connected(view):
        return ()
    if view.paused:
        return (Timer(ALONE, state.alone_ms, state.alone_number),)
    return (Timer(GRACE, state.grace_ms, state.turn_number),) if view.turn in view.away else ()


def notice(state: State, notice: Notice) -> tuple[Event, ...]:
    draft = Draft(state, evolve)
    if not draft.state.over:
        match notice:
            case Absent(seat=seat):
                _lose(draft, seat)
            case Present(seat=seat):
                _welcome(draft, seat)
            case DeadlinePassed(name="alone"):
                _end_alone(draft)
            case DeadlinePassed(name="grace"):
                _play_for_absent(draft)
            case _:
                pass
    return tuple(draft.events)


def _lose(draft: StepDraft, seat: Seat) -> None:
    if seat in draft.state.view.away:
        return
    draft.emit(PlayerLost(seat))
    if len(connected(draft.state.view)) == 1:
        draft.emit(Paused())


def _welcome(draft: StepDraft, seat: Seat) -> None:
    if seat not in draft.state.view.away:
        return
    draft.emit(PlayerBack(seat))
    if draft.state.view.paused and len(connected(draft.state.view)) > 1:
        draft.emit(Resumed())


def _end_alone(draft: StepDraft) -> None:
    left = connected(draft.state.view)
    if draft.state.view.paused and len(left) == 1:
        draft.emit(Finished(left, Reason.ALONE))


def _play_for_absent(draft: StepDraft) -> None:
    """The highest assistant that is allowed in the planning; in the action phase the rest of the turn is lost."""
    view = draft.state.view
    if view.paused or view.turn not in view.away:
        return
    if view.phase is Phase.PLANNING:
        perform(draft, view.turn, PlayAssistant(max(playable_assistants(view))))
    else:
        draft.emit(TurnSkipped(view.turn))
        end_turn(draft)
