"""Which deadlines a room has. They follow from its state; nobody sets or clears them by hand."""

from typing import Any

from shared.game import AnyGame, no_timers
from shared.ids import Seat
from shared.room_events import OVER, RoomStatus
from shared.runtime.settings import WorkerSettings
from worker.room.state import Deadline, RoomState

WAIT, ABANDONED, TURN = "wait", "abandoned", "turn"
SEAT, BOT, AWAY, GAME = "seat", "bot", "away", "game"
"""These are followed by a dot and the seat, or the game's own name for the timer."""


def timeless(state: RoomState, game: AnyGame, attended: bool) -> bool:
    """Whether no deadline can come of what the game does: only an event of the room itself changes that."""
    return (
        state.status == RoomStatus.PLAYING
        and attended
        and not state.spec.turn_ms
        and game.timers is no_timers
        and all(place.here and not place.bot for place in state.seats.values())
    )


def wanted(
    state: RoomState, game: AnyGame, play: Any, turn: tuple[Seat, ...], attended: bool, settings: WorkerSettings
) -> dict[str, tuple[int, int]]:
    """Name -> (generation, milliseconds from its start) of every deadline that shall be running now."""
    if state.status in OVER:
        return {}
    timers: dict[str, tuple[int, int]] = {}
    if not attended:
        timers[ABANDONED] = (state.joins + sum(place.aways for place in state.seats.values()), settings.abandoned_ms)
    if state.status == RoomStatus.WAITING:
        if state.spec.wait_ms and game.least is not None and len(state.seats) >= game.least:
            timers[WAIT] = (state.joins, state.spec.wait_ms)
        kept_ms = settings.grace_ms if game.keeps_seats and not state.spec.only else 0
        for seat, place in state.seats.items():
            if not place.here:
                timers[f"{SEAT}.{seat}"] = (place.aways, kept_ms)
        return timers
    for seat in turn:
        place = state.seats[seat]
        if place.bot:
            timers[f"{BOT}.{seat}"] = (state.moves, settings.bot_ms)
            continue
        if state.spec.turn_ms:
            timers[TURN] = (state.moves, state.spec.turn_ms)
        if game.notice is None and not place.here:
            timers[f"{AWAY}.{seat}"] = (state.moves, 0 if place.left else settings.away_ms)
    for timer in game.timers(play):
        timers[f"{GAME}.{timer.name}"] = (timer.generation, timer.after_ms)
    return timers


def retimed(old: dict[str, Deadline], timers: dict[str, tuple[int, int]], at: int) -> dict[str, Deadline]:
    """The deadlines after a step: those that run on, and new ones that begin at `at`."""
    deadlines: dict[str, Deadline] = {}
    for name, (generation, after_ms) in timers.items():
        running = old.get(name)
        if running is not None and running.generation == generation:
            deadlines[name] = running
        else:
            deadlines[name] = Deadline(generation, at + after_ms)
    return deadlines
