"""The part of the game and of each event that a receiver may see."""

from msgspec.structs import replace

from shared.games.codex.events import CardDrawn, Dealt, Event, ObjectiveChosen, PlayerFound, PlayerLost
from shared.games.codex.pieces import Own
from shared.games.codex.state import State
from shared.games.codex.views import View
from shared.ids import Seat


def view(state: State, seat: Seat | None) -> View:
    """Seat None is a spectator."""
    return View(state.table) if seat is None else View(state.table, seat, state.own.get(seat, Own()))


def redact(event: Event, seat: Seat | None) -> Event | None:
    match event:
        case Dealt(own=own):
            return replace(event, own={} if seat is None else {seat: own[seat]}, decks=None)
        case ObjectiveChosen(seat=chooser):
            return event if chooser == seat else replace(event, objective=None)
        case CardDrawn(seat=drawer):
            return event if drawer == seat else replace(event, card=None)
        case PlayerLost() | PlayerFound():
            return None
        case _:
            return event
