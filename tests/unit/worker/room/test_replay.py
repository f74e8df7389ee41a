"""A room that is brought back from its journal, or from a snapshot and what came after it, is the room that it was."""

import dataclasses
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.bus.journal import StoredRoom
from shared.commands import (
    Compensate,
    Configure,
    Enter,
    GatewayLost,
    Gone,
    Leave,
    Rematch,
    RoomCommand,
    Say,
    Unwatch,
    Watch,
)
from shared.ids import CommandId, Epoch, GatewayId, Offset, RoomId, SessionId
from shared.journal_records import JournalRecord
from shared.results import Result
from shared.room_events import RoomSpec
from tests.support.room_bench import CATALOG, G1, G2, ROOM, SETTINGS, RoomBench, act, finished, started, take
from tests.support.toys import Boom, Guess
from worker.games import GameCatalog, NoSuchGame
from worker.room.draft import RoomBroken
from worker.room.room import Room
from worker.room.timers import GAME

SPECS = (
    RoomSpec("stones", 2, {"stones": 6}),
    RoomSpec("stones", 3, {"stones": 9}, turn_ms=9_000),
    RoomSpec("stones", 3, {"stones": 9}, bots=1),
    RoomSpec("stones", 4, only="codex"),
    RoomSpec("toy", 2, {"rounds": 4}),
    RoomSpec("toy", 3, wait_ms=4_000, turn_ms=5_000),
)
WHO = ("ada", "bob", "eve", "zoe")

bodies = st.one_of(
    st.builds(Watch, st.booleans()),
    st.builds(Gone),
    st.builds(Leave),
    st.builds(Unwatch),
    st.builds(take, st.integers(1, 3)),
    st.builds(act, st.builds(Guess, st.integers(1, 2))),
    st.just(act(Boom())),
    st.builds(Say, st.sampled_from(("hello", "")), st.sampled_from((None, "ada", "bob"))),
    st.builds(Configure, st.integers(1, 4)),
    st.just(Configure(0, fill=True)),
    st.builds(Rematch, st.builds(RoomId, st.integers(1, 5))),
)
said = st.tuples(st.sampled_from(WHO), bodies, st.integers(-1, 2))
entered = st.tuples(st.just("enter"), st.sampled_from(WHO), st.booleans())
pestered = st.tuples(st.just("pester"), st.sampled_from(WHO), st.integers(1, 5))
happened = st.one_of(
    st.tuples(st.just("expire"), st.integers(0, 20)),
    st.tuples(st.just("own"), st.one_of(st.just(GatewayLost(G1)), st.just(GatewayLost(G2)), st.just(Compensate(700)))),
    st.tuples(st.just("later"), st.integers(1, 3_000)),
)
steps = st.lists(st.one_of(said, said, entered, pestered, happened), max_size=40)


def what_it_is(room: Room) -> dict[str, Any]:
    """All that a room remembers. The size of its updates is estimated when it is loaded."""
    state: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(room.state))
    del state["kept_updates"]
    return state | {"play": room._draft.play}


def without_results(what: dict[str, Any]) -> dict[str, Any]:
    """The state according to the journal alone, which may lack refusals that were saved."""
    return what | {"seats": {seat: place | {"results": {}} for seat, place in what["seats"].items()}}


def do(bench: RoomBench, step: tuple[Any, ...]) -> None:
    match step:
        case ("enter", who, by_name):
            bench.send(who, Enter(who, by_name=by_name, dialect="codex"), gateway=_gateway(who))
        case ("pester", who, times):
            for _ in range(times):
                bench.send(who, Say(""), gateway=_gateway(who))
        case ("expire", number):
            names = sorted(bench.room.state.deadlines)
            if names:
                bench.expire(names[number % len(names)])
        case ("own", body):
            bench.own(body)
        case ("later", by_ms):
            bench.now_ms += by_ms
        case (who, body, back):
            _say(bench, who, body, back)


def _say(bench: RoomBench, who: str, body: RoomCommand, back: int) -> None:
    """A new command, or (now and then) the last one of this player again."""
    last = bench._ids.get(who, 0)
    bench.send(who, body, None if back else max(1, last), gateway=_gateway(who))


def _gateway(who: str) -> GatewayId:
    return G1 if who in ("ada", "eve") else G2


@given(st.sampled_from(SPECS), steps)
def test_a_room_that_is_loaded_again_at_any_step_is_the_same(spec: RoomSpec, story: list[tuple[Any, ...]]) -> None:
    bench = RoomBench(dataclasses.replace(SETTINGS, snapshot_every=3))
    bench.enter("ada", spec)
    for step in story:
        do(bench, step)
        now = what_it_is(bench.room)
        assert what_it_is(bench.loaded()) == now
        assert without_results(what_it_is(bench.loaded(snapshots=False))) == without_results(now)


@given(st.sampled_from(SPECS), steps, st.integers(0, 39))
def test_a_room_says_the_same_after_a_take_over(spec: RoomSpec, story: list[tuple[Any, ...]], when: int) -> None:
    stays, moves = RoomBench(), RoomBench()
    for bench in (stays, moves):
        bench.enter("ada", spec)
    for number, step in enumerate(story):
        if number == when:
            moves.room = moves.loaded()
        for bench in (stays, moves):
            do(bench, step)
    assert (moves.updates, moves.replies) == (stays.updates, stays.replies)


@given(st.sampled_from(SPECS), steps)
def test_offsets_rise_one_by_one(spec: RoomSpec, story: list[tuple[Any, ...]]) -> None:
    bench = RoomBench()
    bench.enter("ada", spec)
    for step in story:
        do(bench, step)
    assert [step.offset for step in bench.updates] == list(range(1, len(bench.updates) + 1))


@given(st.sampled_from(SPECS), steps)
def test_the_index_of_deadlines_is_that_of_the_room(spec: RoomSpec, story: list[tuple[Any, ...]]) -> None:
    bench = RoomBench()
    index: dict[tuple[str, int], int] = {}
    bench.enter("ada", spec)
    for step in (("later", 1), *story):
        do(bench, step)
        for due, is_started in bench.result.more.deadlines:
            if is_started:
                index[due.name, due.generation] = due.due_ms
            else:
                index.pop((due.name, due.generation), None)
        bench.result = Result(ROOM)
        deadlines = bench.room.state.deadlines
        assert index == {(name, due.generation): due.due_ms for name, due in deadlines.items()}


def test_a_room_that_never_was_is_empty() -> None:
    assert Room(ROOM, Epoch(1), CATALOG, SETTINGS, StoredRoom(None, ())).state.status == ""


def test_a_take_over_keeps_the_epoch_of_the_last_step() -> None:
    bench = started()
    bench.reload()
    assert bench.room.state.epoch == 1


def test_the_next_step_carries_the_new_owners_epoch() -> None:
    bench = started()
    bench.reload()
    bench.ok("ada", take(1))
    assert [step.epoch for step in bench.updates] == [1, 1, 1, 2]


def test_snapshots_are_taken_now_and_then() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert bench.snapshot is not None
    assert (bench.snapshot.offset, bench.snapshot.number) == (4, 0)


def test_refusals_are_saved_now_and_then_too() -> None:
    bench = started()
    for _ in range(4 * SETTINGS.snapshot_every):
        assert bench.code("bob", take(1)) == "game/not_your_turn"
        assert len(bench.stored().records) < 2 * SETTINGS.snapshot_every
    assert bench.snapshot is not None
    assert (bench.snapshot.offset, bench.snapshot.number) == (3, 4 * SETTINGS.snapshot_every)


def test_records_found_by_a_new_owner_count_for_the_next_snapshot() -> None:
    bench = started()
    for _ in range(SETTINGS.snapshot_every):
        bench.reload()
        bench.code("bob", take(1))
    assert bench.snapshot is not None
    assert (bench.snapshot.offset, bench.snapshot.number) == (3, SETTINGS.snapshot_every)


def test_a_refusal_that_was_saved_is_not_carried_out_later() -> None:
    bench = started()
    for number in range(11, 11 + SETTINGS.snapshot_every):
        bench.code("bob", take(1), number)
    bench.ok("ada", take(1))
    bench.reload()
    last = 10 + SETTINGS.snapshot_every
    assert bench.code("bob", take(1), last) == "game/not_your_turn"


def test_refusals_that_were_saved_leave_the_journal() -> None:
    bench = started()
    for _ in range(10 * SETTINGS.snapshot_every):
        bench.code("bob", take(1))
    assert [filed[:2] for filed in bench.records] == [(1, 0), (2, 0), (3, 0), (3, 10 * SETTINGS.snapshot_every)]


def test_refusals_before_a_step_leave_the_journal_with_the_next_snapshot() -> None:
    bench = started()
    for _ in range(3):
        bench.code("bob", take(1))
    assert bench.snapshot is None
    bench.ok("ada", take(1))
    assert [filed[:2] for filed in bench.records] == [(1, 0), (2, 0), (3, 0), (3, 3), (4, 0)]


def test_the_journal_keeps_attachments_and_the_last_command_of_each_seat() -> None:
    bench = started()
    bench.code("ada", Say(""))
    bench.code("ada", Say(""))
    bench.ok("eve", Watch())
    bench.code("bob", take(1))
    assert bench.snapshot is not None
    assert [filed[:2] for filed in bench.records[3:]] == [(3, 2), (3, 3), (3, 4)]
    without = bench.loaded(snapshots=False).state
    assert [place.last_id for place in without.seats.values()] == [3, 2]


def test_a_finished_room_whose_refusals_are_saved_is_not_kept_for_ever() -> None:
    bench = finished()
    for _ in range(SETTINGS.snapshot_every):
        assert bench.code("bob", take(1)) == "game/over"
    assert bench.result.more.snapshot is not None
    assert bench.result.more.expires_ms == bench.room.expires_ms


def test_a_finished_room_is_saved() -> None:
    bench = finished()
    assert bench.snapshot is not None
    assert (bench.snapshot.offset, bench.snapshot.number) == (5, 0)


def test_a_room_of_a_game_that_is_not_there_is_not_called_broken() -> None:
    bench = started()
    with pytest.raises(NoSuchGame, match="stones@1"):
        Room(ROOM, Epoch(2), GameCatalog(()), SETTINGS, bench.stored())


def test_a_journal_that_makes_no_sense_cannot_be_loaded() -> None:
    record = JournalRecord(1, Epoch(1), SessionId("s"), CommandId(1), events=msgspec.Raw(b'[{"type":"what"}]'))
    with pytest.raises(RoomBroken):
        Room(ROOM, Epoch(2), CATALOG, SETTINGS, StoredRoom(None, ((Offset(1), 0, record),)))


def test_a_snapshot_that_makes_no_sense_cannot_be_loaded() -> None:
    with pytest.raises(RoomBroken):
        Room(ROOM, Epoch(2), CATALOG, SETTINGS, StoredRoom(b"{}", ()))


def test_timers_of_games_and_of_rooms_have_different_names() -> None:
    assert f"{GAME}.bell" in started(RoomSpec("toy", 2)).room.state.deadlines
