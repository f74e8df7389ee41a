"""Whole random games of Eriantys: pieces are conserved, rules hold, options and decisions agree."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.conformance import check_every_option, play
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Present, Table
from shared.games.eriantys import commands as asked
from shared.games.eriantys.dining_rooms import leader
from shared.games.eriantys.events import ChoiceMade, Event, Finished, ProfessorTaken, fold
from shared.games.eriantys.game import GAME
from shared.games.eriantys.islands import influence
from shared.games.eriantys.pieces import COLORS, Manner, Phase
from shared.games.eriantys.refusals import CODES
from shared.games.eriantys.setup import Options
from shared.games.eriantys.state import State
from shared.games.eriantys.views import View, owner_of, towers_of
from shared.ids import Seat
from tests.support.examples import fewer_examples

pytestmark = pytest.mark.slow

TABLES = [(players, expert) for players in (2, 3, 4) for expert in (False, True)]
seeds = some.integers(1_000_001, 2**60)


def students_in(view: View) -> int:
    handfuls: Iterable[tuple[int, ...]] = (
        view.bag,
        *view.clouds,
        *(tile.students for tile in view.tiles),
        *(character.students for character in view.characters),
        *(player.entrance for player in view.players),
        *(player.hall for player in view.players),
    )
    numbers = list(handfuls)
    assert min(map(min, numbers)) >= 0
    return sum(map(sum, numbers))


def check_view(view: View) -> None:
    players = len(view.players)
    assert students_in(view) == 130
    assert all(max(player.hall) <= 10 for player in view.players)
    built = [tile.tower for tile in view.tiles]
    for seat, player in enumerate(view.players):
        if players < 4 or seat < 2:
            assert player.towers + built.count(player.tower) == (6 if players == 3 else 8)
        else:
            assert player.towers == 0
    if view.expert:
        on_cards = sum(character.used for character in view.characters)
        assert view.bank + on_cards + sum(player.coins for player in view.players) == 20
        assert min(view.bank, *(player.coins for player in view.players)) >= 0
    tiles = [tile for group in view.groups for tile in group.tiles]
    assert sorted(tiles) == list(range(1, 13))
    lowest = [group.tiles[0] for group in view.groups]
    assert lowest == sorted(lowest)
    assert all(group.tiles == tuple(sorted(group.tiles)) for group in view.groups)
    assert view.mother in lowest
    for group in view.groups:
        assert len(set(towers_of(view, group))) <= 1
        assert len(group.tiles) == 1 or owner_of(view, group) is not None
    if view.phase is not Phase.OVER:
        assert len(view.groups) > 3
        for here, there in zip(view.groups, (*view.groups[1:], view.groups[0]), strict=True):
            assert owner_of(view, here) is None or owner_of(view, here) is not owner_of(view, there)
        for colour in COLORS:
            assert leader(view, colour) == view.professors[COLORS.index(colour)]
    held = sum(group.no_entry for group in view.groups) + sum(card.no_entry for card in view.characters)
    assert held == (4 if any(card.number == 5 for card in view.characters) else 0)


def watch(state: State, events: tuple[Event, ...]) -> None:
    check_view(state.view)
    assert sum(isinstance(event, Finished) for event in events) <= 1
    if any(isinstance(event, ChoiceMade) and event.number == 12 for event in events):
        assert not any(isinstance(event, ProfessorTaken) for event in events)
    for group in state.view.groups:
        assert min(influence(state.view, group).values()) >= 0


@pytest.mark.parametrize(("players", "expert"), TABLES)
@fewer_examples(4)
@given(seed=seeds)
def test_random_games_keep_the_contract_and_the_pieces(players: int, expert: bool, seed: int) -> None:
    play(GAME, players, seed, options=Options(expert=expert), watch=watch)


@fewer_examples(2)
@given(seed=seeds, players=some.sampled_from([2, 3, 4]))
def test_games_of_the_rich_keep_the_pieces(seed: int, players: int) -> None:
    """Everybody begins with a share of all coins, so that every character is played."""
    state = midgame(players, True, seed, 0, rich=False)
    share = 20 // players
    purses = tuple(msgspec.structs.replace(player, coins=share) for player in state.view.players)
    view = msgspec.structs.replace(state.view, players=purses, bank=20 - share * players)
    state, dice = State(view, seed), Dice(seed, "rich")
    while GAME.outcome(state) is None:
        kinds: dict[type, list[asked.Command]] = {}
        for command in GAME.options(state, state.view.turn):
            kinds.setdefault(type(command), []).append(command)
        events = GAME.decide(state, state.view.turn, dice.choice(kinds[dice.choice(tuple(kinds))]))
        assert not isinstance(events, Rejected)
        for event in events:
            state = GAME.evolve(state, event)
        watch(state, events)


@pytest.mark.parametrize(("players", "expert"), TABLES)
def test_games_of_bots_end(players: int, expert: bool) -> None:
    play(GAME, players, 3_000_000 + players, options=Options(expert=expert), watch=watch, smart=True)


@fewer_examples(10)
@given(seed=seeds, players=some.sampled_from([2, 3, 4]))
def test_everything_that_is_offered_is_accepted(seed: int, players: int) -> None:
    assert check_every_option(GAME, players, seed, options=Options(expert=True), steps=40)


@fewer_examples(10)
@given(seed=seeds, players=some.sampled_from([2, 3, 4]), expert=some.booleans())
def test_gateways_can_follow_a_game_from_its_redacted_events(seed: int, players: int, expert: bool) -> None:
    views: dict[Seat | None, View] = {seat: View() for seat in (*map(Seat, range(players)), None)}

    def follow(state: State, events: tuple[Event, ...]) -> None:
        for seat in views:
            for event in events:
                shown = GAME.redact(event, seat)
                assert shown is not None
                views[seat] = fold(views[seat], shown)
            assert views[seat] == GAME.view(state, seat)

    play(GAME, players, seed, options=Options(expert=expert), watch=follow)


# --- options are exactly what decide accepts -------------------------------------------------------------------------

numbers = some.integers(-1, 14)
colours = some.sampled_from(COLORS)
handfuls: Any = some.tuples(*[some.integers(-1, 2)] * 5)
wholes: Any = (
    some.none()
    | some.builds(asked.ChooseColor, colours)
    | some.builds(asked.ChooseIsland, numbers)
    | some.builds(asked.SendStudent, colours, numbers)
    | some.builds(asked.Exchange, handfuls, handfuls)
)
nonsense: Any = some.one_of(
    some.builds(asked.PlayAssistant, numbers),
    some.builds(asked.MoveToHall, colours),
    some.builds(asked.MoveToIsland, colours, numbers),
    some.builds(asked.MoveMother, numbers),
    some.builds(asked.TakeCloud, numbers),
    some.builds(asked.PlayCharacter, numbers, wholes),
    some.builds(asked.ActivateCharacter, numbers, some.sampled_from(Manner)),
    some.builds(asked.ChooseColor, colours),
    some.builds(asked.ChooseIsland, numbers),
    some.builds(asked.SendStudent, colours, numbers),
    some.builds(asked.SwapWithCard, colours, colours),
    some.builds(asked.SwapWithHall, colours, colours),
    some.just(asked.EndSelection()),
)


def midgame(players: int, expert: bool, seed: int, steps: int, rich: bool) -> State:
    """Some steps into a random game; rich players can pay for every character."""
    seats = tuple(map(Seat, range(players)))
    state = GAME.empty
    for event in GAME.setup(Table(Options(expert=expert), seats, seats, seed)):
        state = GAME.evolve(state, event)
    dice = Dice(seed, "midgame")
    for _ in range(steps):
        if GAME.outcome(state) is not None:
            break
        if rich:
            purses = tuple(msgspec.structs.replace(player, coins=9) for player in state.view.players)
            state = msgspec.structs.replace(state, view=msgspec.structs.replace(state.view, players=purses))
        events = GAME.decide(state, state.view.turn, dice.choice(GAME.options(state, state.view.turn)))
        assert not isinstance(events, Rejected)
        for event in events:
            state = GAME.evolve(state, event)
    return state


@given(
    seed=seeds,
    players=some.sampled_from([2, 3, 4]),
    expert=some.booleans(),
    steps=some.integers(0, 60),
    tries=some.lists(nonsense, max_size=25),
)
def test_options_are_exactly_what_is_accepted(
    seed: int, players: int, expert: bool, steps: int, tries: list[Any]
) -> None:
    state = midgame(players, expert, seed, steps, rich=True)
    for seat in map(Seat, range(players)):
        offered = GAME.options(state, seat)
        assert len(set(offered)) == len(offered)
        for command in tries:
            answer = GAME.decide(state, seat, command)
            assert isinstance(answer, Rejected) is not (command in offered)
            assert not isinstance(answer, Rejected) or answer.code in CODES


@given(
    seed=seeds, players=some.sampled_from([2, 3, 4]), moves=some.lists(some.integers(0, 11), min_size=300, max_size=300)
)
def test_games_go_on_whoever_comes_and_goes(seed: int, players: int, moves: list[int]) -> None:
    """Players are lost and back at random, and every deadline passes; nobody is ever stuck."""
    state = midgame(players, True, seed, 0, rich=False)
    dice = Dice(seed, "coming and going")
    for number in moves:
        if GAME.outcome(state) is not None:
            break
        seat = Seat(number % players)
        assert GAME.notice is not None
        match number:
            case 0 | 1 | 2 | 3:
                events: Any = GAME.notice(state, Absent(seat))
            case 4 | 5 | 6 | 7:
                events = GAME.notice(state, Present(seat))
            case 8:
                events = tuple(e for timer in GAME.timers(state) for e in GAME.notice(state, DeadlinePassed("grace")))
            case _:
                turn = GAME.turn(state)
                offered = GAME.options(state, turn[0]) if turn else ()
                assert bool(offered) is bool(turn)
                events = GAME.decide(state, turn[0], dice.choice(offered)) if turn else ()
        assert not isinstance(events, Rejected)
        for event in events:
            state = GAME.evolve(state, event)
        check_view(state.view)
        assert GAME.timers(state) == () or state.view.away
        assert state.view.paused is (len(state.view.away) >= players - 1) or GAME.outcome(state) is not None
