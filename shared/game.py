"""What a game is: pure functions over frozen structs, gathered in one `Game` value.

A game has no clock, no IO and no `random`. `decide` looks at the state and answers with events or a refusal; `evolve`
applies one event and nothing else. Whatever was drawn is in the event. See docs/games/adding-a-game.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.ids import Seat

S = TypeVar("S", bound=msgspec.Struct)
C = TypeVar("C")
E = TypeVar("E")
O = TypeVar("O", bound=msgspec.Struct)  # noqa: E741

Choice: TypeAlias = dict[str, Any]
"""What a player picked on taking a seat (a mage, a colour), as plain JSON; only the game knows its form."""


def _tag(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=_tag):
    """Base of all commands and events: `class CardPlayed(Message)` travels as `{"type": "card_played", ...}`."""


class Value(msgspec.Struct, frozen=True, gc=False):
    """Base of states and views, and of the parts they are made of."""


class Table(msgspec.Struct, Generic[O], frozen=True):
    """Who plays what: all that `setup` may look at."""

    options: O
    seats: tuple[Seat, ...]
    """The taken seats, ascending. Only a room that starts on its wait timer may have gaps."""
    order: tuple[Seat, ...]
    """The same seats in the order of joining."""
    seed: int
    choices: Mapping[Seat, Choice] = {}


class Absent(Message, frozen=True, tag="absent"):
    """The player of a seat is gone (socket lost or left)."""

    seat: Seat
    for_good: bool = False
    """True for a player who left: nobody can come back to the seat."""


class Present(Message, frozen=True, tag="present"):
    """The player of a seat is back."""

    seat: Seat


class DeadlinePassed(Message, frozen=True, tag="deadline_passed"):
    """A timer that `timers` asked for has run out."""

    name: str


Notice: TypeAlias = Absent | Present | DeadlinePassed


class Timer(msgspec.Struct, frozen=True):
    """A timer that shall be running in this state.

    The room compares the timers of the states before and after each step: one with a new (name, generation) is
    started then, one that is no longer listed is cleared, one that is listed again with the same pair runs on.
    """

    name: str
    after_ms: int
    generation: int = 0


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended. No winners: nobody won. Several: they share the victory."""

    winners: tuple[Seat, ...]
    reason: str = ""
    scores: Mapping[Seat, int] = {}


class Draft(Generic[S, E]):
    """The events decided so far within one command, and the state after them.

    Rules that follow from each other (a card is placed, the turn ends, the last round begins) look at `state`, which
    is the state after the last event emitted.
    """

    __slots__ = ("_evolve", "events", "state")

    def __init__(self, state: S, evolve: Callable[[S, E], S]) -> None:
        self.state = state
        self.events: list[E] = []
        self._evolve = evolve

    def emit(self, *events: E) -> None:
        """Append events, applying each of them to the state."""
        for event in events:
            self.state = self._evolve(self.state, event)
            self.events.append(event)


def no_timers(_state: Any) -> tuple[Timer, ...]:
    """The `timers` of games that know no time."""
    return ()


def _nobody(_state: Any) -> tuple[Seat, ...]:
    return ()


def open_to_all(event: Any, _seat: Seat | None) -> Any:
    """The `redact` of games without secrets."""
    return event


def _no_choice(_options: Any, _seats: int, _taken: Mapping[Seat, Choice], _seat: Seat, _choice: Choice) -> Choice:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[S, C, E, O]):
    """Everything the cluster needs to run a game."""

    name: str
    """Lower case; letters, digits and dashes."""
    title: str
    version: int = 1
    seats: tuple[int, ...]
    """The numbers of players it can be played by."""

    options_type: type[O]
    """The options of a table, each with a default."""
    state_type: type[S]
    command_type: Any
    """A `Message`, or a union of them."""
    event_type: Any
    empty: S
    """The state before the first event."""

    setup: Callable[[Table[O]], tuple[E, ...]]
    """The events that begin a game. Every draw of the set-up is in them, and the seed, if later draws need one."""
    turn: Callable[[S], tuple[Seat, ...]]
    """Who may act now; empty when the game is over or waits for a timer only. Cheap: called after every step."""
    options: Callable[[S, Seat], tuple[C, ...]]
    """All that the seat may do now; bots, clients and tests choose from it."""
    decide: Callable[[S, Seat, C], tuple[E, ...] | Rejected]
    """At least one event, or a refusal. Accepts exactly what `options` lists, but need not enumerate."""
    evolve: Callable[[S, E], S]
    view: Callable[[S, Seat | None], msgspec.Struct]
    """All that a seat, or a spectator (None), may know."""
    outcome: Callable[[S], Outcome | None]
    """None while the game goes on."""

    redact: Callable[[E, Seat | None], E | None] = open_to_all
    """The event as a seat or a spectator may see it; None: not at all."""
    secret_options: tuple[str, ...] = ()
    """Options of a table that are told to nobody; what may be known of them is in the game's views."""
    notice: Callable[[S, Notice], tuple[E, ...]] | None = None
    """What presence and time do to the game (no events: nothing). Without it, the room plays the turns of players who
    stay away with the bot, after the room's grace time."""
    timers: Callable[[S], tuple[Timer, ...]] = no_timers
    bot: Callable[[S, Seat, Dice], C] | None = None
    """Picks what a bot does; without it one of `options` is drawn."""
    admit: Callable[[O, int, Mapping[Seat, Choice], Seat, Choice], Choice | Rejected] = _no_choice
    """Checks and completes the choice of a player who takes a seat: (options, number of seats, choices of the others,
    the seat, what was asked for, maybe {}) -> what the seat gets, which is shown to everybody. Called once more for a
    seat whose table was configured late. Without it there is nothing to choose, whatever was asked for."""
    names: str = ""
    """A regular expression that the whole name of every player must match; empty: any name."""
    removed: Callable[[S], tuple[Seat, ...]] = _nobody
    """Whom the game has taken out for good: to these seats nobody comes back, though the room keeps the names."""
    keeps_seats: bool = True
    """Whether the seat of a player who is lost before the start is kept for the room's grace time, or free at once."""
    least: int | None = None
    """How many players are enough when the table's wait timer runs out (None: it never starts before it is full)."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any]


def default_bot(game: AnyGame, state: Any, seat: Seat, dice: Dice) -> Any:
    """What a bot of this game does now."""
    if game.bot is not None:
        return game.bot(state, seat, dice)
    return dice.choice(game.options(state, seat))
