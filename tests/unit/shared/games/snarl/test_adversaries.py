"""Zombies and ghosts: legal moves, choice of moves, attacks on players."""

import pytest

from shared.dice import Dice
from shared.games.snarl.adversaries import AdversaryStep, next_step
from shared.games.snarl.boards import floor_of
from shared.games.snarl.events import AdversaryMoved
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Level
from shared.games.snarl.movement import ghost_steps, landings, zombie_steps
from shared.games.snarl.pieces import WALL, Actor, Board, Point
from shared.games.snarl.placement import ghosts, place, spawn_points, zombies
from shared.games.snarl.state import State
from shared.ids import Seat
from tests.support.snarl_stage import HALL, WORKED, do, ghost, room, stage, statue, things, zombie


def chosen(state: State, adversary: Actor, draws: int = 40) -> set[AdversaryStep]:
    """All that the adversary does in this position, over many draws."""
    return {next_step(state.scene, state.house, adversary, Dice(seed, "test")) for seed in range(draws)}


def board_of(state: State) -> Board:
    return state.scene.whole


@pytest.mark.parametrize(
    ("level", "expected"), [(1, (1, 0)), (2, (2, 0)), (3, (2, 1)), (4, (3, 1)), (5, (3, 2)), (6, (4, 2)), (7, (4, 3))]
)
def test_the_number_of_adversaries_grows_with_the_level(level: int, expected: tuple[int, int]) -> None:
    assert (zombies(level), ghosts(level)) == expected


def test_everybody_is_placed_on_distinct_floor_without_key_and_exit() -> None:
    board = board_of(stage(WORKED, {0: (3, 3)}))
    free = set(spawn_points(board))
    assert (10, 10) not in free
    assert (4, 4) not in free
    for seed in range(50):
        players, adversaries = place(board, 7, (Seat(0), Seat(1)), Dice(seed), 0)
        taken = [actor.position for actor in (*players, *adversaries)]
        assert len(set(taken)) == len(taken) == 9
        assert set(taken) <= free
        assert [actor.name for actor in adversaries] == [
            "zombie1", "zombie2", "zombie3", "zombie4", "ghost1", "ghost2", "ghost3",
        ]  # fmt: skip


def test_tables_may_agree_that_adversaries_begin_at_a_distance() -> None:
    board = board_of(stage(HALL, {0: (3, 3)}))
    for seed in range(50):
        players, adversaries = place(board, 1, (Seat(0),), Dice(seed), 4)
        home, lair = players[0].position, adversaries[0].position
        assert abs(home[0] - lair[0]) + abs(home[1] - lair[1]) >= 4


def test_a_zombie_goes_one_step_on_the_floor_of_its_room() -> None:
    state = stage(WORKED, {0: (3, 3)}, [zombie(1, (9, 10)), zombie(2, (9, 9))])
    assert set(zombie_steps(state.scene, zombie(1, (9, 10)))) == {(10, 10), (9, 11)}


def test_a_zombie_never_enters_a_door_even_with_a_player_on_it() -> None:
    state = stage(WORKED, {0: (8, 10)}, [zombie(1, (9, 10))])
    assert (8, 10) not in zombie_steps(state.scene, zombie(1, (9, 10)))
    assert all(step.to != (8, 10) for step in chosen(state, zombie(1, (9, 10))))


def test_a_zombie_that_cannot_move_stays_and_that_is_its_move() -> None:
    level = Level((room(0, 0, "#####", "#.#.#", "#...#", "#####"),), (), things((2, 1), (2, 3)))
    crowd = [zombie(1, (1, 1)), zombie(2, (2, 1)), zombie(3, (2, 2))]
    state = stage(level, {0: (1, 3)}, crowd)
    assert zombie_steps(state.scene, crowd[0]) == ()
    assert chosen(state, crowd[0]) == {AdversaryStep((1, 1))}


def test_a_zombie_never_stands_still_if_it_can_move() -> None:
    state = stage(HALL, {0: (1, 1)}, [zombie(1, (3, 5))])
    assert all(step.to != (3, 5) for step in chosen(state, zombie(1, (3, 5))))


def test_a_zombie_hunts_the_nearest_player_of_its_room_around_inner_walls() -> None:
    state = stage(HALL, {0: (3, 3), 1: (4, 8)}, [zombie(1, (1, 3))])
    assert chosen(state, zombie(1, (1, 3))) == {AdversaryStep((1, 2))}
    beside = stage(HALL, {0: (1, 4)}, [zombie(1, (1, 3))])
    assert chosen(beside, zombie(1, (1, 3))) == {AdversaryStep((1, 4))}


def test_a_zombie_alone_in_its_room_wanders() -> None:
    state = stage(WORKED, {0: (3, 3)}, [zombie(1, (10, 10))])
    assert chosen(state, zombie(1, (10, 10))) == {
        AdversaryStep((9, 10)),
        AdversaryStep((11, 10)),
        AdversaryStep((10, 9)),
        AdversaryStep((10, 11)),
    }


def test_a_ghost_may_enter_walls_doors_and_hallways_but_no_void() -> None:
    state = stage(WORKED, {0: (3, 3)})
    rules = HouseRules()
    assert set(ghost_steps(state.scene, rules, ghost(1, (9, 10)))) == {(8, 10), (10, 10), (9, 9), (9, 11)}
    assert set(ghost_steps(state.scene, rules, ghost(1, (9, 9)))) == {(8, 9), (9, 8), (10, 9), (9, 10)}
    assert set(ghost_steps(state.scene, rules, ghost(1, (4, 8)))) == {(4, 7), (4, 9)}
    assert set(ghost_steps(state.scene, rules, ghost(1, (4, 6)))) == {(3, 6), (5, 6), (4, 5), (4, 7)}


def test_a_room_may_be_entered_through_its_wall_from_a_hallway_beside_it() -> None:
    beside = room(5, 11, "####", "#..#", "####")
    state = stage(Level((*WORKED.rooms, beside), WORKED.hallways, WORKED.objects), {0: (3, 3)})
    assert (6, 11) in ghost_steps(state.scene, HouseRules(), ghost(1, (6, 10)))


def test_inner_walls_transport_too() -> None:
    state = stage(HALL, {0: (4, 1)})
    assert (2, 3) in ghost_steps(state.scene, HouseRules(), ghost(1, (1, 3)))


def test_adversaries_do_not_share_tiles_unless_ghosts_may() -> None:
    state = stage(HALL, {0: (4, 1)}, [ghost(1, (1, 5)), zombie(1, (1, 6))])
    assert (1, 6) not in ghost_steps(state.scene, HouseRules(), ghost(1, (1, 5)))
    assert (1, 6) in ghost_steps(state.scene, HouseRules(ghosts_share=True), ghost(1, (1, 5)))
    assert (1, 5) not in zombie_steps(state.scene, zombie(1, (1, 6)))


def test_a_transport_ends_on_free_floor_of_any_room_even_the_same_tile() -> None:
    me = ghost(1, (9, 9))
    state = stage(WORKED, {0: (3, 3)}, [me, zombie(1, (11, 11))])
    landed = {step.to for step in chosen(state, me, 400) if step.through}
    taken = {(3, 3), (11, 11), (10, 10), (4, 4)}
    everywhere = {point for area in board_of(state).rooms for point in floor_of(board_of(state), area)}
    assert landed == everywhere - taken
    assert (9, 9) in landed


def test_rooms_without_a_free_tile_are_left_out_and_walls_close_when_all_are_full() -> None:
    level = Level((room(0, 0, "####", "#..#", "####"),), (), things((1, 1), (1, 2)))
    state = stage(level, {0: (1, 2)}, [ghost(1, (1, 1))])
    assert landings(state.scene, ghost(1, (1, 1)), board_of(state).rooms[0]) == ()
    assert ghost_steps(state.scene, HouseRules(), ghost(1, (1, 1))) == ((1, 2),)


def test_a_ghost_runs_at_a_player_through_doors_and_hallways() -> None:
    state = stage(WORKED, {0: (4, 9)}, [ghost(1, (4, 5))])
    assert chosen(state, ghost(1, (4, 5))) == {AdversaryStep((4, 6))}
    far = stage(WORKED, {0: (11, 11)}, [ghost(1, (4, 6))])
    assert all(step.through in {(3, 6), (5, 6)} for step in chosen(far, ghost(1, (4, 6))))


def test_a_ghost_feels_a_player_six_steps_away_and_not_seven() -> None:
    near = stage(WORKED, {0: (4, 10)}, [ghost(1, (4, 4))])
    assert chosen(near, ghost(1, (4, 4))) == {AdversaryStep((4, 5))}
    far = stage(WORKED, {0: (5, 10)}, [ghost(1, (4, 4))])
    assert all(step.through is None for step in chosen(far, ghost(1, (4, 4))))
    assert len(chosen(far, ghost(1, (4, 4)))) > 1


def test_a_ghost_without_prey_makes_for_the_nearest_wall() -> None:
    state = stage(WORKED, {0: (11, 11)}, [ghost(1, (4, 9))])
    board = board_of(state)
    at: Point = (4, 9)
    for turn in range(6):
        step = next_step(state.scene, HouseRules(), ghost(1, at), Dice(turn))
        if step.through:
            break
        at = step.to
    assert step.through is not None
    assert board.at(step.through) == WALL


def test_an_adversary_that_comes_to_a_players_tile_expels_it() -> None:
    state, events = do(stage(HALL, {0: (1, 6), 1: (4, 1)}, [zombie(1, (1, 5))]), 0, None)
    state, events = do(state, 1, None)
    expulsion = events[1]
    assert isinstance(expulsion, AdversaryMoved)
    assert (expulsion.expelled, expulsion.to) == (Seat(0), (1, 6))
    last_sight = expulsion.windows[Seat(0)]
    assert last_sight.position == (1, 6)
    assert zombie(1, (1, 6)) in last_sight.actors
    assert state.scene.ejects == (Seat(0),)
    assert state.scene.member(Seat(0)).ejects == 1


def test_adversaries_stop_once_nobody_is_left() -> None:
    _, events = do(stage(HALL, {0: (1, 6)}, [zombie(1, (1, 5)), zombie(2, (3, 3))]), 0, None)
    assert sum(isinstance(event, AdversaryMoved) for event in events) == 1


def test_key_and_exit_do_not_concern_adversaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", lambda *_: AdversaryStep((1, 1)))
    state, _ = do(stage(HALL, {0: (3, 6)}, [zombie(1, (1, 2))]), 0, None)
    assert board_of(state).key == (1, 1)
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)
