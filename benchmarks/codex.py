"""The cost of Codex Naturalis: CPU time of an ordinary command (decide and evolve) and of `options`, at the median.

`python -m benchmarks.codex` prints the figures and fails if one is over its limit.
"""

import sys
import time
from statistics import median

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.codex.commands import Command
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Phase
from shared.games.codex.setup import Options
from shared.games.codex.state import State
from shared.ids import Seat

COMMAND_LIMIT_US = 100.0
OPTIONS_LIMIT_US = 500.0
GAMES = 6
REPEATS = 5


def moments() -> list[tuple[State, Seat, Command]]:
    """Every command of a few games of bots, with the state it was given in."""
    found: list[tuple[State, Seat, Command]] = []
    for seats in (2, 3, 4):
        for seed in range(GAMES):
            players = tuple(Seat(number) for number in range(seats))
            state = GAME.empty
            for event in GAME.setup(Table(Options(), players, players, seed)):
                state = GAME.evolve(state, event)
            while turn := GAME.turn(state):
                assert GAME.bot is not None
                command = GAME.bot(state, turn[0], Dice(seed, len(found)))
                found.append((state, turn[0], command))
                state = carry_out(state, turn[0], command)
    return found


def carry_out(state: State, seat: Seat, command: Command) -> State:
    events = GAME.decide(state, seat, command)
    assert not isinstance(events, Rejected)
    for event in events:
        state = GAME.evolve(state, event)
    return state


def cost_of_command(state: State, seat: Seat, command: Command) -> float:
    begin = time.thread_time_ns()
    for _ in range(REPEATS):
        carry_out(state, seat, command)
    return (time.thread_time_ns() - begin) / REPEATS / 1_000


def cost_of_options(state: State, seat: Seat) -> float:
    begin = time.thread_time_ns()
    for _ in range(REPEATS):
        GAME.options(state, seat)
    return (time.thread_time_ns() - begin) / REPEATS / 1_000


def main() -> int:
    found = moments()
    commands = [cost_of_command(*moment) for moment in found]
    options = [cost_of_options(state, seat) for state, seat, _ in found]
    lines = [f"{len(found)} commands of {3 * GAMES} games, CPU microseconds at the median (and at most):"]
    for phase in Phase:
        of_phase = [number for number, (state, _, _) in enumerate(found) if state.table.phase is phase]
        if of_phase:
            acted, offered = ([costs[number] for number in of_phase] for costs in (commands, options))
            lines.append(f"  {phase:<10} command {_figures(acted)}   options {_figures(offered)}")
    placings = [cost for cost, (state, _, _) in zip(options, found, strict=True) if state.table.phase is Phase.PLAYING]
    command, offer = median(commands), median(placings)
    lines.append(f"  an ordinary command: {command:.1f}, less than {COMMAND_LIMIT_US:.0f} is wanted")
    lines.append(f"  options of placing:  {offer:.1f}, less than {OPTIONS_LIMIT_US:.0f} is wanted")
    print("\n".join(lines))  # noqa: T201
    return int(command >= COMMAND_LIMIT_US or offer >= OPTIONS_LIMIT_US)


def _figures(costs: list[float]) -> str:
    return f"{median(costs):6.1f} ({max(costs):6.1f})"


if __name__ == "__main__":
    sys.exit(main())
