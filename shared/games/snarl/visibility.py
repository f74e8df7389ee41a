"""The part of the game and of each event that a receiver may see."""

from msgspec.structs import replace

from shared.games.snarl.events import (
    AdversaryMoved,
    Event,
    GameBegan,
    LevelBegan,
    PlayerDisconnected,
    PlayerMoved,
    Windows,
)
from shared.games.snarl.state import State
from shared.games.snarl.views import View
from shared.games.snarl.windows import view_of
from shared.ids import Seat


def view(state: State, seat: Seat | None) -> View:
    return view_of(state.scene, seat)


def redact(event: Event, seat: Seat | None) -> Event:
    """Spectators receive all positions; a seat receives its own window and the public part of the event."""
    match event:
        case GameBegan():
            return replace(event, seed=0, levels=())
        case LevelBegan() if seat is not None:
            return LevelBegan(event.number, event.players, windows=_own(event.windows, seat))
        case PlayerMoved() if seat is not None:
            to = event.to if seat == event.seat else None
            return PlayerMoved(event.seat, event.result, to, _own(event.windows, seat))
        case AdversaryMoved() if seat is not None:
            return AdversaryMoved(event.expelled, windows=_own(event.windows, seat))
        case PlayerDisconnected() if seat is not None:
            return replace(event, windows=_own(event.windows, seat))
        case LevelBegan() | PlayerMoved() | AdversaryMoved() | PlayerDisconnected():
            return replace(event, windows={})
        case _:
            return event


def _own(windows: Windows, seat: Seat) -> Windows:
    return {seat: windows[seat]} if seat in windows else {}
