"""The whole game as a worker keeps it: the open view, and what nobody may know or need to know."""

from msgspec.structs import replace

from shared.game import Value
from shared.games.eriantys.events import Began, Event, Paused, PlayerBack, PlayerLost, Resumed, TurnBegan
from shared.games.eriantys.views import View


class State(Value, frozen=True):
    view: View = View()
    seed: int = 0
    grace_ms: int = 3000
    alone_ms: int = 50000
    turn_number: int = 0
    """New whenever the time that an absent player is granted begins anew."""
    alone_number: int = 0
    """New whenever somebody comes or goes."""


def evolve(state: State, event: Event) -> State:
    view = event.on(state.view)
    match event:
        case Began(seed=seed, grace_ms=grace_ms, alone_ms=alone_ms):
            return State(view, seed, grace_ms, alone_ms)
        case TurnBegan() | Resumed():
            return replace(state, view=view, turn_number=state.turn_number + 1)
        case PlayerLost(seat=seat) if seat == view.turn:
            return replace(state, view=view, turn_number=state.turn_number + 1, alone_number=state.alone_number + 1)
        case PlayerLost() | PlayerBack() | Paused():
            return replace(state, view=view, alone_number=state.alone_number + 1)
        case _:
            return replace(state, view=view)
