"""Moves of players and their effects."""

import pytest

from shared.errors import Rejected
from shared.games.snarl.commands import ForfeitTurn, Move
from shared.games.snarl.events import AdversaryMoved, Event, PlayerMoved, Result, TurnCame, TurnLost
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.pieces import Point
from shared.games.snarl.refusals import refused
from shared.games.snarl.rules import decide, options
from shared.games.snarl.state import State
from shared.ids import Seat
from tests.support.snarl_stage import HALL, WORKED, after, do, stage, statue, zombie


@pytest.fixture(autouse=True)
def _adversaries_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def reach(state: State, seat: int = 0) -> set[Point]:
    return {command.to for command in options(state, Seat(seat)) if isinstance(command, Move) and command.to}


def result(events: tuple[Event, ...]) -> Result:
    moved = events[0]
    assert isinstance(moved, PlayerMoved)
    return moved.result


def test_two_cardinal_steps_lead_anywhere_but_into_walls() -> None:
    state = stage(HALL, {0: (3, 5)})
    assert reach(state) == {
        (3, 5), (2, 5), (4, 5), (3, 4), (3, 6), (1, 5), (3, 3), (3, 7), (2, 6), (4, 4), (4, 6),
    }  # fmt: skip
    assert (2, 4) not in reach(state)
    assert (5, 5) not in reach(state)


def test_a_diagonal_needs_one_of_the_two_tiles_between() -> None:
    beside_the_inner_wall = stage(HALL, {0: (1, 4)})
    assert (2, 5) in reach(beside_the_inner_wall)
    behind_it = stage(HALL, {0: (2, 2)})
    assert (1, 3) in reach(behind_it)
    assert (2, 5) not in reach(behind_it)


def test_a_move_over_a_wall_corner_is_refused() -> None:
    in_the_corner = stage(WORKED, {0: (4, 7)})
    assert reach(in_the_corner) == {(4, 5), (4, 6), (4, 7), (4, 8), (4, 9)}
    assert isinstance(decide(in_the_corner, Seat(0), Move((3, 6))), Rejected)
    assert isinstance(decide(in_the_corner, Seat(0), Move((5, 8))), Rejected)


@pytest.mark.parametrize("to", [(4, 0), (0, 4), (1, 8), (-1, 4), (3, 100), (10**12, 3), (2, 3)])
def test_a_move_out_of_reach_is_refused_and_changes_nothing(to: Point) -> None:
    state = stage(HALL, {0: (1, 4)})
    assert decide(state, Seat(0), Move(to)) == Rejected("game/illegal", "no free tile is there within two steps")


def test_another_player_holds_its_tile_but_lets_others_past() -> None:
    state = stage(HALL, {0: (3, 5), 1: (3, 6)})
    assert (3, 6) not in reach(state)
    assert (3, 7) in reach(state)


def test_an_adversary_lets_players_past_too() -> None:
    state = stage(HALL, {0: (3, 5)}, [zombie(1, (3, 6))])
    assert {(3, 6), (3, 7)} <= reach(state)
    assert result(do(state, 0, (3, 7))[1]) is Result.OK


def test_tables_may_agree_that_nobody_walks_past_occupied_tiles() -> None:
    state = stage(HALL, {0: (4, 5), 1: (4, 4)}, [zombie(1, (4, 6))], house=HouseRules(occupants_block=True))
    assert (4, 3) not in reach(state)
    assert (4, 7) not in reach(state)
    assert (4, 6) in reach(state)
    assert {(3, 4), (3, 6)} <= reach(state)


def test_options_list_staying_twice_and_the_lost_turn_once() -> None:
    offered = options(stage(HALL, {0: (3, 5), 1: (1, 5)}), Seat(0))
    assert offered[0] == Move(None)
    assert offered.count(Move((3, 5))) == 1
    assert offered[-1] == ForfeitTurn()
    assert options(stage(HALL, {0: (3, 5), 1: (1, 5)}), Seat(1)) == ()


@pytest.mark.parametrize("to", [None, (3, 5)])
def test_staying_is_a_move(to: Point | None) -> None:
    state, events = do(stage(HALL, {0: (3, 5), 1: (1, 5)}), 0, to)
    assert result(events) is Result.OK
    assert events[-1] == TurnCame(Seat(1))
    assert state.scene.member(Seat(0)).position == (3, 5)


def test_the_key_is_found_on_arrival_and_unlocks_the_exit_for_everybody() -> None:
    state, events = do(stage(HALL, {0: (1, 3), 1: (4, 7)}), 0, (1, 1))
    assert result(events) is Result.KEY
    assert (state.scene.whole.key, state.scene.key) == (None, Seat(0))
    assert state.scene.member(Seat(0)).keys == 1
    assert result(do(state, 1, (4, 8))[1]) is Result.EXIT


def test_the_key_is_not_picked_up_in_passing() -> None:
    level = stage(HALL, {0: (1, 2)})
    state, events = do(level, 0, (2, 1))
    assert result(events) is Result.OK
    assert state.scene.whole.key == (1, 1)


def test_a_locked_exit_is_an_ordinary_tile() -> None:
    state, events = do(stage(HALL, {0: (4, 7)}), 0, (4, 8))
    assert result(events) is Result.OK
    assert state.scene.member(Seat(0)).position == (4, 8)


def test_a_player_on_the_exit_stays_in_play_when_the_key_is_found() -> None:
    state, _ = do(stage(HALL, {0: (1, 2), 1: (4, 8)}), 0, (1, 1))
    assert state.scene.turn == Seat(1)
    assert state.scene.member(Seat(1)).position == (4, 8)


@pytest.mark.parametrize("to", [None, (4, 8)])
def test_staying_on_the_unlocked_exit_is_leaving(to: Point | None) -> None:
    _, events = do(stage(HALL, {0: (4, 8), 1: (1, 5)}, unlocked=True), 0, to)
    assert result(events) is Result.EXIT


def test_tables_may_agree_that_only_arriving_is_leaving() -> None:
    house = HouseRules(stay_exits=False)
    state, events = do(stage(HALL, {0: (4, 8), 1: (1, 5)}, house=house, unlocked=True), 0, None)
    assert result(events) is Result.OK
    state, _ = do(state, 1, None)
    state, events = do(state, 0, (4, 7))
    state, _ = do(state, 1, None)
    assert result(do(state, 0, (4, 8))[1]) is Result.EXIT


def test_a_lost_turn_is_no_stay_and_makes_nobody_exit() -> None:
    state = stage(HALL, {0: (4, 8), 1: (1, 5)}, unlocked=True)
    events = decide(state, Seat(0), ForfeitTurn())
    assert events == (TurnLost(Seat(0)), TurnCame(Seat(1)))
    assert isinstance(events, tuple)
    assert after(state, events).scene.member(Seat(0)).position == (4, 8)


def test_the_lost_turn_of_the_last_player_ends_the_round() -> None:
    events = decide(stage(HALL, {0: (3, 5)}, [zombie(1, (1, 1))]), Seat(0), ForfeitTurn())
    assert isinstance(events, tuple)
    assert [type(event) for event in events] == [TurnLost, AdversaryMoved, TurnCame]


@pytest.mark.parametrize("tile", ["floor", "key", "exit"])
def test_an_adversary_ejects_whoever_comes_to_its_tile(tile: str) -> None:
    at = {"floor": (3, 6), "key": (1, 1), "exit": (4, 8)}[tile]
    start = {"floor": (3, 5), "key": (1, 2), "exit": (4, 7)}[tile]
    state, events = do(stage(HALL, {0: start, 1: (3, 3)}, [zombie(1, at)], unlocked=tile == "exit"), 0, at)
    assert result(events) is Result.EJECT
    assert state.scene.ejects == (Seat(0),)
    assert (state.scene.whole.key is None) == (tile == "exit")


def test_tables_may_agree_that_adversaries_guard_nothing() -> None:
    house = HouseRules(adversary_first=False)
    at_key = stage(HALL, {0: (1, 2), 1: (3, 3)}, [zombie(1, (1, 1))], house=house)
    assert result(do(at_key, 0, (1, 1))[1]) is Result.KEY
    at_exit = stage(HALL, {0: (4, 7), 1: (3, 3)}, [zombie(1, (4, 8))], house=house, unlocked=True)
    assert result(do(at_exit, 0, (4, 8))[1]) is Result.EXIT
    at_floor = stage(HALL, {0: (3, 5), 1: (3, 3)}, [zombie(1, (3, 6))], house=house)
    assert result(do(at_floor, 0, (3, 6))[1]) is Result.EJECT


def test_players_move_in_order_of_joining_then_adversaries_in_theirs() -> None:
    state = stage(HALL, {2: (3, 5), 0: (1, 5), 3: (4, 2)}, [zombie(1, (1, 8)), zombie(2, (2, 8))])
    turns = []
    for seat in (2, 0, 3):
        state, events = do(state, seat, None)
        turns.append([(type(event), getattr(event, "seat", getattr(event, "number", None))) for event in events])
    assert turns == [
        [(PlayerMoved, 2), (TurnCame, 0)],
        [(PlayerMoved, 0), (TurnCame, 3)],
        [(PlayerMoved, 3), (AdversaryMoved, 1), (AdversaryMoved, 2), (TurnCame, 2)],
    ]


def test_moves_out_of_turn_or_after_the_end_are_refused() -> None:
    state = stage(HALL, {0: (4, 8), 1: (1, 5)}, unlocked=True)
    assert decide(state, Seat(1), Move(None)) == refused("game/not_your_turn")
    state, _ = do(state, 0, None)
    state, _ = do(state, 1, None)
    state = stage(HALL, {0: (4, 8)}, unlocked=True)
    state, _ = do(state, 0, None)
    assert decide(state, Seat(0), Move(None)) == refused("game/over")
