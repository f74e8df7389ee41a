"""What lost connections and the clock do to a game."""

from shared.game import Absent, DeadlinePassed, Notice, Present, Timer
from shared.games.snarl.events import CameBack, Event, WentAway
from shared.games.snarl.rules import disconnect
from shared.games.snarl.state import State
from shared.games.snarl.views import Standing
from shared.ids import Seat

_MOVE = "move"
_GRACE = "grace-"


def notice(state: State, news: Notice) -> tuple[Event, ...]:
    match news:
        case Absent(seat=seat, for_good=for_good):
            if for_good or not state.grace_ms:
                return disconnect(state, seat)
            return (WentAway(seat),) if _may_go_away(state, seat) else ()
        case Present(seat=seat):
            return (CameBack(seat),) if seat in state.away else ()
        case DeadlinePassed(name=name):
            seat_in_turn = state.scene.turn
            if name == _MOVE:
                return () if seat_in_turn is None else disconnect(state, seat_in_turn)
            seat = Seat(int(name.removeprefix(_GRACE)))
            return disconnect(state, seat) if seat in state.away else ()


def timers(state: State) -> tuple[Timer, ...]:
    """The time for a move, from the coming of the turn, and the grace of everybody who is away."""
    if state.scene.end is not None or state.scene.turn is None:
        return ()
    grace = tuple(Timer(f"{_GRACE}{seat}", state.grace_ms, number) for seat, number in state.away.items())
    return (Timer(_MOVE, state.move_time_ms, state.scene.turns), *grace) if state.move_time_ms else grace


def removed(state: State) -> tuple[Seat, ...]:
    """Nobody can come back to these seats."""
    return tuple(member.seat for member in state.scene.party if member.standing is Standing.DISCONNECTED)


def _may_go_away(state: State, seat: Seat) -> bool:
    return (
        state.scene.end is None
        and seat not in state.away
        and state.scene.member(seat).standing is not Standing.DISCONNECTED
    )
