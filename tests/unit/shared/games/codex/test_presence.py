"""Players who go away, come back or never do."""

import pytest

from shared.game import Absent, DeadlinePassed, Notice, Present, Timer
from shared.games.codex.commands import ChooseObjective, ChooseStarting, DrawGold, PickColor, PlaceCard
from shared.games.codex.events import (
    CardDrawn,
    ColorPicked,
    Event,
    GameEnded,
    LastRoundBegan,
    ObjectiveChosen,
    ObjectivesScored,
    PhaseBegan,
    PlayerFound,
    PlayerLost,
    StartingPlaced,
    TurnBegan,
    TurnPassed,
)
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Color, Face, Phase, Place, Standing
from shared.games.codex.setup import Options
from shared.games.codex.state import State
from shared.ids import Seat
from tests.unit.shared.games.codex.positions import STUCK, A, B, C, apply, do, front, in_play, started

STARTS = {A: [front(81, 40, 40)], B: [front(82, 40, 40)], C: [front(83, 40, 40)]}
TWO = {A: STARTS[A], B: STARTS[B]}
SOMEWHERE = PlaceCard(1, 39, 39, Face.BACK)
GRACE, ALONE = DeadlinePassed("grace"), DeadlinePassed("alone")


def after(state: State, *notices: Notice) -> tuple[State, tuple[Event, ...]]:
    events: tuple[Event, ...] = ()
    assert GAME.notice is not None
    for notice in notices:
        events = GAME.notice(state, notice)
        state = apply(state, events)
    return state, events


def names(state: State) -> list[str]:
    return [timer.name for timer in GAME.timers(state)]


def test_nothing_runs_while_everybody_is_there() -> None:
    assert GAME.timers(in_play(STARTS)) == ()


def test_the_turn_of_an_absent_player_is_passed_over_after_the_grace_time() -> None:
    state, events = after(in_play(STARTS), Absent(A))
    assert events == (PlayerLost(A),)
    assert [(timer.name, timer.after_ms) for timer in GAME.timers(state)] == [("grace", 10_000)]
    state, events = after(state, GRACE)
    assert events == (TurnPassed(A, "away"), TurnBegan(B, 5))
    assert names(state) == []


def test_the_grace_time_runs_from_the_loss_or_from_the_turn_whichever_is_later() -> None:
    state, _ = after(in_play(STARTS, current=B), Absent(C))
    assert names(state) == []
    state, _ = do(state, B, SOMEWHERE)
    state, _ = do(state, B, DrawGold())
    (first,) = GAME.timers(state)
    state, _ = after(state, Present(C))
    assert names(state) == []
    state, _ = after(state, Absent(C))
    (second,) = GAME.timers(state)
    assert first.name == second.name == "grace"
    assert second.generation > first.generation


def test_the_presence_of_others_does_not_touch_a_running_grace_time() -> None:
    state, _ = after(in_play({**STARTS, Seat(3): [front(84, 40, 40)]}), Absent(A))
    (timer,) = GAME.timers(state)
    for notice in (Absent(B), Present(B), Absent(C)):
        state, _ = after(state, notice)
        assert timer in GAME.timers(state)


def test_two_absent_players_in_a_row_get_a_grace_time_each() -> None:
    state, _ = after(in_play(STARTS), Absent(A), Absent(B))
    graces = [timer for timer in GAME.timers(state) if timer.name == "grace"]
    state, _ = after(state, GRACE)
    assert GAME.turn(state) == (B,)
    graces += [timer for timer in GAME.timers(state) if timer.name == "grace"]
    assert len(set(graces)) == 2


def test_a_player_who_returns_in_time_keeps_the_turn() -> None:
    state, _ = after(in_play(STARTS), Absent(A), Present(A))
    assert names(state) == []
    assert after(state, GRACE)[1] == ()
    do(state, A, SOMEWHERE)


@pytest.mark.parametrize(
    ("places", "resource", "gold", "place"),
    [
        ((5, 6, 43, 44), (7, 8), (51,), 0),
        ((5, 6, 43, 44), (), (51,), 1),
        ((5, 6, 43, 44), (), (), 2),
        ((None, None, None, 44), (), (), 5),
    ],
)
def test_the_game_draws_for_an_absent_player(
    places: tuple[Place, ...], resource: tuple[int, ...], gold: tuple[int, ...], place: int
) -> None:
    state = in_play(TWO, {A: (1, 2)}, places=places, resource=resource, gold=gold, phase=Phase.DRAWING)
    state, events = after(state, Absent(A), GRACE)
    drawn = events[0]
    assert isinstance(drawn, CardDrawn)
    assert drawn.place == place
    assert state.own[A].hand == (1, 2, drawn.card)
    assert GAME.turn(state) == (B,)


def test_the_game_chooses_for_absent_players_in_the_set_up() -> None:
    state = started(2)
    first, second = state.table.order
    state, events = after(state, Absent(second))
    state, _ = do(state, first, ChooseStarting(Face.BACK))
    state, events = after(state, GRACE)
    placed = events[0]
    assert isinstance(placed, StartingPlaced)
    assert placed.face is Face.FRONT
    assert events[1:] == (PhaseBegan(Phase.COLOR), TurnBegan(first))
    state, _ = do(state, first, PickColor(Color.RED))
    state, events = after(state, GRACE)
    assert events[0] == ColorPicked(second, Color.BLUE)
    state, _ = do(state, first, ChooseObjective(2))
    offered = state.own[second].offered
    state, events = after(state, GRACE)
    assert events[0] == ObjectiveChosen(second, offered[0])
    assert state.table.phase is Phase.PLAYING


def test_the_last_turn_of_a_round_can_be_passed_over_into_the_last_round() -> None:
    _, events = after(in_play(TWO, points={A: 20}, current=B), Absent(B), GRACE)
    assert events == (TurnPassed(B, "away"), LastRoundBegan(), TurnBegan(A, 6))


def test_the_last_turn_of_all_can_be_passed_over() -> None:
    _, events = after(in_play(TWO, last_round=True, current=B), Absent(B), GRACE)
    assert [type(event) for event in events] == [TurnPassed, ObjectivesScored, ObjectivesScored, PhaseBegan, GameEnded]


def test_a_player_left_alone_wins_after_a_time_with_the_points_of_the_moment() -> None:
    state, _ = after(in_play(STARTS, points={A: 9, B: 4, C: 1}), Absent(A))
    assert "alone" not in names(state)
    state, _ = after(state, Absent(C))
    assert Timer("alone", 60_000, state.presence.changed) in GAME.timers(state)
    state, events = after(state, ALONE)
    rows = (Standing(B, 4, 0), Standing(A, 9, 0), Standing(C, 1, 0))
    assert events == (PhaseBegan(Phase.ENDING), GameEnded("alone", (B,), rows))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((B,), "alone")
    assert state.table.players[A].objective is None
    assert GAME.timers(state) == ()


def test_being_two_again_ends_the_wait_and_another_loss_begins_a_new_one() -> None:
    state, _ = after(in_play(TWO), Absent(B))
    first = GAME.timers(state)
    state, _ = after(state, Present(B))
    assert names(state) == []
    assert after(state, ALONE)[1] == ()
    state, _ = after(state, Absent(B))
    assert [timer.name for timer in GAME.timers(state)] == [timer.name for timer in first]
    assert GAME.timers(state) != first


def test_the_only_connected_player_plays_on_while_waiting() -> None:
    state, _ = after(in_play(TWO), Absent(B))
    (timer,) = GAME.timers(state)
    state, _ = do(state, A, SOMEWHERE)
    state, _ = do(state, A, DrawGold())
    assert timer in GAME.timers(state)
    state, _ = after(state, GRACE)
    assert GAME.turn(state) == (A,)
    assert timer in GAME.timers(state)


def test_a_game_that_all_have_left_ends_without_winners() -> None:
    state, _ = after(in_play(TWO), Absent(A), Absent(B))
    assert sorted(names(state)) == ["alone", "grace"]
    state, _ = after(state, ALONE)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((), "abandoned")


def test_a_table_does_not_wait_for_a_player_who_left_for_good() -> None:
    state, events = after(in_play(STARTS), Absent(A, for_good=True))
    assert events == (PlayerLost(A, True), TurnPassed(A, "away"), TurnBegan(B, 5))
    assert names(state) == []
    for seat in (B, C):
        state, _ = do(state, seat, SOMEWHERE)
        state, passed = do(state, seat, DrawGold())
    assert passed[-3:] == (TurnBegan(A, 6), TurnPassed(A, "away"), TurnBegan(B, 6))


def test_choices_of_players_who_left_are_made_at_once() -> None:
    state = started(3)
    first, second, third = state.table.order
    state, _ = after(state, Absent(second, for_good=True))
    state, events = do(state, first, ChooseStarting(Face.FRONT))
    assert [type(event) for event in events] == [StartingPlaced, TurnBegan, StartingPlaced, TurnBegan]
    assert GAME.turn(state) == (third,)


def test_a_crashed_player_who_then_leaves_does_not_restart_the_wait_of_the_other() -> None:
    state, _ = after(in_play(TWO), Absent(B))
    (timer,) = GAME.timers(state)
    state, events = after(state, Absent(B, for_good=True))
    assert events == (PlayerLost(B, True),)
    assert GAME.timers(state) == (timer,)
    assert after(state, Present(B))[1] == ()


def test_when_all_left_for_good_only_the_end_is_waited_for() -> None:
    state, _ = after(in_play(TWO), Absent(A, for_good=True), Absent(B, for_good=True))
    assert names(state) == ["alone"]
    state, _ = after(state, ALONE)
    assert GAME.outcome(state) is not None


def test_when_those_who_did_not_leave_are_stuck_the_scoring_comes() -> None:
    state = in_play({A: STARTS[A], B: STUCK})
    state, events = after(state, Absent(A, for_good=True))
    assert isinstance(events[-1], GameEnded)
    assert events[-1].reason == "points"


def test_repeated_news_change_nothing() -> None:
    state, _ = after(in_play(STARTS), Absent(B))
    assert after(state, Absent(B))[1] == ()
    assert after(in_play(STARTS), Present(B))[1] == ()
    state, _ = after(in_play(STARTS), Absent(B, for_good=True))
    assert after(state, Absent(B, for_good=True))[1] == ()


def test_after_the_end_nothing_is_noticed() -> None:
    state, _ = after(in_play(TWO), Absent(B), ALONE)
    for notice in (Absent(A), Present(B), GRACE, ALONE):
        assert after(state, notice)[1] == ()


def test_unknown_deadlines_are_ignored() -> None:
    assert after(in_play(TWO), DeadlinePassed("tea"))[1] == ()


def test_the_times_are_options_of_the_table() -> None:
    state, _ = after(started(2, options=Options(grace_ms=200, alone_ms=900)), Absent(A), Absent(B))
    assert {timer.name: timer.after_ms for timer in GAME.timers(state)} == {"grace": 200, "alone": 900}


def test_presence_is_kept_for_the_journal_and_told_to_nobody() -> None:
    for event in (PlayerLost(A), PlayerFound(A)):
        assert GAME.redact(event, A) is None
        assert GAME.redact(event, None) is None
