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
from shared.games.snarl.windows import explored, in_sight, view_of, windows
from shared.ids import Seat


def view(state: State, seat: Seat | None) -> View:
    """Spectators see what players have seen in this level, and the adversaries that players see now."""
    scene = state.scene
    if seat is not None or state.whole_level or scene.board is None:
        return view_of(scene, seat)
    centers = {point for trail in state.trails.values() for point in trail}
    adversaries = in_sight(scene.adversaries, windows(scene).values())
    return replace(scene, board=explored(scene.board, centers), adversaries=adversaries)


def redact(event: Event, seat: Seat | None) -> Event:
    """A seat receives its own window and the public part of the event, a spectator what players have seen."""
    return _for_spectator(event) if seat is None else _for_seat(event, seat)


def replay(event: Event) -> Event:
    """Replays of finished games show the whole level, and the windows of none."""
    match event:
        case AdversaryMoved() | PlayerMoved() | LevelBegan() | PlayerDisconnected():
            return replace(event, windows={}, sighted=None)
        case GameBegan():
            return replace(event, seed=0, levels=())
        case _:
            return event


# Moves of adversaries are the most frequent events, so they are looked for first.


def _for_seat(event: Event, seat: Seat) -> Event:
    match event:
        case AdversaryMoved():
            return AdversaryMoved(event.expelled, windows=_window(event.windows, seat))
        case PlayerMoved():
            to = event.to if seat == event.seat else None
            return PlayerMoved(event.seat, event.result, to, _window(event.windows, seat))
        case LevelBegan():
            return LevelBegan(event.number, event.players, windows=_window(event.windows, seat))
        case PlayerDisconnected():
            return PlayerDisconnected(event.seat, event.ejected, _window(event.windows, seat))
        case _:
            return replay(event)


def _for_spectator(event: Event) -> Event:
    match event:
        case AdversaryMoved(sighted=sighted) if sighted is not None:
            return AdversaryMoved(event.expelled, sighted=sighted)
        case PlayerMoved(sighted=sighted) if sighted is not None:
            return replace(event, windows=_window(event.windows, event.seat))
        case LevelBegan(sighted=sighted) if sighted is not None:
            return replace(event, board=None, adversaries=sighted)
        case PlayerDisconnected(sighted=sighted) if sighted is not None:
            return replace(event, windows={})
        case _:  # a table that shows spectators the whole level, or an event without places
            return replay(event)


def _window(shown: Windows, seat: Seat) -> Windows:
    return {seat: shown[seat]} if seat in shown else {}
