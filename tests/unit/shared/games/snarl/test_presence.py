"""Lost connections, grace, and the time for a move."""

import pytest

from shared.game import Absent, DeadlinePassed, Outcome, Present, Timer
from shared.games.snarl.events import (
    AdversaryMoved,
    CameBack,
    End,
    GameEnded,
    LevelEnded,
    PlayerDisconnected,
    Score,
    TurnCame,
    WentAway,
)
from shared.games.snarl.game import outcome
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.presence import notice, removed, timers
from shared.games.snarl.rules import turn
from shared.games.snarl.state import State
from shared.games.snarl.views import Standing
from shared.ids import Seat
from tests.support.snarl_stage import HALL, after, do, stage, statue, zombie

A, B, C = Seat(0), Seat(1), Seat(2)


@pytest.fixture(autouse=True)
def _adversaries_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def three(grace_ms: int = 0, move_time_ms: int = 0, house: HouseRules | None = None) -> State:
    return stage(
        HALL,
        {A: (1, 5), B: (3, 5), C: (4, 1)},
        [zombie(1, (1, 8))],
        grace_ms=grace_ms,
        move_time_ms=move_time_ms,
        house=house,
    )


def test_without_grace_a_lost_player_is_out_at_once() -> None:
    state = three()
    events = notice(state, Absent(B))
    assert len(events) == 1
    assert isinstance(events[0], PlayerDisconnected)
    assert set(events[0].windows) == {A, C}
    state = after(state, events)
    assert state.scene.member(B).standing is Standing.DISCONNECTED
    assert (state.scene.exits, state.scene.ejects) == ((), ())
    assert turn(state) == (A,)
    assert removed(state) == (B,)
    state, events = do(state, A, None)
    assert events[-1] == TurnCame(C)


def test_the_turn_of_a_lost_player_passes_on() -> None:
    state = three()
    events = notice(state, Absent(A))
    assert events[1:] == (TurnCame(B),)
    state = after(state, events)
    state, _ = do(state, B, None)
    events = notice(state, Absent(C))
    assert [type(event) for event in events] == [PlayerDisconnected, AdversaryMoved, TurnCame]
    assert events[-1] == TurnCame(B)


def test_with_grace_a_lost_player_keeps_its_place_and_the_game_waits() -> None:
    state = three(grace_ms=10_000)
    events = notice(state, Absent(A))
    assert events == (WentAway(A),)
    state = after(state, events)
    assert turn(state) == (A,)
    assert state.scene.member(A).position == (1, 5)
    assert timers(state) == (Timer("grace-0", 10_000, 1),)
    assert notice(state, Absent(A)) == ()


def test_a_player_who_returns_in_time_plays_on() -> None:
    state = after(three(grace_ms=10_000), (WentAway(A),))
    events = notice(state, Present(A))
    assert events == (CameBack(A),)
    state = after(state, events)
    assert timers(state) == ()
    assert notice(state, Present(A)) == ()
    assert notice(state, DeadlinePassed("grace-0")) == ()


def test_each_absence_has_a_grace_of_its_own() -> None:
    state = after(three(grace_ms=10_000), (WentAway(A), CameBack(A), WentAway(B), WentAway(A)))
    assert timers(state) == (Timer("grace-1", 10_000, 2), Timer("grace-0", 10_000, 3))


def test_after_the_grace_the_player_is_disconnected_and_cannot_come_back() -> None:
    state = after(three(grace_ms=10_000), (WentAway(A),))
    events = notice(state, DeadlinePassed("grace-0"))
    assert [type(event) for event in events] == [PlayerDisconnected, TurnCame]
    state = after(state, events)
    assert timers(state) == ()
    assert notice(state, Present(A)) == ()
    assert notice(state, Absent(A)) == ()
    assert notice(state, Absent(A, for_good=True)) == ()


def test_leaving_for_good_needs_no_grace() -> None:
    events = notice(three(grace_ms=10_000), Absent(B, for_good=True))
    assert [type(event) for event in events] == [PlayerDisconnected]


def test_a_player_who_does_not_move_in_time_is_disconnected() -> None:
    state = three(move_time_ms=120_000)
    assert timers(state) == (Timer("move", 120_000, 1),)
    state = after(state, notice(state, DeadlinePassed("move")))
    assert removed(state) == (A,)
    assert turn(state) == (B,)
    assert timers(state) == (Timer("move", 120_000, 2),)


def test_every_turn_has_its_own_time_even_of_a_single_player() -> None:
    state = stage(HALL, {A: (1, 5)}, move_time_ms=500)
    before = timers(state)
    state, _ = do(state, A, None)
    assert (before, timers(state)) == ((Timer("move", 500, 1),), (Timer("move", 500, 2),))


def test_the_level_ends_without_update_when_the_last_active_player_is_lost() -> None:
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, unlocked=True)
    state, _ = do(state, A, (4, 8))
    events = notice(state, Absent(B))
    assert events[0] == PlayerDisconnected(B, sighted=())
    assert events[1:] == (
        LevelEnded(1, B, (A,), ()),
        GameEnded(End.WON, (Score(A, 1, 0, 0), Score(B, 0, 0, 0))),
    )


def test_a_player_lost_after_leaving_the_level_changes_nothing_but_is_told() -> None:
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, unlocked=True)
    state, _ = do(state, A, (4, 8))
    events = notice(state, Absent(A))
    assert len(events) == 1
    assert isinstance(events[0], PlayerDisconnected)
    assert set(events[0].windows) == {B}
    assert turn(after(state, events)) == (B,)


def test_the_game_stops_when_nobody_is_connected() -> None:
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, unlocked=True)
    state, _ = do(state, A, (4, 8))
    state = after(state, notice(state, Absent(A)))
    events = notice(state, Absent(B))
    assert [type(event) for event in events] == [PlayerDisconnected, LevelEnded, GameEnded]
    assert outcome(after(state, events)) == Outcome((), "deserted", {A: 1, B: 0})


def test_the_game_is_lost_when_only_ejected_players_remain() -> None:
    state = stage(HALL, {A: (1, 7), B: (3, 5)}, [zombie(1, (1, 8))], last=3)
    state, _ = do(state, A, (1, 8))
    state = after(state, notice(state, Absent(B)))
    assert outcome(state) == Outcome((), "lost", {A: 0, B: 0})


def test_tables_may_agree_that_a_lost_player_counts_as_ejected() -> None:
    state = three(house=HouseRules(loss_ejects=True))
    state = after(state, notice(state, Absent(B)))
    assert state.scene.ejects == (B,)
    assert state.scene.member(B).ejects == 1
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, unlocked=True, house=HouseRules(loss_ejects=True))
    state, _ = do(state, A, (4, 8))
    assert after(state, notice(state, Absent(A))).scene.ejects == ()


def test_nothing_happens_to_a_finished_game() -> None:
    state, _ = do(stage(HALL, {A: (4, 7)}, unlocked=True, grace_ms=5, move_time_ms=5), A, (4, 8))
    assert timers(state) == ()
    assert notice(state, Absent(A)) == ()
    assert notice(state, Absent(A, for_good=True)) == ()
    assert notice(state, DeadlinePassed("move")) == ()
