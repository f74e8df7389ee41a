"""The conformance suite finds each way in which a game can break its contract."""

import dataclasses
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from shared.games import stones
from tavolata import AnyGame, Message, Outcome, Rejected, Seat, Table, Timer
from tavolata.testing import NotConformant, check_every_option, play
from tests.support.toys import TOY

GAME = stones.GAME
SECRET = 8_765_432_109_876


def broken(**parts: Any) -> AnyGame:
    return dataclasses.replace(GAME, **parts)


def refuse_all(_state: Any, _seat: Seat, _command: Any) -> Rejected:
    return Rejected("game/illegal")


def allow_all(state: stones.State, seat: Seat, command: stones.Take) -> Any:
    return (stones.Taken(seat, command.count),)


class Wobble:
    """Decides differently every other time."""

    def __init__(self) -> None:
        self.calls = 0

    def decide(self, state: stones.State, seat: Seat, command: stones.Take) -> Any:
        self.calls += 1
        events = stones.decide(state, seat, command)
        return (
            events if isinstance(events, Rejected) else (stones.Taken(seat, 1 + self.calls % 2 * (command.count - 1)),)
        )


def no_events(_table: Table[Any]) -> tuple[Any, ...]:
    return ()


def turn_of_both(state: stones.State) -> tuple[Seat, ...]:
    return state.seats if state.stones else ()


def turn_for_ever(state: stones.State) -> tuple[Seat, ...]:
    return (state.turn,)


def turn_of_nobody(_state: stones.State) -> tuple[Seat, ...]:
    return ()


def never_over(_state: stones.State) -> Outcome | None:
    return None


def decide_in_a_list(state: stones.State, seat: Seat, command: stones.Take) -> Any:
    decided = stones.decide(state, seat, command)
    return decided if isinstance(decided, Rejected) else list(decided)


def end_with(result: Any) -> Any:
    return lambda state: result if stones.outcome(state) is not None else None


def timers(*listed: tuple[str, int]) -> Any:
    return lambda _state: tuple(Timer(name, after_ms) for name, after_ms in listed)


def ignore(_state: stones.State, _notice: Any) -> tuple[stones.Event, ...]:
    return ()


class Forgetful:
    """Applies an event differently in the second game."""

    def __init__(self) -> None:
        self.games = 0

    def evolve(self, state: stones.State, event: stones.Event) -> stones.State:
        self.games += isinstance(event, stones.Started)
        return replace(stones.evolve(state, event), turn=Seat(0)) if self.games > 1 else stones.evolve(state, event)


def refuse_seats_with(code: str) -> Any:
    return lambda _options, _seats, _taken, _seat, _choice: Rejected(code)


def refuse_with(code: str, when: str) -> Any:
    """A `decide` that refuses with this code instead of the code `when`."""

    def decide(state: stones.State, seat: Seat, command: stones.Take) -> Any:
        decided = stones.decide(state, seat, command)
        return Rejected(code) if isinstance(decided, Rejected) and decided.code == when else decided

    return decide


class Thawed(Message, tag="taken", frozen=False):  # type: ignore[misc]
    seat: Seat
    count: int


class ThawedState(msgspec.Struct):
    stones: int = 0


class ThawedTake(msgspec.Struct, tag_field="type", tag="take"):
    count: int


BROKEN = [
    ("a state must be frozen, but the class ThawedState lacks", broken(state_type=ThawedState)),
    ("a command must be frozen, but the class ThawedTake lacks", broken(command_type=ThawedTake)),
    ("an event must be frozen, but the class Thawed lacks", broken(event_type=stones.Started | Thawed)),
    (
        "decide\\(\\) refuses with 'later'",
        broken(decide=refuse_with("later", "game/not_your_turn")),
    ),
    (
        "decide\\(\\) refuses with 'a/b/c'",
        broken(decide=refuse_with("a/b/c", "game/not_your_turn")),
    ),
    ("admit\\(\\) refuses with 'full'", broken(admit=refuse_seats_with("full"))),
    ("but decide\\(\\) refuses it", broken(decide=refuse_all)),
    ("does not have the turn", broken(decide=allow_all)),
    ("must be deterministic", broken(decide=Wobble().decide)),
    ("at least one event", broken(setup=no_events)),
    ("must have at least one option", broken(turn=turn_of_both)),
    ("the game is over", broken(turn=turn_for_ever)),
    ("must name a seat", broken(turn=turn_of_nobody)),
    ("must find a choice for seat 0", broken(admit=refuse_seats_with("room/full"))),
    ("turn\\(\\) must be a tuple, not list", broken(turn=lambda state: list(stones.turn(state)))),
    ("options\\(\\) must be a tuple, not list", broken(options=lambda state, seat: list(stones.options(state, seat)))),
    ("decide\\(\\) must be a tuple, not list", broken(decide=decide_in_a_list)),
    ("setup\\(\\) must be a tuple, not Started", broken(setup=lambda table: stones.setup(table)[0])),
    ("must return an Outcome or None", broken(outcome=end_with("ada won"))),
    ("winners of an Outcome must be a tuple", broken(outcome=end_with(Outcome([Seat(0)])))),  # type: ignore[arg-type]
    ("but \\[9\\] are not", broken(outcome=end_with(Outcome((Seat(9),))))),
    ("name must have lower case", broken(name="My Game")),
    ("timers\\(\\) must list every name once", broken(timers=timers(("turn", 5), ("turn", 9)), notice=ignore)),
    ("a timer must run for some time", broken(timers=timers(("turn", 0)), notice=ignore)),
    ("nothing would happen when a timer", broken(timers=timers(("turn", 5)))),
    ("notice\\(\\) must be a tuple, not list", broken(notice=lambda _state, _notice: [])),
    ("seats must list the numbers of players", broken(seats=2)),
    ("such as \\(2,\\), but is \\(\\)", broken(seats=())),
    ("such as \\(2,\\), but is \\(0,\\)", broken(seats=(0,))),
    ("not one of its options", broken(bot=lambda _state, _seat, _dice: stones.Take(9))),
]


@pytest.mark.parametrize(("says", "game"), BROKEN, ids=[says for says, _ in BROKEN])
def test_a_broken_contract_is_reported_with_the_rule_that_is_broken(says: str, game: AnyGame) -> None:
    with pytest.raises(NotConformant, match=says):
        play(game, 2, 1, smart=True)


def play_many(game: AnyGame) -> None:
    for seed in range(20):
        play(game, 2, seed)


def test_the_code_of_a_command_that_came_too_late_is_checked() -> None:
    game = broken(decide=refuse_with("late", "game/illegal"))
    with pytest.raises(NotConformant, match="must look like 'game/reason', but decide\\(\\) refuses with 'late'"):
        play_many(game)


def test_a_game_that_never_ends_is_found() -> None:
    def endless(state: stones.State, event: stones.Event) -> stones.State:
        return replace(stones.evolve(state, event), stones=9, winner=None)

    with pytest.raises(NotConformant, match="must end, but did not"):
        play(broken(evolve=endless, outcome=never_over), 2, 1, max_steps=50)


def test_a_replay_that_gives_another_state_is_found() -> None:
    with pytest.raises(NotConformant, match="gives another one"):
        play(broken(evolve=Forgetful().evolve), 2, 2, options=stones.Options(1))


def test_a_seed_that_leaks_through_a_view_is_found() -> None:
    with pytest.raises(NotConformant, match="the view of seat 0 contains it"):
        play(dataclasses.replace(TOY, view=lambda state, _seat: state), 2, SECRET)


def test_a_seed_that_leaks_through_an_event_is_found() -> None:
    with pytest.raises(NotConformant, match="as redacted for seat 0 contains it"):
        play(dataclasses.replace(TOY, redact=lambda event, _seat: event), 2, SECRET)


def test_an_option_that_is_refused_is_found_wherever_it_is_offered() -> None:
    with pytest.raises(NotConformant, match="refuses it"):
        check_every_option(broken(decide=refuse_all), 2, 1)


def test_every_option_is_tried() -> None:
    assert check_every_option(GAME, 2, 1, options=stones.Options(3)) >= 3


def test_a_game_that_keeps_the_contract_passes() -> None:
    _, events, outcome = play(TOY, 3, SECRET)
    assert len(events) == 7
    assert outcome.reason == "rounds"


def test_every_step_can_be_watched() -> None:
    seen: list[int] = []
    play(GAME, 2, 1, watch=lambda state, _events: seen.append(state.stones))
    assert seen[0] == 21
    assert seen[-1] == 0


def test_an_event_that_does_not_survive_json_is_found() -> None:
    def fractions(table: Table[stones.Options]) -> Any:
        return (stones.Started(21, list(table.seats)),)  # type: ignore[arg-type]

    with pytest.raises(NotConformant, match="must survive JSON"):
        play(broken(setup=fractions), 2, 1)
