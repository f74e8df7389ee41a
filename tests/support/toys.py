"""A small game with everything that stones lacks: secrets, notices, timers, and commands that break it."""

from msgspec.structs import replace

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Game, Message, Notice, Outcome, Present, Table, Timer, Value
from shared.ids import Seat

BELL_MS = 5_000


class Options(Value, frozen=True):
    rounds: int = 6


class Guess(Message, frozen=True):
    number: int


class Boom(Message, frozen=True):
    """`decide` fails on it."""


class Poison(Message, frozen=True):
    """`evolve` fails on what it comes to."""


class Dealt(Message, frozen=True):
    seats: tuple[Seat, ...]
    secrets: dict[Seat, int]
    rounds: int
    seed: int = 0


class Guessed(Message, frozen=True):
    seat: Seat
    number: int
    secret: int = 0
    """The guesser's own secret, which no other seat may see."""


class Poisoned(Message, frozen=True):
    pass


class Noticed(Message, frozen=True):
    what: str


Command = Guess | Boom | Poison
Event = Dealt | Guessed | Poisoned | Noticed


class State(Value, frozen=True):
    seats: tuple[Seat, ...] = ()
    secrets: dict[Seat, int] = {}
    seed: int = 0
    turn: int = 0
    left: int = 0
    rings: int = 0
    log: tuple[str, ...] = ()


def setup(table: Table[Options]) -> tuple[Event, ...]:
    secrets = {seat: Dice(table.seed, "secret", seat).below(1_000_000) for seat in table.seats}
    return (Dealt(table.seats, secrets, table.options.rounds, table.seed),)


def turn(state: State) -> tuple[Seat, ...]:
    return (state.seats[state.turn],) if state.left else ()


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    return (Guess(1), Guess(2)) if seat in turn(state) else ()


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    if isinstance(command, Boom):
        raise ZeroDivisionError("boom")
    if isinstance(command, Poison):
        return (Poisoned(),)
    if seat not in turn(state):
        return Rejected("game/not_your_turn")
    return (Guessed(seat, command.number, state.secrets[seat]),)


def evolve(state: State, event: Event) -> State:
    match event:
        case Dealt(seats=seats, secrets=secrets, rounds=rounds, seed=seed):
            return State(seats, secrets, seed, 0, rounds)
        case Guessed():
            return replace(state, turn=(state.turn + 1) % len(state.seats), left=state.left - 1)
        case Noticed(what=what):
            return replace(state, log=(*state.log, what), rings=state.rings + what.startswith("bell"))
        case Poisoned():
            raise ZeroDivisionError("poison")


def view(state: State, seat: Seat | None) -> State:
    own = {} if seat is None else {seat: state.secrets[seat]}
    return replace(state, secrets=own, seed=0)


def redact(event: Event, seat: Seat | None) -> Event | None:
    if isinstance(event, Dealt):
        own = {} if seat is None else {seat: event.secrets[seat]}
        return replace(event, secrets=own, seed=0)
    if isinstance(event, Guessed) and event.seat != seat:
        return replace(event, secret=0)
    return event


def outcome(state: State) -> Outcome | None:
    return Outcome((state.seats[0],), "rounds", {state.seats[0]: 3}) if state.seats and not state.left else None


def notice(_state: State, what: Notice) -> tuple[Event, ...]:
    match what:
        case Absent(seat=seat, for_good=for_good):
            return (Noticed(f"absent {seat}{' for good' if for_good else ''}"),)
        case Present(seat=seat):
            return (Noticed(f"present {seat}"),)
        case DeadlinePassed(name=name):
            return (Noticed(name),)


def timers(state: State) -> tuple[Timer, ...]:
    return (Timer("bell", BELL_MS, state.rings),) if state.left else ()


TOY = Game(
    name="toy",
    title="Toy",
    seats=(2, 3),
    options_type=Options,
    state_type=State,
    command_type=Command,
    event_type=Event,
    empty=State(),
    setup=setup,
    turn=turn,
    options=options,
    decide=decide,
    evolve=evolve,
    view=view,
    outcome=outcome,
    redact=redact,
    notice=notice,
    timers=timers,
    least=2,
)
