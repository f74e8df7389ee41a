"""The contract of games: pure functions over frozen structs, gathered in one `Game` value.

A game has no clock, no IO and no `random`. `decide` reads the state and returns events or a refusal; `evolve` applies
one event and draws nothing: every draw is recorded in an event. See docs/games/adding-a-game.md.
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
"""The choice of a player who takes a seat (a mage, a color), as plain JSON, in a form that the game defines."""


def _tag(name: str) -> str:
    """The tag of a message class that does not state one: `CardPlayed` becomes `card_played`."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=_tag):
    """The base of all commands and events: `class CardPlayed(Message)` travels as `{"type": "card_played", ...}`.

    The tag is the class name in snake case. State it with `tag="card_played"` before you rename a class: journals of
    running rooms hold the old name.
    """


class Value(msgspec.Struct, frozen=True, gc=False):
    """The base of states, views and options, and of the parts they are made of. Values have no type tag."""


class Table(msgspec.Struct, Generic[O], frozen=True):
    """The table that a game begins at: the only input of `setup`."""

    options: O
    seats: tuple[Seat, ...]
    """The taken seats, ascending. Only a room that starts on its wait timer may have gaps."""
    order: tuple[Seat, ...]
    """The same seats in the order of joining."""
    seed: int
    """The source of all draws. Keep it in the state if `decide` draws, and out of every view."""
    choices: Mapping[Seat, Choice] = {}
    """The choices that `admit` returned."""


class Absent(Message, frozen=True, tag="absent"):
    """Notice: the player of a seat lost the connection, or left."""

    seat: Seat
    for_good: bool = False
    """True for a player who left: the seat stays empty."""


class Present(Message, frozen=True, tag="present"):
    """Notice: the player of a seat is connected again."""

    seat: Seat


class DeadlinePassed(Message, frozen=True, tag="deadline_passed"):
    """Notice: a timer that `timers` listed has expired."""

    name: str


Notice: TypeAlias = Absent | Present | DeadlinePassed
"""The message by which the room informs a game about presence and time."""


class Timer(msgspec.Struct, frozen=True):
    """A timer that runs while the game is in this state.

    The room compares the timers before and after each step. A timer with a new pair of name and generation starts, a
    timer that is no longer listed is canceled, and a timer that is listed again with the same pair keeps running.
    """

    name: str
    after_ms: int
    generation: int = 0


class Outcome(msgspec.Struct, frozen=True):
    """The end of a game. Several winners share the victory; without winners, all players lost."""

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
    """The `timers` of games without timers."""
    return ()


def _no_seats(_state: Any) -> tuple[Seat, ...]:
    return ()


def open_to_all(event: Any, _seat: Seat | None) -> Any:
    """The `redact` of games without secrets."""
    return event


def _no_choice(_options: Any, _seats: int, _taken: Mapping[Seat, Choice], _seat: Seat, _choice: Choice) -> Choice:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[S, C, E, O]):
    """A game: everything the cluster needs to run it."""

    name: str
    """The name in requests and in the store: lower case letters, digits, - and _."""
    title: str
    """The name that players read."""
    version: int = 1
    """Rises when the rules change. A room is played to its end under the version it began with."""
    seats: tuple[int, ...]
    """The numbers of players that the game supports."""

    options_type: type[O]
    """The options of a table, each with a default."""
    state_type: type[S]
    command_type: Any
    """A `Message`, or a union of them."""
    event_type: Any
    """A `Message`, or a union of them."""
    empty: S
    """The state before the first event."""

    setup: Callable[[Table[O]], tuple[E, ...]]
    """Returns the events that begin a game, with every draw of the setup, and the seed if later draws need one."""
    turn: Callable[[S], tuple[Seat, ...]]
    """Returns the seats that may act now: none when the game is over or only waits for a timer. Called after every
    step, so it has to be cheap."""
    options: Callable[[S, Seat], tuple[C, ...]]
    """Returns all commands that the seat may give now. Bots, clients and tests choose from them."""
    decide: Callable[[S, Seat, C], tuple[E, ...] | Rejected]
    """Returns at least one event, or a refusal. It accepts exactly the commands that `options` lists."""
    evolve: Callable[[S, E], S]
    """Returns the state after one event. It must accept every event of the journal: an exception here quarantines the
    room."""
    view: Callable[[S, Seat | None], msgspec.Struct]
    """Returns all that a seat, or a spectator (None), may know."""
    outcome: Callable[[S], Outcome | None]
    """Returns the end of the game, or None while it goes on."""

    redact: Callable[[E, Seat | None], E | None] = open_to_all
    """Returns the event as a seat or a spectator (None) may see it, or None to hide it."""
    replay: Callable[[E], E | None] | None = None
    """Returns the event as replays of finished games show it, or None to hide it. Without it, replays show what
    spectators saw."""
    trusted_options_type: type[O] | None = None
    """The options of a table whose options come from the configuration of a gateway. A game whose options can be large
    limits them in `options_type`, for players, and not here."""
    secret_options: tuple[str, ...] = ()
    """The options of a table that the room never publishes. The game's views may show parts of them."""
    notice: Callable[[S, Notice], tuple[E, ...]] | None = None
    """Returns the events that presence or a timer causes, possibly none. A game without this function leaves absence to
    the room: after the room's grace time, the bot plays the turns of an absent player."""
    timers: Callable[[S], tuple[Timer, ...]] = no_timers
    """Returns the timers that run in this state."""
    bot: Callable[[S, Seat, Dice], C] | None = None
    """Returns the command that a bot gives. Without it, the bot draws one of `options`."""
    admit: Callable[[O, int, Mapping[Seat, Choice], Seat, Choice], Choice | Rejected] = _no_choice
    """Checks and completes the choice of a player who takes a seat. The arguments are the options, the number of seats,
    the choices of the others, the seat, and the requested choice (possibly {}); the result is public. The room calls it
    again if the table is configured after the seat was taken. Without it, every choice becomes {}."""
    names: str = ""
    """A regular expression that the whole name of every player must match; an empty one allows all names."""
    removed: Callable[[S], tuple[Seat, ...]] = _no_seats
    """Returns the seats that the game has removed for good. Their players cannot come back."""
    keeps_seats: bool = True
    """Whether the seat of a player who loses the connection before the start is kept for the room's grace time. If not,
    it is free at once."""
    least: int | None = None
    """The number of players that suffices when the table's wait timer expires. None: only a full table starts."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
"""A game whose types do not matter to the caller."""


def default_bot(game: AnyGame, state: Any, seat: Seat, dice: Dice) -> Any:
    """The command that a bot of this game gives now."""
    if game.bot is not None:
        return game.bot(state, seat, dice)
    return dice.choice(game.options(state, seat))
