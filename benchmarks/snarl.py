"""CPU that a worker spends on a round of Snarl: four players' moves and all adversaries', decided, applied and encoded.

Run it with `python -m benchmarks.snarl`; the round must cost less than a millisecond.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.snarl.commands import Command
from shared.games.snarl.events import AdversaryMoved, Event
from shared.games.snarl.game import GAME
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.ids import Seat

PLAYERS = tuple(Seat(seat) for seat in range(4))
GAMES = 20

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Figures:
    moves: int = 0
    rounds: int = 0
    decide_ns: int = 0
    encode_ns: int = 0
    """The time for redacting the events for every seat and for spectators, and encoding them as JSON."""


def begin(chosen: Options, seed: int) -> State:
    state = GAME.empty
    for event in GAME.setup(Table(chosen, PLAYERS, PLAYERS, seed)):
        state = GAME.evolve(state, event)
    return state


def step(state: State, seat: Seat, command: Command, figures: Figures) -> State:
    """One move as the worker handles it."""
    started = time.process_time_ns()
    events = GAME.decide(state, seat, command)
    if isinstance(events, Rejected):
        raise RuntimeError(f"{command} was refused: {events}")
    for event in events:
        state = GAME.evolve(state, event)
    decided = time.process_time_ns()
    encode_updates(events)
    figures.decide_ns += decided - started
    figures.encode_ns += time.process_time_ns() - decided
    figures.moves += 1
    figures.rounds += any(isinstance(event, AdversaryMoved) for event in events)
    return state


def encode_updates(events: Sequence[Event]) -> None:
    _encode(events)
    for seat in (*PLAYERS, None):
        _encode([GAME.redact(event, seat) for event in events])


def measure(chosen: Options) -> Figures:
    """Rounds in which all four are still active, of many games."""
    figures = Figures()
    if GAME.bot is None:
        raise RuntimeError("the game has no bot")
    for seed in range(GAMES):
        state = begin(chosen, seed)
        moment = 0
        while GAME.outcome(state) is None and len(state.scene.active) == len(PLAYERS):
            seat = GAME.turn(state)[0]
            state = step(state, seat, GAME.bot(state, seat, Dice(seed, moment)), figures)
            moment += 1
    return figures


def main() -> None:
    say = sys.stdout.write
    say(f"{'level':>20} {'rounds':>7} {'decide, apply':>14} {'encode':>9} {'a whole round':>14}\n")
    tables = [(f"shipped {start}", Options(levels="shipped", start=start)) for start in (1, 2, 3)]
    tables += [(f"generated {start}", Options(count=start, start=start)) for start in (1, 3, 6, 10)]
    for name, chosen in tables:
        figures = measure(chosen)
        share = len(PLAYERS) / figures.moves / 1000
        decide, encode = figures.decide_ns * share, figures.encode_ns * share
        say(f"{name:>20} {figures.rounds:>7} {decide:>11.0f} us {encode:>6.0f} us {decide + encode:>11.0f} us\n")


if __name__ == "__main__":
    main()
