"""Stones, the example game: take one to three stones in turn; whoever takes the last one wins."""

from typing import TypeAlias

from msgspec.structs import replace

from shared.errors import Rejected
from shared.game import Game, Message, Outcome, Table, Value
from shared.ids import Seat


class Options(Value, frozen=True, forbid_unknown_fields=True):
    stones: int = 21


class Take(Message, frozen=True):
    count: int


class Started(Message, frozen=True):
    stones: int
    seats: tuple[Seat, ...]


class Taken(Message, frozen=True):
    seat: Seat
    count: int


Event: TypeAlias = Started | Taken


class State(Value, frozen=True):
    stones: int = 0
    seats: tuple[Seat, ...] = ()
    turn: Seat = Seat(0)
    winner: Seat | None = None


def setup(table: Table[Options]) -> tuple[Event, ...]:
    return (Started(max(1, table.options.stones), table.seats),)


def turn(state: State) -> tuple[Seat, ...]:
    return (state.turn,) if state.stones else ()


def options(state: State, seat: Seat) -> tuple[Take, ...]:
    return tuple(Take(count) for count in range(1, min(3, state.stones) + 1)) if seat in turn(state) else ()


def decide(state: State, seat: Seat, command: Take) -> tuple[Event, ...] | Rejected:
    if not state.stones:
        return Rejected("game/over")
    if seat != state.turn:
        return Rejected("game/not_your_turn")
    if not 1 <= command.count <= min(3, state.stones):
        return Rejected("game/illegal", f"take 1 to {min(3, state.stones)} stones")
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
