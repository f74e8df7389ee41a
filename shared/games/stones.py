"""Stones, the example game: players take one to three stones in turn, and the last stone wins.

The module is written as a game outside the project would be: it imports `tavolata` and nothing else of the cluster.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from tavolata import Game, Message, Outcome, Rejected, Seat, Table, Value

MOST_STONES: Final = 2_000_000_000
MOST_TAKEN: Final = 3


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a table."""

    stones: Annotated[int, Meta(ge=1, le=MOST_STONES)] = 21
    """The number of stones at the beginning."""


class Take(Message, frozen=True):
    """The command: take this many stones."""

    count: int


class Started(Message, frozen=True):
    stones: int
    seats: tuple[Seat, ...]


class Taken(Message, frozen=True):
    seat: Seat
    count: int


Event: TypeAlias = Started | Taken


class State(Value, frozen=True):
    """The whole game. Nothing in it is secret, so that it is also the view of every seat."""

    stones: int = 0
    seats: tuple[Seat, ...] = ()
    turn: Seat = Seat(0)
    winner: Seat | None = None


def setup(table: Table[Options]) -> tuple[Event, ...]:
    return (Started(table.options.stones, table.seats),)


def turn(state: State) -> tuple[Seat, ...]:
    return (state.turn,) if state.stones else ()


def most(state: State) -> int:
    """The number of stones that may be taken at most. `options` and `decide` both go by it."""
    return min(MOST_TAKEN, state.stones)


def options(state: State, seat: Seat) -> tuple[Take, ...]:
    if seat not in turn(state):
        return ()
    return tuple(Take(count) for count in range(1, most(state) + 1))


def decide(state: State, seat: Seat, command: Take) -> tuple[Event, ...] | Rejected:
    if not state.stones:
        return Rejected("game/over")
    if seat != state.turn:
        return Rejected("game/not_your_turn")
    if not 1 <= command.count <= most(state):
        return Rejected("game/illegal", f"take 1 to {most(state)} stones")
    return (Taken(seat, command.count),)


def evolve(state: State, event: Event) -> State:
    match event:
        case Started(stones=stones, seats=seats):
            return State(stones, seats, seats[0])
        case Taken(seat=seat, count=count):
            left = state.stones - count
            after = state.seats[(state.seats.index(seat) + 1) % len(state.seats)]
            return replace(state, stones=left, turn=after, winner=None if left else seat)


def view(state: State, _seat: Seat | None) -> State:
    return state


def outcome(state: State) -> Outcome | None:
    return None if state.winner is None else Outcome((state.winner,), "last_stone")


GAME = Game(
    name="stones",
    title="Stones",
    seats=(2, 3, 4),
    options_type=Options,
    state_type=State,
    command_type=Take,
    event_type=Event,
    empty=State(),
    setup=setup,
    turn=turn,
    options=options,
    decide=decide,
    evolve=evolve,
    view=view,
    outcome=outcome,
)
