"""The end: what brings it about, the last round, players who are stuck, and who wins."""

import pytest
from msgspec.structs import replace

from shared.games.codex.area import free_cells, grid_of
from shared.games.codex.commands import DrawResource, PlaceCard
from shared.games.codex.events import (
    CardPlaced,
    GameEnded,
    LastRoundBegan,
    ObjectivesScored,
    PhaseBegan,
    TurnBegan,
    TurnPassed,
)
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Face, Phase, Placed, Standing, Symbol
from shared.games.codex.scoring import standings, winners
from shared.games.codex.state import State
from shared.games.codex.views import PlayerView, TableView
from shared.ids import Seat
from tests.unit.shared.games.codex.positions import (
    ALMOST_STUCK,
    STUCK,
    A,
    B,
    C,
    back,
    do,
    front,
    in_play,
    refusal,
    with_points,
)

STARTS = {A: [front(81, 40, 40)], B: [front(82, 40, 40)], C: [front(83, 40, 40)]}
SOMEWHERE = PlaceCard(1, 39, 39, Face.BACK)
POINT_HAND = (8, 9, 41)
"""Its first card is worth a point."""


def take_turn(state: State, seat: Seat, placing: PlaceCard = SOMEWHERE) -> tuple[State, list[object]]:
    state, events = do(state, seat, placing)
    all_events: list[object] = list(events)
    if state.table.phase is Phase.DRAWING:
        state, events = do(state, seat, DrawResource())
        all_events += events
    return state, all_events


def test_the_round_of_the_trigger_is_finished_and_one_more_is_played() -> None:
    state = in_play(STARTS, {B: POINT_HAND}, points={B: 19}, number=9)
    played = []
    last_round_began = None
    cells = {9: 39, 10: 38}
    for _ in range(6):
        (seat,) = GAME.turn(state)
        number = state.table.round
        face = Face.FRONT if seat == B and number == 9 else Face.BACK
        state, events = take_turn(state, seat, PlaceCard(1, cells[number], cells[number], face))
        played.append((number, seat))
        if LastRoundBegan() in events:
            last_round_began = (number, seat)
    assert played == [(9, A), (9, B), (9, C), (10, A), (10, B), (10, C)]
    assert last_round_began == (9, C)
    assert GAME.turn(state) == ()
    assert GAME.outcome(state) is not None


@pytest.mark.parametrize("trigger", [A, B, C])
def test_the_round_after_a_seat_has_reached_twenty_points_is_the_last(trigger: Seat) -> None:
    state = with_points(in_play(STARTS, number=4), trigger, 20)
    for seat in (A, B, C):
        assert not state.table.last_round
        state, _ = take_turn(state, seat)
    assert state.table.last_round
    assert state.table.round == 5


def test_nineteen_points_end_nothing() -> None:
    state = with_points(in_play(STARTS), A, 19)
    for seat in (A, B, C):
        state, _ = take_turn(state, seat)
    assert not state.table.last_round


def test_two_empty_decks_bring_the_end_though_cards_lie_face_up() -> None:
    state = in_play(STARTS, resource=(40,), gold=())
    state, _ = take_turn(state, A)
    assert state.decks.resource == ()
    state, _ = do(state, B, SOMEWHERE)
    state, _ = do(state, B, GAME.options(state, B)[0])
    state, _ = do(state, C, SOMEWHERE)
    state, events = do(state, C, GAME.options(state, C)[0])
    assert events[-3:] == (LastRoundBegan(), PhaseBegan(Phase.PLAYING), TurnBegan(A, 6))


def test_one_empty_deck_ends_nothing() -> None:
    state = in_play(STARTS, resource=(), current=C)
    state, _ = do(state, C, SOMEWHERE)
    state, events = do(state, C, GAME.options(state, C)[0])
    assert LastRoundBegan() not in events


def test_nothing_is_drawn_in_the_last_round() -> None:
    state = in_play(STARTS, last_round=True)
    state, events = do(state, A, SOMEWHERE)
    assert [type(event) for event in events] == [CardPlaced, TurnBegan]
    assert state.table.phase is Phase.PLAYING
    assert GAME.turn(state) == (B,)


def test_a_round_in_which_nothing_is_left_to_draw_goes_on_without_drawing() -> None:
    nothing = (None, None, None, None)
    state = in_play(STARTS, places=nothing, resource=(), gold=(), current=C)
    state, events = do(state, C, SOMEWHERE)
    assert [type(event) for event in events] == [CardPlaced, LastRoundBegan, TurnBegan]


def test_after_the_last_turn_everybody_is_scored_in_turn_order() -> None:
    state = in_play(STARTS, last_round=True, current=C, points={A: 7, B: 3, C: 5}, common=(95, 96))
    state, events = do(state, C, SOMEWHERE)
    placed, *scored, phase, ended = events
    assert isinstance(placed, CardPlaced)
    assert [event.seat for event in scored if isinstance(event, ObjectivesScored)] == [A, B, C]
    assert phase == PhaseBegan(Phase.ENDING)
    assert isinstance(ended, GameEnded)
    assert ended.reason == "points"
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (A,)
    assert outcome.scores == {A: 7, B: 3, C: 5}
    assert state.table.phase is Phase.ENDING


def test_three_objectives_are_added_to_the_score_and_the_secret_one_is_shown() -> None:
    fungi: list[Placed] = [front(81, 40, 40), *(back(card, 40 - card, 40 + card) for card in range(1, 7))]
    areas = {A: fungi, B: [front(82, 40, 40)]}
    state = in_play(areas, last_round=True, current=B, points={A: 4}, common=(95, 87), secrets={A: 98, B: 100})
    state, events = do(state, B, SOMEWHERE)
    scored = next(event for event in events if isinstance(event, ObjectivesScored) and event.seat == A)
    assert scored == ObjectivesScored(A, 98, (4, 4, 0), 12)
    assert state.table.players[A].objective == 98
    assert state.table.players[A].objective_points == 8


def ended_with(*rows: tuple[int, int]) -> tuple[Seat, ...]:
    seats = (A, B, C)[: len(rows)]
    players = {
        seat: PlayerView(points=points, objective_points=objective)
        for seat, (points, objective) in zip(seats, rows, strict=True)
    }
    return winners(standings(TableView(order=seats, players=players)))


def test_the_highest_total_wins() -> None:
    assert ended_with((20, 9), (21, 0), (19, 12)) == (B,)


def test_among_equals_points_from_objectives_decide() -> None:
    assert ended_with((25, 4), (25, 6), (25, 5)) == (B,)


def test_full_equals_share_the_victory() -> None:
    assert ended_with((25, 6), (20, 6), (25, 6)) == (A, C)
    assert ended_with((0, 0), (0, 0), (0, 0)) == (A, B, C)


def test_standings_go_from_the_best_down() -> None:
    players = {A: PlayerView(points=3), B: PlayerView(points=9, objective_points=2), C: PlayerView(points=3)}
    rows = standings(TableView(order=(C, A, B), players=players))
    assert rows == (Standing(B, 9, 2), Standing(C, 3, 0), Standing(A, 3, 0))


def test_points_have_no_ceiling() -> None:
    state = with_points(in_play(STARTS, {A: POINT_HAND}, last_round=True), A, 40)
    state, _ = do(state, A, PlaceCard(1, 39, 39, Face.FRONT))
    assert state.table.players[A].points == 41


def test_a_stuck_player_is_passed_over() -> None:
    state = in_play({A: [front(81, 40, 40)], B: STUCK, C: [front(83, 40, 40)]})
    state, events = take_turn(state, A)
    assert events[-3:] == [TurnPassed(B, "stuck"), PhaseBegan(Phase.PLAYING), TurnBegan(C, 5)]
    assert refusal(state, B, SOMEWHERE) == "game/not_your_turn"


def test_a_stuck_player_keeps_the_score_and_can_win() -> None:
    state = in_play({A: [front(81, 40, 40)], B: STUCK}, points={B: 20}, last_round=True)
    state, events = do(state, A, SOMEWHERE)
    assert TurnPassed(B, "stuck") in events
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (B,)


def test_a_round_that_begins_with_a_stuck_player_can_be_the_last() -> None:
    state = in_play({A: STUCK, B: [front(82, 40, 40)]}, points={A: 20}, current=B)
    state, events = take_turn(state, B)
    assert events[-4:] == [LastRoundBegan(), TurnPassed(A, "stuck"), PhaseBegan(Phase.PLAYING), TurnBegan(B, 6)]
    state, _ = do(state, B, PlaceCard(1, 41, 41, Face.BACK))
    assert GAME.outcome(state) is not None


def test_a_player_without_cards_is_passed_over() -> None:
    state = in_play(STARTS, places=(None,) * 4, resource=(), gold=(), last_round=True)
    players = {**state.table.players}
    hands = {**state.own}
    players[B] = replace(players[B], hand=0)
    hands[B] = replace(hands[B], hand=())
    state = replace(state, own=hands, table=replace(state.table, players=players))
    state, events = do(state, A, SOMEWHERE)
    assert TurnPassed(B, "stuck") in events
    assert GAME.turn(state) == (C,)


def almost_all_stuck() -> State:
    """The first player can place card 67 in one cell, and so that nobody can go on."""
    state = in_play({A: ALMOST_STUCK, B: STUCK}, {A: (67, 1, 2)})
    rich = replace(state.table.players[A], symbols=dict.fromkeys(Symbol, 3))
    return replace(state, table=replace(state.table, players={**state.table.players, A: rich}))


def test_the_stuck_areas_of_these_tests_are_stuck() -> None:
    assert list(free_cells(grid_of(STUCK))) == []
    assert list(free_cells(grid_of(ALMOST_STUCK))) == [(40, 42)]


def test_when_everybody_is_stuck_the_scoring_comes_at_once() -> None:
    state, events = do(almost_all_stuck(), A, PlaceCard(1, 40, 42, Face.FRONT))
    assert [type(event) for event in events] == [CardPlaced, ObjectivesScored, ObjectivesScored, PhaseBegan, GameEnded]
    assert GAME.outcome(state) is not None


def test_as_long_as_one_player_can_place_the_game_goes_on() -> None:
    state, _ = do(almost_all_stuck(), A, PlaceCard(2, 40, 42, Face.BACK))
    assert state.table.phase is Phase.DRAWING
    state, events = do(state, A, DrawResource())
    assert TurnPassed(B, "stuck") in events
    assert GAME.turn(state) == (A,)
    assert state.table.round == 6
