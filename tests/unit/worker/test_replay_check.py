"""The replay check: a change of rules shows in the room and at the step where it matters, and nothing else does."""

import dataclasses

import msgspec

from shared.bus.journal import StoredRoom
from shared.game import AnyGame, Outcome
from shared.games import stones
from shared.ids import Offset
from shared.journal_records import RecordPlace
from tests.support.room_bench import RoomBench, finished, opened, started, take
from tests.support.toys import TOY
from worker.games import GameCatalog
from worker.replay_check import CheckedRoom, check_room

SAME = stones.GAME


def checked(bench: RoomBench, game: AnyGame = SAME) -> CheckedRoom:
    snapshot = bench.snapshot
    place: RecordPlace = (Offset(0), 0) if snapshot is None else (snapshot.offset, snapshot.number)
    stored = StoredRoom(None if snapshot is None else snapshot.body, tuple(bench.records))
    return check_room(GameCatalog((game,)), bench.room.state.room, stored, place)


def played() -> RoomBench:
    """A room with four moves: step 4 to 7. The snapshot was taken after step 4."""
    bench = started()
    for player in ("ada", "bob", "ada", "bob"):
        bench.ok(player, take(1))
    return bench


def test_the_same_rules_make_no_difference() -> None:
    for bench in (opened(), started(), played(), finished()):
        assert checked(bench).difference == ""


def test_a_check_counts_the_steps() -> None:
    assert checked(played()).steps == 7


def test_a_changed_outcome_shows_at_the_step_that_ended_the_game() -> None:
    changed = dataclasses.replace(SAME, outcome=lambda state: SAME.outcome(state) and Outcome((), "nobody"))
    found = checked(finished(), changed)
    assert found.step == 5
    assert "outcome" in found.difference


def test_a_game_that_would_have_ended_earlier_shows_at_that_step() -> None:
    sooner = dataclasses.replace(SAME, outcome=lambda state: Outcome(()) if state.stones <= 7 else None)
    found = checked(played(), sooner)
    assert (found.step, found.difference.split(":")[0]) == (5, "the game ends here by these rules, and went on")


def test_a_state_that_comes_out_differently_shows_at_the_snapshot() -> None:
    def evolve(state: stones.State, event: stones.Event) -> stones.State:
        after = stones.evolve(state, event)
        return msgspec.structs.replace(after, stones=after.stones + 1) if isinstance(event, stones.Taken) else after

    found = checked(played(), dataclasses.replace(SAME, evolve=evolve))
    assert found.step == 4
    assert found.difference == "the state differs from the snapshot: stones is 8 in the snapshot, 9 replayed"


def test_an_event_that_the_rules_cannot_apply_shows_at_its_step() -> None:
    def evolve(state: stones.State, event: stones.Event) -> stones.State:
        if isinstance(event, stones.Taken) and state.stones == 8:
            raise ZeroDivisionError
        return stones.evolve(state, event)

    found = checked(played(), dataclasses.replace(SAME, evolve=evolve))
    assert found.step == 5
    assert "ZeroDivisionError" in found.difference


def test_a_room_of_a_game_that_is_not_at_hand_is_reported_as_such() -> None:
    found = checked(finished(), TOY)
    assert found.unknown
    assert found.over
    assert found.game == "stones@1"


def test_a_snapshot_after_a_refusal_that_was_not_kept_is_compared() -> None:
    bench = started()
    for _ in range(6):
        bench.code("bob", take(1))
    bench.ok("ada", take(1))
    assert checked(bench).difference == ""
