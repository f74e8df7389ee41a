"""The CPU time that Eriantys takes to decide and apply a command of random games.

`python -m benchmarks.eriantys` prints the figures.
"""

import sys
from statistics import median, quantiles
from time import process_time_ns

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.eriantys.game import GAME
from shared.games.eriantys.setup import Options
from shared.ids import Seat

GAMES = 20


def measure(players: int, expert: bool, seed: int) -> dict[str, list[float]]:
    """Microseconds of every command of one random game, by its type."""
    seats = tuple(map(Seat, range(players)))
    state = GAME.empty
    for event in GAME.setup(Table(Options(expert=expert), seats, seats, seed)):
        state = GAME.evolve(state, event)
    dice, took = Dice(seed, "benchmark"), dict[str, list[float]]()
    while turn := GAME.turn(state):
        command = dice.choice(GAME.options(state, turn[0]))
        began = process_time_ns()
        events = GAME.decide(state, turn[0], command)
        if isinstance(events, Rejected):
            raise RuntimeError(f"offered but refused: {command}")
        for event in events:
            state = GAME.evolve(state, event)
        took.setdefault(type(command).__name__, []).append((process_time_ns() - began) / 1000)
    return took


def say(what: str, times: list[float]) -> None:
    slowest = quantiles(times, n=100)[98] if len(times) > 1 else times[0]
    sys.stdout.write(f"{what}: median {median(times):.1f} us, p99 {slowest:.1f} us, {len(times)} commands\n")


def main() -> None:
    everything: list[float] = []
    by_type: dict[str, list[float]] = {}
    for players in (2, 3, 4):
        for expert in (False, True):
            times: list[float] = []
            for seed in range(GAMES):
                for name, some in measure(players, expert, seed).items():
                    times += some
                    by_type.setdefault(name, []).extend(some)
            everything += times
            say(f"{players} players, {'expert' if expert else 'simple'}", times)
    for name, some in sorted(by_type.items()):
        say(name, some)
    say("all", everything)


if __name__ == "__main__":
    main()
