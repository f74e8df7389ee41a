"""Commands of a room: each is carried out once, whatever happens to it on the way."""

import dataclasses

import msgspec
import pytest

from shared.commands import Act, Gone, Leave, Rematch, Say, Watch
from shared.deliveries import CompletedCommand
from shared.errors import Rejected
from shared.ids import CommandId, GatewayId, RoomId
from shared.room_events import RoomSpec
from tests.support.batches import replies_for, steps_for
from tests.support.room_bench import G1, G2, TWO, RoomBench, act, finished, opened, started, take
from tests.support.toys import TOY, Boom, Guess, Poison
from worker.games import GameCatalog
from worker.room.results import RESULTS_KEPT

# --- moves ------------------------------------------------------------------------------------------------------------


def test_a_refusal_of_the_game_that_cannot_be_encoded_costs_the_command_alone() -> None:
    """The commit would otherwise fail for all rooms of the partition."""
    game = dataclasses.replace(TOY, decide=lambda _state, _seat, _command: Rejected("toy/no", "\ud800"))
    bench = RoomBench(catalog=GameCatalog((game,)))
    bench.enter("ada", TWO)
    bench.enter("bob")
    assert bench.code("ada", act(Guess(1))) == "internal"


def test_a_move_is_answered_with_its_step() -> None:
    bench = started()
    bench.ok("ada", take(2), 7)
    (step,) = steps_for([bench.result], G1)
    assert step.offset == 4
    assert step.epoch == 1
    assert step.done == CompletedCommand(G1, 1, CommandId(7))
    assert bench.result.reply is None


@pytest.mark.parametrize("body", [take(1), Say("hello"), Leave()])
def test_a_step_is_the_answer_to_the_command_that_caused_it(body: Act | Say | Leave) -> None:
    bench = started()
    bench.ok("ada", body, 7)
    assert steps_for([bench.result], G1)[0].done == CompletedCommand(G1, 1, CommandId(7))
    assert bench.result.reply is None


def test_a_move_from_a_gateway_that_does_not_receive_the_room_gets_a_reply() -> None:
    bench = started()
    reply = bench.ok("ada", take(2), gateway=GatewayId("g-three"))
    assert reply.offset == 4
    assert [step.done for step in steps_for([bench.result], G1)] == [None]


def test_an_update_names_the_seat_and_the_command_that_caused_it() -> None:
    bench = started()
    bench.ok("ada", take(2))
    update = msgspec.json.decode(bench.updates[-1].public)
    assert (update["by"], update["id"], update["trace"]) == (0, 2, "t2")


def test_a_move_before_the_start_is_refused() -> None:
    assert opened().code("ada", take(1)) == "room/not_started"


def test_a_move_after_the_end_is_refused() -> None:
    assert finished().code("ada", take(1)) == "game/over"


def test_a_move_in_a_closed_room_is_refused() -> None:
    bench = started()
    for who in ("ada", "bob"):
        bench.ok(who, Gone(), -1, gateway=G2 if who == "bob" else G1)
    bench.expire("abandoned")
    assert bench.code("ada", take(1)) == "room/closed"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"take"}',
        b'{"type":"grab","count":1}',
        b'{"type":"take","count":"1"}',
        b"null",
        b"[]",
        b'{"type":"\xff","count":1}',
    ],
)
def test_a_malformed_command_of_the_game_is_refused(raw: bytes) -> None:
    assert started().code("ada", Act(msgspec.Raw(raw))) == "command/bad"


def test_nesting_that_exhausts_the_stack_is_refused() -> None:
    deep = 1_000_000
    raw = b'{"type":"take","count":1,"more":' + b"[" * deep + b"]" * deep + b"}"
    assert started().code("ada", Act(msgspec.Raw(raw))) == "command/bad"


def test_a_refused_move_makes_no_step() -> None:
    bench = started()
    bench.send("bob", take(1))
    assert bench.room.state.offset == 3


def test_the_end_is_part_of_the_last_step() -> None:
    assert finished().kinds() == ["taken", "room.ended"]


def test_the_end_tells_the_names_of_the_winners() -> None:
    assert finished().events()[-1]["names"] == ["bob"]


# --- once and only once -----------------------------------------------------------------------------------------------


def test_a_command_that_comes_again_is_not_carried_out_again() -> None:
    bench = started()
    bench.ok("ada", take(2), 7)
    bench.ok("ada", take(2), 7)
    assert bench.room.state.offset == 4


def test_a_command_that_comes_again_gets_its_first_answer() -> None:
    bench = started()
    first = bench.ok("ada", take(2), 7)
    bench.ok("bob", take(1))
    assert bench.ok("ada", take(2), 7) == first


def test_a_command_that_comes_again_to_the_next_owner_gets_its_first_answer() -> None:
    bench = started()
    first = bench.ok("ada", take(2), 7)
    bench.reload()
    assert bench.ok("ada", take(2), 7) == first


def test_another_command_under_the_same_id_is_not_carried_out() -> None:
    bench = started()
    bench.ok("ada", Say("hello"), 7)
    bench.ok("ada", take(2), 7)
    assert bench.room.state.offset == 4


def test_a_refused_command_stays_refused_when_it_has_become_legal() -> None:
    bench = started()
    bench.code("bob", take(1), 7)
    bench.ok("ada", take(1))
    assert bench.code("bob", take(1), 7) == "game/not_your_turn"


def test_a_refused_command_stays_refused_at_the_next_owner() -> None:
    bench = started()
    bench.code("bob", take(1), 7)
    bench.ok("ada", take(1))
    bench.reload()
    assert bench.code("bob", take(1), 7) == "game/not_your_turn"


def test_a_command_that_is_too_old_to_be_known_is_never_run() -> None:
    bench = started()
    bench.ok("ada", Say("hello"), 7)
    assert bench.code("ada", take(1), 6) == "command/too_old"


def test_a_command_that_is_too_old_changes_nothing() -> None:
    bench = started()
    bench.ok("ada", Say("hello"), 7)
    bench.send("ada", take(1), 6)
    assert bench.room.state.offset == 4
    assert bench.result.records == []


def test_so_many_answers_are_kept() -> None:
    bench = started()
    for number in range(10, 10 + RESULTS_KEPT):
        bench.ok("ada", Say("hello"), number)
    assert bench.ok("ada", Say("hello"), 10).offset == 4


def test_older_answers_are_forgotten_but_their_commands_are_not_run() -> None:
    bench = started()
    last = 10 + 2 * RESULTS_KEPT
    for number in range(10, last + 1):
        bench.ok("ada", Say("hello"), number)
    assert bench.code("ada", Say("hello"), 10) == "command/too_old"
    assert bench.code("ada", Say("hello"), last + 1 - RESULTS_KEPT) == ""


@pytest.mark.parametrize("number", [0, -5])
def test_ids_begin_with_one(number: int) -> None:
    assert started().code("ada", take(1), number) == "command/too_old"


def test_seats_count_their_commands_apart() -> None:
    bench = started()
    bench.ok("ada", take(1), 1_000)
    bench.ok("bob", take(1), 7)
    assert bench.room.state.offset == 5


def test_a_view_tells_the_highest_id_that_was_handled() -> None:
    bench = started()
    bench.ok("ada", take(1), 77)
    assert bench.view(bench.ok("ada", Watch(), 78)).last_id == 77


def test_leaving_again_after_the_end_is_answered_alike_by_the_next_owner() -> None:
    bench = finished()
    first = bench.ok("ada", Leave(), 50)
    bench.reload()
    assert bench.ok("ada", Leave(), 50).offset == first.offset == 0


def test_a_player_who_has_left_gets_earlier_results_again() -> None:
    bench = started()
    first = [bench.ok("ada", take(2), 50).offset, bench.ok("ada", Leave(), 51).offset]
    bench.reload()
    assert [bench.ok("ada", take(2), 50).offset, bench.ok("ada", Leave(), 51).offset] == first
    assert bench.room.state.offset == first[-1]


def test_a_player_who_has_left_gets_earlier_refusals_again() -> None:
    bench = started()
    bench.code("ada", take(99), 50)
    bench.ok("ada", Leave(), 51)
    assert bench.code("ada", take(99), 50) == "game/illegal"


def test_leaving_a_waiting_table_again_is_answered_and_changes_nothing() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    bench.ok("ada", Leave(), 50)
    before = bench.room.state.offset
    bench.reload()
    assert (bench.ok("ada", Leave(), 50).offset, bench.room.state.offset) == (0, before)


# --- games that fail --------------------------------------------------------------------------------------------------


def test_a_game_that_cannot_decide_costs_the_command() -> None:
    assert started(TWO).code("ada", act(Boom())) == "internal"


def test_a_room_goes_on_after_a_command_that_its_game_cannot_decide() -> None:
    bench = started(TWO)
    bench.code("ada", act(Boom()))
    assert bench.ok("ada", act(Guess(1))).offset == 4


def test_a_command_that_failed_is_not_tried_again() -> None:
    bench = started(TWO)
    bench.code("ada", act(Boom()), 9)
    assert bench.code("ada", act(Guess(1)), 9) == "internal"


def test_a_game_that_cannot_evolve_breaks_its_room() -> None:
    with pytest.raises(ZeroDivisionError):
        started(TWO).send("ada", act(Poison()))


# --- chat -------------------------------------------------------------------------------------------------------------


def test_chat_goes_to_all_receivers() -> None:
    bench = started()
    bench.ok("ada", Say("hello"))
    assert [bench.events(seat)[0]["text"] for seat in (None, 0, 1)] == ["hello"] * 3


def three() -> RoomBench:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    bench.enter("eve")
    return bench


def test_private_chat_goes_to_the_two_seats_alone() -> None:
    bench = three()
    bench.ok("ada", Say("psst", "bob"))
    assert [bool(bench.events(seat)) for seat in (None, 0, 1, 2)] == [False, True, True, False]


def test_private_chat_is_in_the_views_of_the_two_seats_alone() -> None:
    bench = three()
    bench.ok("ada", Say("psst", "bob"))
    views = [bench.view(bench.ok(who, Watch())) for who in ("ada", "bob", "eve", "zoe")]
    assert [len(view.chat) for view in views] == [1, 1, 0, 0]


@pytest.mark.parametrize("name", ["zoe", "ada"])
def test_private_chat_to_a_stranger_or_to_oneself_is_refused(name: str) -> None:
    assert started().code("ada", Say("psst", name)) == "room/nobody"


@pytest.mark.parametrize("text", ["", "   ", "x" * 501])
def test_chat_has_something_to_say(text: str) -> None:
    assert started().code("ada", Say(text)) == "room/bad_text"


def test_players_may_talk_before_the_start_and_after_the_end() -> None:
    assert [bench.code("ada", Say("hello"), 99) for bench in (opened(), finished())] == ["", ""]


def test_strangers_have_no_say() -> None:
    assert started().code("zoe", Say("hello")) == "room/not_seated"


# --- rematch ----------------------------------------------------------------------------------------------------------


def test_the_first_proposal_names_the_room_of_the_rematch() -> None:
    assert finished().ok("ada", Rematch(RoomId(5))).to == 5


def test_the_others_are_led_to_the_same_room() -> None:
    bench = finished()
    bench.ok("ada", Rematch(RoomId(5)))
    assert bench.ok("bob", Rematch(RoomId(6))).to == 5


def test_a_rematch_is_answered_with_the_room_besides_its_step() -> None:
    bench = finished()
    bench.ok("ada", Rematch(RoomId(7)))
    assert [step.done for step in steps_for([bench.result], G1)] == [None]
    assert [reply.to for reply in replies_for([bench.result], G1)] == [7]


def test_a_rematch_is_announced_once() -> None:
    bench = finished()
    bench.ok("ada", Rematch(RoomId(5)))
    bench.ok("bob", Rematch(RoomId(6)))
    assert bench.kinds() == ["room.rematched"]


def test_there_is_no_rematch_before_the_end() -> None:
    assert started().code("ada", Rematch(RoomId(5))) == "room/not_finished"


def test_a_finished_room_is_kept_for_a_time() -> None:
    bench = finished()
    assert bench.result.more.snapshot is not None
    assert bench.result.more.expires_ms == bench.now_ms + 7 * 24 * 3_600_000
