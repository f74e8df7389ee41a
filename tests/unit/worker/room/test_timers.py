"""Time in a room: turn timers, bots, lost players, waiting tables, outages. Every deadline counts once."""

import dataclasses

from shared.commands import Compensate, Enter, Expired, Gone, Leave, Say, Watch
from shared.ids import Seat
from shared.results import DueDeadline
from shared.room_events import RoomSpec
from tests.support.room_bench import G1, G2, ROOM, SETTINGS, TWO, RoomBench, opened, started, take
from tests.support.toys import BELL_MS
from worker.room.state import Deadline
from worker.room.timers import retimed

TIMED = RoomSpec("stones", 2, {"stones": 9}, turn_ms=20_000)


def lose(bench: RoomBench, who: str) -> None:
    bench.ok(who, Gone(), -1, gateway=G2 if who == "bob" else G1)


# --- turn timers ------------------------------------------------------------------------------------------------------


def test_a_turn_has_its_time() -> None:
    bench = started(TIMED)
    assert bench.room.state.deadlines["turn"].due_ms == bench.now_ms + 20_000


def test_updates_show_when_the_turn_timer_ends() -> None:
    bench = started(TIMED)
    assert bench.events()[-1] == {"type": "room.clock", "due_ms": bench.now_ms + 20_000}


def test_every_turn_has_its_own_time() -> None:
    bench = started(TIMED)
    bench.now_ms += 7_000
    bench.ok("ada", take(1))
    assert bench.room.state.deadlines["turn"].due_ms == bench.now_ms + 20_000


def test_chat_does_not_restart_the_turn_timer() -> None:
    bench = started(TIMED)
    before = bench.room.state.deadlines
    bench.now_ms += 7_000
    bench.ok("ada", Say("hm"))
    assert bench.room.state.deadlines == before


def test_the_room_plays_a_turn_whose_time_is_over() -> None:
    bench = started(TIMED)
    bench.expire("turn")
    assert bench.kinds() == ["room.played", "taken", "room.clock"]


def test_a_turn_that_was_played_in_time_is_not_played_again() -> None:
    bench = started(TIMED)
    old = bench.room.state.deadlines["turn"]
    bench.ok("ada", take(1))
    bench.now_ms = old.due_ms
    bench.own(Expired("turn", old.generation))
    assert bench.room.state.offset == 4


def test_a_deadline_that_fires_twice_counts_once() -> None:
    bench = started(TIMED)
    old = bench.room.state.deadlines["turn"]
    bench.expire("turn")
    bench.own(Expired("turn", old.generation))
    assert bench.room.state.offset == 4


def test_a_deadline_that_fires_far_too_early_is_ignored() -> None:
    bench = started(TIMED)
    bench.own(Expired("turn", bench.room.state.deadlines["turn"].generation))
    assert bench.room.state.offset == 3


def test_clocks_may_differ_a_little() -> None:
    bench = started(TIMED)
    bench.expire("turn", late_ms=-100)
    assert bench.room.state.offset == 4


def test_a_game_that_is_over_has_no_deadlines() -> None:
    bench = started(RoomSpec("stones", 2, {"stones": 1}, turn_ms=20_000))
    bench.ok("ada", take(1))
    assert bench.room.state.deadlines == {}


def test_a_deadline_that_passed_leaves_the_index() -> None:
    bench = started(TIMED)
    before = bench.room.state.deadlines["turn"]
    bench.expire("turn")
    assert (DueDeadline(before.due_ms, ROOM, "turn", before.generation), False) in bench.result.more.deadlines


def test_a_deadline_that_begins_enters_the_index() -> None:
    bench = started(TIMED)
    due = bench.room.state.deadlines["turn"]
    assert bench.result.more.deadlines == ((DueDeadline(due.due_ms, ROOM, "turn", due.generation), True),)


def test_only_the_seats_that_still_have_the_turn_are_played_when_time_is_over() -> None:
    bench = started(TIMED)
    draft = bench.room._draft
    stones = draft.play.stones
    draft.game = dataclasses.replace(
        draft.known_game, turn=lambda state: (Seat(0), Seat(1)) if state.stones == stones else ()
    )
    bench.expire("turn")
    assert bench.kinds().count("room.played") == 1


# --- bots -------------------------------------------------------------------------------------------------------------


def test_a_bot_seems_to_think_before_it_plays() -> None:
    bench = opened(RoomSpec("stones", 2, bots=1))
    bench.ok("ada", take(1))
    assert bench.room.state.deadlines["bot.1"].due_ms == bench.now_ms + 500


def test_a_bot_plays_its_turn() -> None:
    bench = opened(RoomSpec("stones", 2, bots=1))
    bench.ok("ada", take(1))
    bench.expire("bot.1")
    assert bench.events()[0] == {"type": "room.played", "seat": 1, "reason": "bot"}


def test_a_bot_plays_the_same_move_whoever_owns_the_room() -> None:
    bench = opened(RoomSpec("stones", 2, {"stones": 50}, bots=1))
    bench.ok("ada", take(1))
    bench.expire("bot.1")
    first = bench.events()
    bench.records.pop()
    bench.snapshot = None
    bench.reload()
    bench.expire("bot.1")
    assert bench.events() == first


def test_bots_have_no_turn_timer() -> None:
    bench = opened(RoomSpec("stones", 2, turn_ms=9_000, bots=1))
    bench.ok("ada", take(1))
    assert sorted(bench.room.state.deadlines) == ["bot.1"]


# --- lost players -----------------------------------------------------------------------------------------------------


def test_a_seat_is_kept_for_a_while_before_the_start() -> None:
    bench = opened()
    lose(bench, "ada")
    assert bench.room.state.deadlines["seat.0"].due_ms == bench.now_ms + SETTINGS.grace_ms


def test_a_table_whose_players_are_all_away_has_no_free_seats_for_the_lobby() -> None:
    bench = opened()
    lose(bench, "ada")
    (envelope,) = bench.result.more.notices
    assert envelope.body.free == 0  # type: ignore[union-attr]
    bench.ok("ada", Watch())
    (envelope,) = bench.result.more.notices
    assert envelope.body.free == 1  # type: ignore[union-attr]


def test_a_table_that_waits_for_its_settings_keeps_no_seat_for_the_lost() -> None:
    bench = opened(RoomSpec("stones", 4, only="codex"))
    bench.ok("bob", Enter("bob", dialect="codex"))
    lose(bench, "ada")
    assert bench.room.state.deadlines["seat.0"].due_ms == bench.now_ms


def test_a_seat_is_free_when_the_grace_is_over() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob", gateway=G2)
    lose(bench, "ada")
    bench.expire("seat.0")
    assert bench.events()[0] == {"type": "room.left", "seat": 0, "name": "ada", "reason": "gone"}


def test_a_player_who_is_back_in_time_keeps_the_seat() -> None:
    bench = opened()
    lose(bench, "ada")
    bench.ok("ada", Watch())
    assert bench.room.state.deadlines == {}


def test_a_waiting_room_that_everybody_was_lost_from_is_closed() -> None:
    bench = opened()
    lose(bench, "ada")
    bench.expire("seat.0")
    assert bench.kinds() == ["room.left", "room.closed"]


def test_the_turn_of_a_lost_player_is_played_after_a_while() -> None:
    bench = started()
    lose(bench, "ada")
    bench.expire("away.0")
    assert bench.events()[0] == {"type": "room.played", "seat": 0, "reason": "away"}


def test_a_game_with_its_own_rules_for_absence_is_not_played_by_the_room() -> None:
    bench = started(TWO)
    lose(bench, "ada")
    assert not any(name.startswith("away") for name in bench.room.state.deadlines)


def test_a_room_without_players_is_abandoned_in_the_end() -> None:
    bench = started()
    lose(bench, "ada")
    lose(bench, "bob")
    bench.expire("abandoned")
    assert bench.events()[0] == {"type": "room.closed", "reason": "abandoned"}


def test_a_room_is_not_abandoned_while_a_player_is_present() -> None:
    bench = started()
    lose(bench, "ada")
    assert "abandoned" not in bench.room.state.deadlines


# --- waiting tables ---------------------------------------------------------------------------------------------------


def test_a_table_that_waited_long_enough_starts_with_fewer() -> None:
    bench = opened(RoomSpec("toy", 3, wait_ms=4_000))
    bench.enter("bob")
    bench.expire("wait")
    assert bench.room.state.status == "playing"


def test_a_table_with_too_few_players_goes_on_waiting() -> None:
    assert "wait" not in opened(RoomSpec("toy", 3, wait_ms=4_000)).room.state.deadlines


def test_each_player_who_joins_restarts_the_waiting_time() -> None:
    bench = opened(RoomSpec("toy", 3, wait_ms=4_000))
    bench.enter("bob")
    first = bench.room.state.deadlines["wait"]
    bench.own(Expired("wait", first.generation + 1))
    assert bench.room.state.status == "waiting"


def test_a_game_that_needs_all_its_players_does_not_wait_for_fewer() -> None:
    bench = opened(RoomSpec("stones", 3, wait_ms=4_000))
    bench.enter("bob")
    assert "wait" not in bench.room.state.deadlines


def test_the_game_gets_a_notice_of_absent_players_at_the_start() -> None:
    bench = opened(TWO)
    lose(bench, "ada")
    bench.enter("bob", gateway=G2)
    assert bench.events()[-1] == {"type": "noticed", "what": "absent 0"}


# --- the game's own timers --------------------------------------------------------------------------------------------


def test_a_game_has_timers_of_its_own() -> None:
    bench = started(TWO)
    assert bench.room.state.deadlines["game.bell"].due_ms == bench.now_ms + BELL_MS


def test_a_game_gets_a_notice_when_its_own_timer_ends() -> None:
    bench = started(TWO)
    bench.expire("game.bell")
    assert bench.events()[0] == {"type": "noticed", "what": "bell"}


def test_a_bell_that_rings_again_has_a_new_generation() -> None:
    bench = started(TWO)
    before = bench.room.state.deadlines["game.bell"]
    bench.expire("game.bell")
    assert bench.room.state.deadlines["game.bell"].generation == before.generation + 1


def test_a_room_with_bots_alone_is_abandoned() -> None:
    bench = opened(RoomSpec("stones", 2, bots=1))
    bench.ok("ada", Gone(), -1)
    bench.expire("abandoned")
    assert bench.room.state.status == "closed"


LONG = RoomSpec("stones", 2, turn_ms=24 * 3_600_000)


def test_a_game_with_long_turns_is_not_abandoned() -> None:
    bench = started(LONG)
    bench.ok("ada", Gone(), -1)
    bench.ok("bob", Gone(), -1, gateway=G2)
    assert set(bench.room.state.deadlines) == {"turn"}


def test_a_waiting_room_with_long_turns_is_abandoned_like_others() -> None:
    bench = opened(LONG)
    bench.ok("ada", Gone(), -1)
    assert "abandoned" in bench.room.state.deadlines


def test_a_long_turn_of_a_player_who_has_left_is_played_at_once() -> None:
    bench = started(LONG)
    bench.ok("ada", Leave())
    assert "away.0" in bench.room.state.deadlines


# --- outages ----------------------------------------------------------------------------------------------------------


def test_after_an_outage_all_clocks_are_put_back() -> None:
    bench = started(TIMED)
    before = bench.room.state.deadlines["turn"].due_ms
    bench.own(Compensate(5_000))
    assert bench.room.state.deadlines["turn"].due_ms == before + 5_000


def test_a_deadline_that_was_moved_back_is_started_anew() -> None:
    bench = started(TIMED)
    bench.own(Compensate(5_000))
    started_ms = [due.due_ms for due, is_started in bench.result.more.deadlines if is_started]
    assert started_ms == [bench.room.state.deadlines["turn"].due_ms]


def test_a_view_shows_the_clock_that_was_put_back() -> None:
    bench = started(TIMED)
    bench.own(Compensate(5_000))
    assert bench.view(bench.ok("ada", Watch())).clock_ms == bench.room.state.deadlines["turn"].due_ms


def test_a_clock_that_was_put_back_runs_out_later() -> None:
    bench = started(TIMED)
    old = bench.room.state.deadlines["turn"]
    bench.own(Compensate(5_000))
    bench.now_ms = old.due_ms
    bench.own(Expired("turn", old.generation))
    assert bench.room.state.offset == 4


def test_a_room_without_deadlines_makes_no_step_after_an_outage() -> None:
    bench = started()
    bench.own(Compensate(5_000))
    assert bench.room.state.offset == 3


def test_no_grace_means_that_a_seat_is_free_at_once() -> None:
    bench = opened(settings=dataclasses.replace(SETTINGS, grace_ms=0))
    lose(bench, "ada")
    assert bench.room.state.deadlines["seat.0"].due_ms == bench.now_ms


def test_a_seat_that_is_taken_back_before_the_start_is_kept() -> None:
    bench = opened()
    lose(bench, "ada")
    bench.ok("new", Enter("ada", by_name=True))
    assert bench.room.state.deadlines == {}


def test_the_timer_of_a_game_that_is_over_is_cleared() -> None:
    bench = started(RoomSpec("stones", 2, {"stones": 2}, turn_ms=9_000))
    bench.ok("ada", take(1))
    _, (due, is_started) = bench.result.more.deadlines
    assert is_started
    bench.ok("bob", take(1))
    assert bench.result.more.deadlines == ((due, False),)


# --- starting and clearing --------------------------------------------------------------------------------------------


def test_a_new_timer_begins_now() -> None:
    assert retimed({}, {"turn": (1, 500)}, 1_000) == {"turn": Deadline(1, 1_500)}


def test_a_timer_of_the_same_generation_runs_on() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {"turn": (1, 500)}, 1_000) == {"turn": Deadline(1, 1_200)}


def test_a_timer_of_a_new_generation_begins_again() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {"turn": (2, 500)}, 1_000) == {"turn": Deadline(2, 1_500)}


def test_a_timer_that_is_not_wanted_any_more_is_gone() -> None:
    assert retimed({"turn": Deadline(1, 1_200)}, {}, 1_000) == {}
