"""Players who are lost and come back, and what the passing of time does."""

from shared.game import Absent, DeadlinePassed, Notice, Present, Timer
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
from shared.games.eriantys.rules import perform
from shared.games.eriantys.state import State
from shared.games.eriantys.step import Step
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
    step = Step(state)
    if not step.over:
        match notice:
            case Absent(seat=seat):
                _lose(step, seat)
            case Present(seat=seat):
                _welcome(step, seat)
            case DeadlinePassed(name="alone"):
                _end_alone(step)
            case DeadlinePassed(name="grace"):
                _play_for_absent(step)
            case _:
                pass
    return tuple(step.events)


def _lose(step: Step, seat: Seat) -> None:
    if seat in step.view.away:
        return
    step.emit(PlayerLost(seat))
    if len(connected(step.view)) == 1:
        step.emit(Paused())


def _welcome(step: Step, seat: Seat) -> None:
    if seat not in step.view.away:
        return
    step.emit(PlayerBack(seat))
    if step.view.paused and len(connected(step.view)) > 1:
        step.emit(Resumed())


def _end_alone(step: Step) -> None:
    left = connected(step.view)
    if step.view.paused and len(left) == 1:
        step.emit(Finished(left, Reason.ALONE))


def _play_for_absent(step: Step) -> None:
    """The highest assistant that is allowed in the planning; in the action phase the rest of the turn is lost."""
    view = step.view
    if view.paused or view.turn not in view.away:
        return
    if view.phase is Phase.PLANNING:
        perform(step, view.turn, PlayAssistant(max(playable_assistants(view))))
    else:
        step.emit(TurnSkipped(view.turn))
        end_turn(step)
