"""Ends of levels and games, ranking, and who begins the next level."""

import pytest

from shared.game import Absent, Outcome, Table
from shared.games.snarl.adversaries import next_step
from shared.games.snarl.events import (
    AdversaryMoved,
    End,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Score,
    TurnCame,
)
from shared.games.snarl.game import outcome
from shared.games.snarl.pieces import Kind
from shared.games.snarl.presence import notice
from shared.games.snarl.rounds import ranked
from shared.games.snarl.rules import turn
from shared.games.snarl.setup import Options, setup
from shared.games.snarl.state import State, evolve
from shared.games.snarl.views import Standing
from shared.ids import Seat
from tests.support.snarl_stage import HALL, WORKED, after, do, stage, statue, zombie

A, B = Seat(0), Seat(1)


@pytest.fixture(autouse=True)
def _adversaries_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def test_the_last_level_exited_by_somebody_wins_the_game() -> None:
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, [zombie(1, (1, 6))], unlocked=True)
    state, events = do(state, A, (4, 8))
    assert [type(event) for event in events] == [PlayerMoved, TurnCame]
    state, events = do(state, B, (1, 6))
    assert [type(event) for event in events] == [PlayerMoved, LevelEnded, GameEnded]
    assert events[1] == LevelEnded(1, B, (A,), (B,))
    assert events[2] == GameEnded(End.WON, (Score(A, 1, 0, 0), Score(B, 0, 1, 0)))
    assert outcome(state) == Outcome((A,), "won", {A: 1, B: 0})
    assert turn(state) == ()


def test_a_level_that_nobody_exited_loses_the_game_at_once() -> None:
    state, events = do(stage(HALL, {A: (1, 5)}, [zombie(1, (1, 6))], last=3), A, (1, 6))
    assert events[1:] == (LevelEnded(1, None, (), (A,)), GameEnded(End.LOST, (Score(A, 0, 1, 0),)))
    assert outcome(state) == Outcome((), "lost", {A: 0})


def test_all_who_are_connected_begin_the_next_level_also_the_ejected() -> None:
    state = stage(HALL, {B: (4, 7), A: (1, 5)}, [zombie(1, (1, 6))], last=2, unlocked=True)
    state, _ = do(state, B, (4, 8))
    state, events = do(state, A, (1, 6))
    assert [type(event) for event in events] == [PlayerMoved, LevelEnded, LevelBegan, TurnCame]
    began = events[2]
    assert isinstance(began, LevelBegan)
    assert (began.number, began.players) == (2, (B, A))
    assert [actor.kind for actor in began.adversaries] == [Kind.ZOMBIE, Kind.ZOMBIE]
    assert events[3] == TurnCame(B)
    assert {member.standing for member in state.scene.party} == {Standing.ACTIVE}
    assert (state.scene.exits, state.scene.ejects, state.scene.key) == ((), (), None)
    assert [(member.exits, member.ejects) for member in state.scene.party] == [(1, 0), (0, 1)]


def test_ranking_goes_by_exits_keys_ejects_and_order_of_joining() -> None:
    scores = [Score(Seat(0), 1, 1, 0), Score(Seat(1), 1, 0, 0), Score(Seat(2), 1, 2, 1), Score(Seat(3), 2, 3, 0)]
    assert [score.seat for score in ranked(scores)] == [3, 2, 1, 0]
    assert [score.seat for score in ranked([Score(Seat(2), 1, 0, 0), Score(Seat(0), 1, 0, 0)])] == [2, 0]


def test_equals_share_the_victory() -> None:
    state = stage(WORKED, {A: (4, 5), B: (3, 4), Seat(2): (3, 3)}, unlocked=True)
    state, _ = do(state, A, (4, 4))
    state, _ = do(state, B, (4, 4))
    state, _ = do(state, 2, (4, 4))
    ended = outcome(state)
    assert ended is not None
    assert ended.winners == (A, B, Seat(2))


def test_an_exit_counts_even_if_its_player_is_lost_later() -> None:
    state = stage(HALL, {A: (4, 7), B: (1, 5)}, [zombie(1, (1, 6))], last=2, unlocked=True)
    state, _ = do(state, A, (4, 8))
    lost = notice(state, Absent(A, for_good=True))
    assert [type(event) for event in lost] == [PlayerDisconnected]
    state, events = do(after(state, lost), B, (1, 6))
    assert events[1] == LevelEnded(1, B, (A,), (B,))
    began = events[2]
    assert isinstance(began, LevelBegan)
    assert began.players == (B,)


def test_levels_are_played_from_the_start_level_to_the_last() -> None:
    state = State()
    for event in setup(Table(Options(count=5, start=3), (A, B), (B, A), 3)):
        state = evolve(state, event)
    assert (state.scene.level, state.scene.last, state.scene.turn) == (3, 5, B)
    assert len(state.scene.adversaries) == 3


def test_given_levels_are_taken_into_the_state() -> None:
    state = State()
    for event in setup(Table(Options(levels=(HALL, WORKED)), (A,), (A,), 3)):
        state = evolve(state, event)
    assert state.levels == (HALL, WORKED)
    assert state.scene.whole.exit == (4, 8)
    assert state.scene.last == 2


def test_an_expulsion_can_end_level_and_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", next_step)
    state, events = do(stage(HALL, {A: (1, 6)}, [zombie(1, (1, 5))]), A, None)
    assert [type(event) for event in events] == [PlayerMoved, AdversaryMoved, LevelEnded, GameEnded]
    assert outcome(state) == Outcome((), "lost", {A: 0})
