"""What any game must satisfy, as one function: for our own tests, and for authors of games outside this project."""

from collections.abc import Callable
from typing import Any

import msgspec

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import AnyGame, Outcome, Table, default_bot
from shared.ids import Seat

MOST_STEPS = 20_000


class NotConformant(AssertionError):
    """The game breaks the contract; the message says where."""


def play(
    game: AnyGame,
    seats: int,
    seed: int,
    *,
    options: Any = None,
    watch: Callable[[Any, tuple[Any, ...]], None] | None = None,
    smart: bool = False,
    most_steps: int = MOST_STEPS,
) -> tuple[Any, list[Any], Outcome]:
    """Play one game to its end with bots (random ones unless `smart`), checking the contract at every step.

    `watch` is called with the state and the events of every step. Returns the last state, all events, the outcome.
    """
    picks = Dice(seed, "players")
    players = tuple(Seat(number) for number in range(seats))
    chosen = game.options_type() if options is None else options
    state: Any = game.empty
    journal: list[Any] = []

    def commit(events: tuple[Any, ...]) -> None:
        nonlocal state
        _check(bool(events), "a step has at least one event")
        for event in events:
            again = _through_json(event, game.event_type)
            _check(again == event, f"an event changes on its way through JSON: {event!r} became {again!r}")
            state = game.evolve(state, again)
        journal.extend(events)
        if watch is not None:
            watch(state, events)

    commit(game.setup(Table(chosen, players, players, seed, _choices(game, chosen, seats))))
    for step in range(most_steps):
        outcome = game.outcome(state)
        turn = game.turn(state)
        if outcome is not None:
            _check(turn == (), "nobody has the turn once the game is over")
            _check_end(game, state, journal, players, seed)
            return state, journal, outcome
        _check(bool(turn), "somebody has the turn while the game goes on and everybody is present")
        offers = {seat: game.options(state, seat) for seat in players}
        for seat, offered in offers.items():
            _check(bool(offered) == (seat in turn), f"options of seat {seat} and turn {turn} disagree")
        actor = picks.choice(turn)
        _check(actor in offers, f"seat {actor} has the turn and is not taken")
        command = default_bot(game, state, actor, Dice(seed, step)) if smart else picks.choice(offers[actor])
        _check(command in offers[actor], f"the bot chose {command!r}, which is not among the options")
        commit(_decided(game, state, actor, command, [seat for seat in players if seat not in turn]))
    raise NotConformant(f"the game did not end within {most_steps} steps")


def check_every_option(game: AnyGame, seats: int, seed: int, *, options: Any = None, steps: int = 200) -> int:
    """Walk through a random game and try everything that is offered at each step. Returns how many were tried."""
    tried = 0
    players = tuple(Seat(number) for number in range(seats))
    chosen = game.options_type() if options is None else options
    picks = Dice(seed, "walk")
    state = game.empty
    for event in game.setup(Table(chosen, players, players, seed, _choices(game, chosen, seats))):
        state = game.evolve(state, event)
    for _ in range(steps):
        turn = game.turn(state)
        if not turn:
            break
        for seat in turn:
            for command in game.options(state, seat):
                _check(not isinstance(game.decide(state, seat, command), Rejected), f"offered but refused: {command}")
                tried += 1
        actor = picks.choice(turn)
        events = game.decide(state, actor, picks.choice(game.options(state, actor)))
        if isinstance(events, Rejected):
            raise NotConformant(f"offered but refused: {events}")
        for event in events:
            state = game.evolve(state, event)
    return tried


def _decided(game: AnyGame, state: Any, actor: Seat, command: Any, others: list[Seat]) -> tuple[Any, ...]:
    """What an offered command comes to; the others, who do not have the turn, may not give it."""
    _check(
        _through_json(command, game.command_type) == command, f"a command changes on its way through JSON: {command!r}"
    )
    for seat in others:
        refused = game.decide(state, seat, command)
        _check(isinstance(refused, Rejected), f"seat {seat} may act out of turn: {command!r}")
    events = game.decide(state, actor, command)
    if isinstance(events, Rejected):
        raise NotConformant(f"offered but refused ({events.code}): {command!r}")
    _check(game.decide(state, actor, command) == events, f"decide is not deterministic: {command!r}")
    return events


def _check_end(game: AnyGame, state: Any, journal: list[Any], players: tuple[Seat, ...], seed: int) -> None:
    replayed = game.empty
    for event in journal:
        replayed = game.evolve(replayed, event)
        for seat in (*players, None):
            _check_secret(seed, game.view(replayed, seat), f"the view of {seat}")
            shown = game.redact(event, seat)
            if shown is not None:
                _check_secret(seed, shown, f"what {seat} is told of {type(event).__name__}")
    _check(replayed == state, "a replay of the events gives another state")
    _check(_through_json(state, game.state_type) == state, "the state changes on its way through a snapshot")


def _check_secret(seed: int, shown: Any, where: str) -> None:
    if seed > 1_000_000:
        _check(str(seed).encode() not in msgspec.json.encode(shown), f"the seed leaks through {where}")


def _through_json(thing: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(thing), type=kind)


def _choices(game: AnyGame, options: Any, seats: int) -> dict[Seat, Any]:
    choices: dict[Seat, Any] = {}
    for number in range(seats):
        choice = game.admit(options, seats, choices, Seat(number), {})
        if isinstance(choice, Rejected):
            raise NotConformant(f"seat {number} cannot be taken: {choice}")
        choices[Seat(number)] = choice
    return choices


def _check(holds: bool, text: str) -> None:
    if not holds:
        raise NotConformant(text)
