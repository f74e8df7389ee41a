"""The conformance suite of games: plays games with bots and checks the contract of `shared.game` at every step.

Game authors reach it as `tavolata.testing` and as the command `tavolata check-game`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, get_args

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, AnyGame, DeadlinePassed, Notice, Outcome, Present, Table, default_bot
from shared.ids import Seat

MAX_STEPS: Final = 20_000
"""A game that takes more steps counts as endless."""
_LEAST_SEARCHED_SEED: Final = 1_000_000
"""Only a seed above this is searched for in views: a small number occurs in them anyway."""
_NAME: Final = re.compile("[a-z0-9_-]+")
_CODE: Final = re.compile("[a-z0-9_-]+/[a-z0-9_-]+")


class NotConformant(AssertionError):
    """The game breaks the contract; the message says which rule, what was expected and what the game returned."""


def play(
    game: AnyGame,
    seats: int,
    seed: int,
    *,
    options: Any = None,
    watch: Callable[[Any, tuple[Any, ...]], None] | None = None,
    smart: bool = False,
    max_steps: int = MAX_STEPS,
) -> tuple[Any, list[Any], Outcome]:
    """Play one game to its end with bots and check the contract at every step; raises `NotConformant`.

    Bots draw from `options`; with `smart` they use the game's own bot. `watch` is called with the state and the events
    of every step. Returns the last state, all events and the outcome.
    """
    check_declaration(game)
    picks = Dice(seed, "players")
    played = _Playthrough(game, seats, seed, options, watch)
    for step in range(max_steps):
        outcome = game.outcome(played.state)
        turn = game.turn(played.state)
        if outcome is not None:
            _check(turn == (), f"the game is over, so turn() must be (), not {turn}")
            _check_outcome(outcome, played.seats)
            played.check_replay()
            return played.state, played.journal, outcome
        _check(bool(turn), "the game goes on and all players are present, so turn() must name a seat, not ()")
        _check_tuple("turn()", turn)
        actor = picks.choice(turn)
        played.check_notices(actor)
        offered = played.offers(turn, actor)
        played.check_refusal(actor, offered)
        command = default_bot(game, played.state, actor, Dice(seed, step)) if smart else picks.choice(offered)
        _check(command in offered, f"the bot of seat {actor} chose {command!r}, which is not one of its options")
        played.last = command
        played.commit(_decided(game, played.state, actor, command, [seat for seat in played.seats if seat not in turn]))
    raise NotConformant(f"the game must end, but did not within {max_steps} steps")


def check_declaration(game: AnyGame) -> None:
    """Check the plain values of a game, before a function of it is called; raises `NotConformant`."""
    named = isinstance(game.name, str) and _NAME.fullmatch(game.name)
    _check(bool(named), f"name must have lower case letters, digits, - and _ alone, but is {game.name!r}")
    listed = isinstance(game.seats, tuple | list) and bool(game.seats)
    numbers = listed and all(type(number) is int and number > 0 for number in game.seats)
    _check(numbers, f"seats must list the numbers of players, such as (2,), but is {game.seats!r}")
    values = {"a state": game.state_type, "a command": game.command_type, "an event": game.event_type}
    for what, declared in values.items():
        for kind in _classes(declared):
            thawed = issubclass(kind, msgspec.Struct) and not kind.__struct_config__.frozen
            _check(not thawed, f"{what} must be frozen, but the class {kind.__name__} lacks frozen=True")


def _classes(declared: Any) -> Iterator[type]:
    """The classes of a declared type: its own, or those of a union."""
    if isinstance(declared, type):
        yield declared
    for part in get_args(getattr(declared, "__value__", declared)):  # `type Event = ...` has a value
        yield from _classes(part)


def check_every_option(game: AnyGame, seats: int, seed: int, *, options: Any = None, steps: int = 200) -> int:
    """Walk through a random game and try every option at each step; raises `NotConformant`.

    Returns how many options were tried.
    """
    tried = 0
    picks = Dice(seed, "walk")
    state = game.empty
    for event in game.setup(_table(game, seats, seed, options)):
        state = game.evolve(state, event)
    for _ in range(steps):
        turn = game.turn(state)
        if not turn:
            break
        for seat in turn:
            for command in game.options(state, seat):
                _accepted(game.decide(state, seat, command), seat, command)
                tried += 1
        actor = picks.choice(turn)
        command = picks.choice(game.options(state, actor))
        for event in _accepted(game.decide(state, actor, command), actor, command):
            state = game.evolve(state, event)
    return tried


class _Playthrough:
    """One game in progress: its state and all its events so far."""

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        seed: int,
        options: Any,
        watch: Callable[[Any, tuple[Any, ...]], None] | None,
    ) -> None:
        table = _table(game, seats, seed, options)
        self.seats = table.seats
        self.state: Any = game.empty
        self.journal: list[Any] = []
        self.last: Any = None
        """The last command that was accepted."""
        self._game, self._seed, self._watch = game, seed, watch
        events = game.setup(table)
        _check_tuple("setup()", events)
        self.commit(events)

    def commit(self, events: tuple[Any, ...]) -> None:
        """Apply the events of a step as a worker that reads them from a journal would."""
        _check(bool(events), "a step must have at least one event, not none")
        self.state = self._after(self.state, events)
        self.journal.extend(events)
        if self._watch is not None:
            self._watch(self.state, events)

    def offers(self, turn: tuple[Seat, ...], actor: Seat) -> tuple[Any, ...]:
        """The options of the seat that acts. Only the seats that have the turn may have options."""
        _check(actor in self.seats, f"turn() names seat {actor}, but the taken seats are {self.seats}")
        offers = {seat: self._game.options(self.state, seat) for seat in self.seats}
        for seat, offered in offers.items():
            _check_tuple("options()", offered)
            expected = "at least one option" if seat in turn else "no options"
            _check(
                bool(offered) == (seat in turn),
                f"turn() is {turn}, so seat {seat} must have {expected}, not {len(offered)}",
            )
        return offers[actor]

    def check_refusal(self, seat: Seat, offered: tuple[Any, ...]) -> None:
        """A command that comes too late can be decided: clients may send any command at any time."""
        if self.last is not None and self.last not in offered:
            decided = self._game.decide(self.state, seat, self.last)
            if isinstance(decided, Rejected):
                _check_code("decide()", decided)

    def check_notices(self, seat: Seat) -> None:
        """The game accepts the events that a lost and found player, and each of its timers, would cause now."""
        game, timers = self._game, self._game.timers(self.state)
        _check_tuple("timers()", timers)
        names = [timer.name for timer in timers]
        _check(len(set(names)) == len(names), f"timers() must list every name once, but lists {names}")
        _check(all(timer.after_ms > 0 for timer in timers), f"a timer must run for some time, but there is {timers}")
        if game.notice is None:
            _check(not timers, f"the game has no notice(), so nothing would happen when a timer of {names} expires")
            return
        for name in names:
            self._noticed(self.state, DeadlinePassed(name))
        self._noticed(self._noticed(self.state, Absent(seat)), Present(seat))

    def _noticed(self, state: Any, notice: Notice) -> Any:
        """The state after a notice."""
        assert self._game.notice is not None
        events = self._game.notice(state, notice)
        _check_tuple("notice()", events)
        return self._after(state, events)

    def _after(self, state: Any, events: tuple[Any, ...]) -> Any:
        """The state after events that were written to a journal and read again."""
        for event in events:
            decoded = _through_json(event, self._game.event_type)
            _check(decoded == event, f"an event must survive JSON: {event!r} came back as {decoded!r}")
            state = self._game.evolve(state, decoded)
        return state

    def check_replay(self) -> None:
        """The journal gives the same state again, and neither views nor redacted events give the seed away."""
        game, replayed = self._game, self._game.empty
        for event in self.journal:
            replayed = game.evolve(replayed, event)
            for seat in (*self.seats, None):
                receiver = "a spectator" if seat is None else f"seat {seat}"
                self._check_secret(game.view(replayed, seat), f"the view of {receiver}")
                shown = game.redact(event, seat)
                if shown is not None:
                    self._check_secret(shown, f"{type(event).__name__} as redacted for {receiver}")
        _check(replayed == self.state, "a replay of the events must give the same state, but gives another one")
        _check(
            _through_json(self.state, game.state_type) == self.state,
            "the state must survive a snapshot (JSON), but comes back changed",
        )

    def _check_secret(self, shown: Any, where: str) -> None:
        if self._seed > _LEAST_SEARCHED_SEED:
            leaks = str(self._seed).encode() in msgspec.json.encode(shown)
            _check(not leaks, f"the seed must stay secret, but {where} contains it")


def _table(game: AnyGame, seats: int, seed: int, options: Any) -> Table[Any]:
    """A full table at which every player took the choice that the game proposes."""
    players = tuple(Seat(number) for number in range(seats))
    chosen = game.options_type() if options is None else options
    choices: dict[Seat, Any] = {}
    for seat in players:
        choice = game.admit(chosen, seats, choices, seat, {})
        if isinstance(choice, Rejected):
            _check_code("admit()", choice)
            raise NotConformant(f"admit() must find a choice for seat {seat}, but refused: {choice}")
        choices[seat] = choice
    return Table(chosen, players, players, seed, choices)


def _decided(game: AnyGame, state: Any, actor: Seat, command: Any, others: list[Seat]) -> tuple[Any, ...]:
    """The events of an option. Seats that do not have the turn must be refused the same command."""
    decoded = _through_json(command, game.command_type)
    _check(decoded == command, f"a command must survive JSON: {command!r} came back as {decoded!r}")
    for seat in others:
        refused = game.decide(state, seat, command)
        if not isinstance(refused, Rejected):
            raise NotConformant(f"seat {seat} does not have the turn, but decide() accepts {command!r}")
        _check_code("decide()", refused)
    events = _accepted(game.decide(state, actor, command), actor, command)
    _check(
        game.decide(state, actor, command) == events,
        f"decide() must be deterministic, but returned other events for the same command: {command!r}",
    )
    return events


def _accepted(decided: tuple[Any, ...] | Rejected, seat: Seat, command: Any) -> tuple[Any, ...]:
    if isinstance(decided, Rejected):
        raise NotConformant(
            f"options() of seat {seat} lists {command!r}, but decide() refuses it: {decided} ({decided.code})"
        )
    _check_tuple("decide()", decided)
    return decided


def _through_json(value: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def _check_outcome(outcome: Any, seats: tuple[Seat, ...]) -> None:
    _check(isinstance(outcome, Outcome), f"outcome() must return an Outcome or None, not {outcome!r}")
    _check_tuple("the winners of an Outcome", outcome.winners)
    strangers = [seat for seat in outcome.winners if seat not in seats]
    _check(not strangers, f"the winners of an Outcome must be taken seats {seats}, but {strangers} are not")


def _check_code(function: str, refused: Rejected) -> None:
    named = _CODE.fullmatch(refused.code) is not None
    _check(named, f"the code of a refusal must look like 'game/reason', but {function} refuses with {refused.code!r}")


def _check_tuple(what: str, value: Any) -> None:
    """A list would work in some places and fail in others: it does not equal `()`."""
    _check(isinstance(value, tuple), f"{what} must be a tuple, not {type(value).__name__}")


def _check(holds: bool, text: str) -> None:
    if not holds:
        raise NotConformant(text)
