"""Absent players and the timers of Snarl: the time for a move, and the grace time after a lost connection."""

from shared.game import Absent, DeadlinePassed, Draft, Notice, Present, Timer
from shared.games.snarl.events import CameBack, Event, WentAway
from shared.games.snarl.rounds import disconnect
from shared.games.snarl.state import State, StepDraft, evolve
from shared.games.snarl.views import Standing
from shared.ids import Seat

_MOVE = "move"
_GRACE = "grace-"


def notice(state: State, notice: Notice) -> tuple[Event, ...]:
    """The events that presence or a deadline causes; none if it changes nothing."""
    draft = Draft(state, evolve)
    match notice:
        case Absent(seat=seat, for_good=for_good):
            if for_good or not state.grace_ms:
                disconnect(draft, seat)
            elif _may_go_away(state, seat):
                draft.emit(WentAway(seat))
        case Present(seat=seat):
            if seat in state.away:
                draft.emit(CameBack(seat))
        case DeadlinePassed(name=name):
            _deadline_passed(draft, name)
    return tuple(draft.events)


def timers(state: State) -> tuple[Timer, ...]:
    """The timer of the current move, from the beginning of the turn, and one grace timer for each absent player."""
    if state.scene.end is not None or state.scene.turn is None:
        return ()
    grace = tuple(Timer(f"{_GRACE}{seat}", state.grace_ms, number) for seat, number in state.away.items())
    return (Timer(_MOVE, state.move_time_ms, state.scene.turns), *grace) if state.move_time_ms else grace


def removed(state: State) -> tuple[Seat, ...]:
    """The seats of disconnected players, who cannot come back."""
    return tuple(member.seat for member in state.scene.party if member.standing is Standing.DISCONNECTED)


def _deadline_passed(draft: StepDraft, name: str) -> None:
    if name == _MOVE:
        if draft.state.scene.turn is not None:
            disconnect(draft, draft.state.scene.turn)
        return
    seat = Seat(int(name.removeprefix(_GRACE)))
    if seat in draft.state.away:
        disconnect(draft, seat)


def _may_go_away(state: State, seat: Seat) -> bool:
    return (
        state.scene.end is None
        and seat not in state.away
        and state.scene.member(seat).standing is not Standing.DISCONNECTED
    )
