"""The part of the game and of each event that a receiver may see: all but the seed, the same for all receivers."""

from msgspec.structs import replace

from shared.games.eriantys.events import Began, Event
from shared.games.eriantys.state import State
from shared.games.eriantys.views import View
from shared.ids import Seat


def view(state: State, _seat: Seat | None) -> View:
    return state.view


def redact(event: Event, _seat: Seat | None) -> Event:
    return replace(event, seed=0) if isinstance(event, Began) else event
