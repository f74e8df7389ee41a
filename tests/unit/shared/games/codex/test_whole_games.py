"""Invariants of every step of any game."""

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.conformance import check_every_option, play
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Absent, DeadlinePassed, Outcome, Present
from shared.games.codex.cards import CARDS, OBJECTIVES
from shared.games.codex.commands import (
    ChooseObjective,
    ChooseStarting,
    Command,
    DrawGold,
    DrawResource,
    DrawTable,
    PickColor,
    PlaceCard,
)
from shared.games.codex.events import CardPlaced, Event, ObjectivesScored
from shared.games.codex.game import GAME
from shared.games.codex.objectives import points_for
from shared.games.codex.pieces import Back, Color, Face, Phase, Placed
from shared.games.codex.scoring import placing_points
from shared.games.codex.state import State
from shared.ids import Seat
from tests.support.examples import fewer_examples
from tests.unit.shared.games.codex.positions import apply, started, visible

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 2**62)
TRANSCRIPTS = Path(__file__).parents[4] / "transcripts" / "codex"


def all_cards(state: State) -> Counter[int]:
    """Wherever a card can be."""
    table, decks = state.table, state.decks
    places = [card for card in table.places if isinstance(card, int)]
    cards = Counter([*places, *table.common, *decks.resource, *decks.gold, *decks.objective, *decks.unused])
    for seat, own in state.own.items():
        cards.update([*own.hand, *own.offered])
        cards.update(card for card in (own.starting, own.objective) if card is not None)
        cards.update(placed.card for placed in table.players[seat].area)
    return cards


def check(state: State) -> None:
    assert all_cards(state) == Counter(range(1, 103))
    for seat, player in state.table.players.items():
        assert player.symbols == visible(player.area)
        assert player.hand == len(state.own[seat].hand)
    resource, gold = state.table.places[:2]
    for shown, deck in ((resource, state.decks.resource), (gold, state.decks.gold)):
        top = CARDS[deck[0]] if deck else None
        assert shown == (None if top is None or top.kingdom is None else Back(top.kind, top.kingdom))


def points_by_hand(state: State, seat: Seat) -> int:
    """Points of the area, card by card, and of the objectives once they are revealed."""
    player = state.table.players[seat]
    total = 0
    for size in range(1, len(player.area)):
        before, placed = player.area[:size], player.area[size]
        covered = sum(abs(card.i - placed.i) == 1 == abs(card.j - placed.j) for card in before)
        after = visible((*before, placed))
        total += placing_points(CARDS[placed.card], placed.face, covered, after)
    if player.objective is not None:
        total += sum(points_for(objective, player) for objective in (*state.table.common, player.objective))
    return total


@fewer_examples(4)
@given(st.integers(2, 4), SEEDS, st.booleans())
def test_whole_games_keep_cards_symbols_and_points(seats: int, seed: int, smart: bool) -> None:
    steps = 0

    def watch(state: State, _events: tuple[Event, ...]) -> None:
        nonlocal steps
        steps += 1
        check(state)
        if steps % 10 == 0 or state.table.result:
            assert {seat: player.points for seat, player in state.table.players.items()} == {
                seat: points_by_hand(state, seat) for seat in state.table.players
            }

    final, _, outcome = play(GAME, seats, seed, watch=watch, smart=smart)
    assert outcome.winners
    assert outcome.reason == "points"
    rounds = {len(player.area) for player in final.table.players.values()}
    assert len(rounds) == 1


@fewer_examples(10)
@given(st.integers(2, 4), SEEDS)
def test_everything_offered_is_accepted(seats: int, seed: int) -> None:
    assert check_every_option(GAME, seats, seed, steps=40) > 40


def conceivable(state: State) -> list[Command]:
    """All commands within sight of the current area, legal or not."""
    seat = state.table.current
    area = () if seat is None else state.table.players[seat].area
    rows = [placed.i for placed in area] or [40]
    columns = [placed.j for placed in area] or [40]
    return [
        *(ChooseStarting(face) for face in Face),
        *(PickColor(color) for color in Color),
        *(ChooseObjective(choose) for choose in range(4)),
        *(DrawTable(choice) for choice in range(6)),
        DrawResource(),
        DrawGold(),
        *(
            PlaceCard(choice, i, j, face)
            for choice in range(5)
            for face in Face
            for i in range(min(rows) - 2, max(rows) + 3)
            for j in range(min(columns) - 2, max(columns) + 3)
        ),
    ]


@fewer_examples(10)
@given(st.integers(2, 4), SEEDS, st.integers(0, 30))
def test_options_are_exactly_what_decide_accepts(seats: int, seed: int, steps: int) -> None:
    state = walk(started(seats, seed), seed, steps)
    for seat in state.table.order:
        accepted = [
            command for command in conceivable(state) if not isinstance(GAME.decide(state, seat, command), Rejected)
        ]
        offered = GAME.options(state, seat)
        assert len(set(offered)) == len(offered)
        assert set(accepted) == set(offered)


def walk(state: State, seed: int, steps: int) -> State:
    picks = Dice(seed, "walk")
    for _ in range(steps):
        turn = GAME.turn(state)
        if not turn:
            break
        events = GAME.decide(state, turn[0], picks.choice(GAME.options(state, turn[0])))
        assert not isinstance(events, Rejected)
        state = apply(state, events)
    return state


@fewer_examples(2)
@given(st.integers(2, 4), SEEDS)
def test_games_end_whoever_comes_and_goes(seats: int, seed: int) -> None:
    """Players are lost, found and gone for good at random, timers run out: the game goes on and keeps its cards."""
    assert GAME.notice is not None
    picks = Dice(seed, "fate")
    state = started(seats, seed)
    for _ in range(3_000):
        if GAME.outcome(state) is not None:
            break
        check(state)
        (current,) = GAME.turn(state)
        timers = GAME.timers(state)
        fate = picks.below(12)
        seat = picks.choice(state.table.order)
        events: tuple[Event, ...]
        if fate == 0:
            events = GAME.notice(state, Absent(seat, for_good=picks.below(20) == 0))
        elif fate == 1:
            events = GAME.notice(state, Present(seat))
        elif current in state.presence.away:
            assert timers, "somebody is waited for without end"
            events = GAME.notice(state, DeadlinePassed(picks.choice(timers).name))
        else:
            decided = GAME.decide(state, current, picks.choice(GAME.options(state, current)))
            assert not isinstance(decided, Rejected)
            events = decided
        state = apply(state, events)
    assert GAME.outcome(state) is not None
    assert GAME.turn(state) == ()
    assert GAME.timers(state) == ()


def test_after_the_end_every_command_is_refused() -> None:
    final, _, _ = play(GAME, 2, 3)
    for command in (DrawGold(), PlaceCard(1, 39, 39, Face.BACK), PickColor(Color.RED)):
        refused = GAME.decide(final, Seat(0), command)
        assert isinstance(refused, Rejected)
        assert refused.code == "game/over"


def test_the_last_round_is_a_whole_one_in_every_game() -> None:
    for seats in (2, 3, 4):
        for seed in range(4):
            final, journal, _ = play(GAME, seats, seed, smart=True)
            placings = [event for event in journal if isinstance(event, CardPlaced)]
            assert len(placings) == seats * final.table.round
            assert [event.seat for event in placings] == list(final.table.order) * final.table.round
            assert len([event for event in journal if isinstance(event, ObjectivesScored)]) == seats


def test_every_objective_and_every_card_turns_up_in_some_game() -> None:
    objectives: set[int] = set()
    placed: set[Placed] = set()
    for seed in range(10):
        final, _, _ = play(GAME, 4, seed, smart=True)
        objectives |= {*final.table.common, *(own.objective for own in final.own.values() if own.objective)}
        placed |= {card for player in final.table.players.values() for card in player.area}
    assert objectives == set(OBJECTIVES)
    assert {card.card for card in placed} == set(CARDS)
    assert len({(card.card, card.face) for card in placed}) > len(CARDS)


@pytest.mark.parametrize(
    ("seats", "counts"),
    [(2, [2, 4, 16, 48, 96, 192]), (3, [2, 4, 8, 32, 96, 192])],
)
def test_the_number_of_ways_through_the_set_up_is_known(seats: int, counts: list[int]) -> None:
    states = [started(seats, 7)]
    grown = []
    for _ in counts:
        following = []
        for state in states:
            (seat,) = GAME.turn(state)
            for command in GAME.options(state, seat):
                events = GAME.decide(state, seat, command)
                assert not isinstance(events, Rejected)
                following.append(apply(state, events))
        states = following
        grown.append(len(states))
    assert grown == counts


def test_the_number_of_placings_along_a_fixed_game_is_known() -> None:
    state, counts = started(2, 2026), []
    for step in range(40):
        (seat,) = GAME.turn(state)
        offered = GAME.options(state, seat)
        if state.table.phase is Phase.PLAYING:
            counts.append(len(offered))
        events = GAME.decide(state, seat, Dice(2026, step).choice(offered))
        assert not isinstance(events, Rejected)
        state = apply(state, events)
    assert counts == [20, 20, 20, 20, 35, 30, 28, 40, 28, 45, 24, 50, 36, 55, 50, 48, 40]


@pytest.mark.parametrize("name", ["game-2-players", "game-3-players", "game-4-players"])
def test_recorded_games_are_still_played_the_same(name: str) -> None:
    lines = (TRANSCRIPTS / f"{name}.jsonl").read_text().splitlines()
    head = json.loads(lines[0])
    state = started(head["seats"], head["seed"])
    for line in lines[1:-1]:
        step = json.loads(line)
        command = msgspec.convert(step["do"], GAME.command_type)
        events = GAME.decide(state, Seat(step["seat"]), command)
        assert not isinstance(events, Rejected)
        assert events == msgspec.convert(step["events"], tuple[Event, ...])
        state = apply(state, events)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome == msgspec.convert(json.loads(lines[-1])["outcome"], Outcome, strict=False)
