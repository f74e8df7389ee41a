"""The whole game as a worker keeps it: the public view, the seed, and the settings and counters of its timers."""

from typing import Final, TypeAlias

from msgspec.structs import replace

from shared.game import Draft, Value
from shared.games.eriantys.events import Began, Event, Paused, PlayerBack, PlayerLost, Resumed, TurnBegan
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.views import View


class State(Value, frozen=True):
    """All of the game. The view is public; the seed must not leave the worker."""

    view: View = View()
    seed: int = 0
    grace_ms: int = 3000
    alone_ms: int = 50000
    turn_number: int = 0
    """The generation of the grace timer: it rises when a turn begins or its player goes away."""
    alone_number: int = 0
    """The generation of the alone timer: it rises when a player goes away or comes back."""

    @property
    def over(self) -> bool:
        return self.view.phase is Phase.OVER


StepDraft: TypeAlias = Draft[State, Event]

_TIMER_EVENTS: Final = frozenset({Began, TurnBegan, Resumed, PlayerLost, PlayerBack, Paused})
"""The events that change more of the state than its view."""


def evolve(state: State, event: Event) -> State:
    """Apply one event: the view changes by `event.on`, and a few events also change the timers' generations."""
    view = event.on(state.view)
    if type(event) not in _TIMER_EVENTS:
        # Nearly all events take this path, twice per command: in `decide` and when the room applies the step.
        return State(view, state.seed, state.grace_ms, state.alone_ms, state.turn_number, state.alone_number)
    match event:
        case Began(seed=seed, grace_ms=grace_ms, alone_ms=alone_ms):
            return State(view, seed, grace_ms, alone_ms)
        case TurnBegan() | Resumed():
            return replace(state, view=view, turn_number=state.turn_number + 1)
        case PlayerLost(seat=seat) if seat == view.turn:
            return replace(state, view=view, turn_number=state.turn_number + 1, alone_number=state.alone_number + 1)
        case _:
            return replace(state, view=view, alone_number=state.alone_number + 1)
