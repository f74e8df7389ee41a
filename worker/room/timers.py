"""The deadlines of a room. They follow from its state after every step; no command sets or clears one directly."""

from typing import TypeAlias

from shared.game import AnyGame, no_timers
from shared.results import DeadlineChange, DueDeadline
from shared.room_events import LONG_TURN_MS, OVER, Clock, RoomStatus
from shared.runtime.settings import WorkerSettings
from worker.room.draft import RoomDraft
from worker.room.state import Deadline, RoomState

WAIT, ABANDONED, TURN = "wait", "abandoned", "turn"
SEAT, BOT, AWAY, GAME = "seat", "bot", "away", "game"
"""Prefixes: a dot follows, and the seat or the game's own name for the timer."""

Timers: TypeAlias = dict[str, tuple[int, int]]
"""By name: the generation, and the milliseconds from the start of the timer to the deadline."""


class RoomTimers:
    """Keeps a room's deadlines, and the index of its partition, in step with its state."""

    def __init__(self, draft: RoomDraft, settings: WorkerSettings) -> None:
        self._draft = draft
        self._settings = settings
        self._indexed: dict[str, Deadline] = {}

    def loaded(self) -> None:
        """The room was loaded: the index has the deadlines that the journal led to."""
        self._indexed = self._draft.state.deadlines

    def retime(self, at_ms: int) -> tuple[DeadlineChange, ...]:
        """Let the deadlines follow the state; the changes to the index. If the turn timer changed, the step that is
        being built gets an event that says so. (On a replay no step is being built, and the index has the changes.)"""
        draft, state = self._draft, self._draft.state
        if draft.presence is draft.resting_with:
            return ()
        timers = wanted(draft, self._settings)
        if timers or state.deadlines:
            state.deadlines = retimed(state.deadlines, timers, at_ms)
        before, self._indexed = self._indexed, state.deadlines
        if not state.deadlines and timeless(state, draft.known_game, draft.presence.attended):
            draft.resting_with = draft.presence
        if before == state.deadlines:
            return ()
        turn = state.deadlines.get(TURN)
        clock_ms = turn.due_ms if turn is not None else 0
        if clock_ms != state.clock_ms and draft.events:
            draft.add(Clock(clock_ms))
        return changes(state, before)


def changes(state: RoomState, before: dict[str, Deadline]) -> tuple[DeadlineChange, ...]:
    """The difference between two sets of deadlines. Cleared deadlines come first: a deadline that is replaced has the
    same name, and clearing it afterwards would clear the new one."""
    cleared = [(name, due) for name, due in before.items() if state.deadlines.get(name) != due]
    started = [(name, due) for name, due in state.deadlines.items() if before.get(name) != due]
    return (
        *((DueDeadline(due.due_ms, state.room, name, due.generation), False) for name, due in cleared),
        *((DueDeadline(due.due_ms, state.room, name, due.generation), True) for name, due in started),
    )


def timeless(state: RoomState, game: AnyGame, attended: bool) -> bool:
    """Whether no move can start a deadline. Only an event of the room itself changes that."""
    return (
        state.status == RoomStatus.PLAYING
        and attended
        and not state.spec.turn_ms
        and game.timers is no_timers
        and all(place.here and not place.bot for place in state.seats.values())
    )


def wanted(draft: RoomDraft, settings: WorkerSettings) -> Timers:
    """Every deadline that shall be running now."""
    state = draft.state
    if state.status in OVER:
        return {}
    timers: Timers = {}
    if not draft.presence.attended and not _waits_for_players(state):
        absences = sum(place.aways for place in state.seats.values())
        timers[ABANDONED] = (state.joins + absences, settings.abandoned_ms)
    if state.status == RoomStatus.WAITING:
        _add_waiting(timers, draft, settings)
    else:
        _add_playing(timers, draft, settings)
    return timers


def _waits_for_players(state: RoomState) -> bool:
    """Whether the turns of a running game are so long that its players need not be connected meanwhile."""
    return state.status == RoomStatus.PLAYING and state.spec.turn_ms > LONG_TURN_MS


def _add_waiting(timers: Timers, draft: RoomDraft, settings: WorkerSettings) -> None:
    """Before the start: the game begins with fewer players after a time, and seats of absent players become free."""
    state, game = draft.state, draft.known_game
    if state.spec.wait_ms and game.least is not None and len(state.seats) >= game.least:
        timers[WAIT] = (state.joins, state.spec.wait_ms)
    kept_ms = settings.grace_ms if game.keeps_seats and not state.spec.only else 0
    for seat, place in state.seats.items():
        if not place.here:
            timers[f"{SEAT}.{seat}"] = (place.aways, kept_ms)


def _add_playing(timers: Timers, draft: RoomDraft, settings: WorkerSettings) -> None:
    """During the game: moves of bots, the turn timer, turns of absent players, and timers of the game itself."""
    state, game = draft.state, draft.known_game
    for seat in draft.whose_turn():
        place = state.seats[seat]
        if place.bot:
            timers[f"{BOT}.{seat}"] = (state.moves, settings.bot_ms)
            continue
        if state.spec.turn_ms:
            timers[TURN] = (state.moves, state.spec.turn_ms)
        if game.notice is None and not place.here and (place.left or not _waits_for_players(state)):
            timers[f"{AWAY}.{seat}"] = (state.moves, 0 if place.left else settings.away_ms)
    for timer in game.timers(draft.play):
        timers[f"{GAME}.{timer.name}"] = (timer.generation, timer.after_ms)


def retimed(old: dict[str, Deadline], timers: Timers, at_ms: int) -> dict[str, Deadline]:
    """The deadlines after a step: those that run on, and new ones that start at `at_ms`."""
    deadlines: dict[str, Deadline] = {}
    for name, (generation, after_ms) in timers.items():
        running = old.get(name)
        if running is not None and running.generation == generation:
            deadlines[name] = running
        else:
            deadlines[name] = Deadline(generation, at_ms + after_ms)
    return deadlines
