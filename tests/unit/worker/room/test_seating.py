"""The seats of a room: opening, joining, leaving, losing the connection, returning."""

import dataclasses
from collections.abc import Mapping

import msgspec
import pytest

from shared.commands import (
    Compensate,
    Configure,
    Enter,
    Expired,
    GatewayLost,
    Gone,
    Leave,
    Listed,
    Rematch,
    Unwatch,
    Watch,
)
from shared.errors import Rejected
from shared.game import Choice
from shared.ids import CommandId, GatewayId, Offset, RoomId, Seat
from shared.room_events import RoomSpec
from shared.room_views import Listing
from tests.support.batches import receivers, steps_for
from tests.support.room_bench import G1, G2, ROOM, STONES, TWO, RoomBench, finished, opened, started, take
from tests.support.toys import TOY, Options
from worker.games import GameCatalog

# --- opening and joining ----------------------------------------------------------------------------------------------


def test_the_player_who_opens_a_room_has_its_first_seat() -> None:
    assert RoomBench().enter("ada", STONES).seat == 0


def test_opening_and_sitting_down_are_one_step() -> None:
    assert opened().kinds() == ["room.opened", "room.joined"]


def test_the_answer_shows_the_room_before_it_starts() -> None:
    bench = opened()
    assert bench.view(bench.enter("bob")).status == "waiting"


def test_the_start_is_a_step_of_its_own() -> None:
    assert started().kinds() == ["room.started", "started"]


def test_a_room_that_is_not_there_cannot_be_joined() -> None:
    assert RoomBench().code("ada", Enter("ada")) == "room/unknown"


def test_a_room_that_could_not_be_opened_leaves_no_trace() -> None:
    bench = RoomBench()
    bench.send("ada", Enter("ada", RoomSpec("stones", 99)))
    assert bench.room.state.status == ""
    assert bench.result.records == []
    assert bench.result.more.snapshot is None


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (RoomSpec("chess", 2), "game/unknown"),
        (RoomSpec("stones", 9), "room/bad_seats"),
        (RoomSpec("stones", -1), "room/bad_seats"),
        (RoomSpec("stones", 2, bots=2), "room/bad_seats"),
        (RoomSpec("stones", 2, bots=-1), "room/bad_seats"),
        (RoomSpec("stones", 2, {"stones": "many"}), "room/bad_options"),
        (RoomSpec("stones", 2, turn_ms=-1), "room/bad_options"),
        (RoomSpec("stones", 2, turn_ms=10**400), "room/bad_options"),
        (RoomSpec("stones", 2, wait_ms=10**400), "room/bad_options"),
    ],
)
def test_a_table_that_cannot_be_is_refused(spec: RoomSpec, code: str) -> None:
    assert RoomBench().code("ada", Enter("ada", spec)) == code


def test_a_full_room_has_no_seat() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    bench.enter("eve")
    assert bench.code("joe", Enter("joe")) == "room/started"


def test_a_full_table_that_waits_for_its_settings_has_no_seat() -> None:
    bench = opened(RoomSpec("stones", 2, only="snarl"))
    bench.ok("bob", Enter("bob", dialect="snarl"))
    assert bench.code("eve", Enter("eve", dialect="snarl")) == "room/full"


def test_a_started_game_cannot_be_joined() -> None:
    assert started().code("eve", Enter("eve")) == "room/started"


def test_a_player_who_comes_after_the_end_gets_the_result() -> None:
    bench = finished()
    reply = bench.send("eve", Enter("eve"))
    assert reply is not None
    assert bench.room.state.outcome is not None
    winners = ", ".join(bench.room.state.outcome.names)
    assert (reply.code, reply.text) == ("room/started", f"the game is over; it was won by {winners}")


def test_a_closed_room_cannot_be_joined() -> None:
    bench = opened()
    bench.ok("ada", Leave())
    assert bench.code("bob", Enter("bob")) == "room/closed"


def test_two_players_of_one_name_cannot_sit_together() -> None:
    assert opened(RoomSpec("stones", 3)).code("eve", Enter("ada")) == "name/taken"


def test_entering_twice_is_entering_once() -> None:
    bench = opened()
    bench.enter("ada")
    assert len(bench.room.state.seats) == 1


def test_the_same_entering_again_makes_no_step() -> None:
    bench = opened()
    bench.send("ada", Enter("ada", STONES), 1)
    assert bench.room.state.offset == 1


def test_bots_take_the_last_seats() -> None:
    bench = opened(RoomSpec("stones", 4, bots=2))
    assert [seat for seat, place in bench.room.state.seats.items() if place.bot] == [2, 3]


def test_a_room_with_bots_starts_when_the_people_are_there() -> None:
    assert opened(RoomSpec("stones", 2, bots=1)).room.state.status == "playing"


def test_a_table_of_one_dialect_is_closed_to_others() -> None:
    assert opened(RoomSpec("stones", 2, only="codex")).code("bob", Enter("bob", dialect="play")) == "room/wrong_dialect"


# --- configuring ------------------------------------------------------------------------------------------------------


def unsettled() -> RoomBench:
    bench = opened(RoomSpec("stones", 4, only="codex"))
    for name in ("bob", "eve"):
        bench.ok(name, Enter(name, dialect="codex"))
    return bench


def test_a_table_that_is_made_smaller_loses_its_last_seats() -> None:
    bench = unsettled()
    bench.ok("ada", Configure(2))
    assert [event.get("name") for event in bench.events(step=-2) if event["type"] == "room.left"] == ["eve"]


def test_a_table_that_is_full_once_it_is_settled_starts() -> None:
    bench = unsettled()
    bench.ok("ada", Configure(2))
    assert bench.room.state.status == "playing"


def test_only_the_first_player_settles_the_table() -> None:
    assert unsettled().code("bob", Configure(2)) == "room/started"


def test_a_table_is_settled_once() -> None:
    bench = unsettled()
    bench.ok("ada", Configure(4))
    assert bench.code("ada", Configure(2)) == "room/started"


def test_a_table_cannot_be_settled_impossibly() -> None:
    assert unsettled().code("ada", Configure(17)) == "room/bad_seats"


# --- filling the free seats with bots ---------------------------------------------------------------------------------


def test_bots_take_the_free_seats_in_one_step_and_the_game_starts() -> None:
    bench = opened(RoomSpec("stones", 4, bots=1))
    bench.enter("bob")
    bench.ok("bob", Leave())
    bench.ok("ada", Configure(0, fill=True))
    assert bench.events(step=-2) == [
        {"type": "room.joined", "seat": 1, "name": "Bot2", "bot": True},
        {"type": "room.joined", "seat": 2, "name": "Bot3", "bot": True},
    ]
    assert bench.room.state.status == "playing"


def test_only_the_player_in_the_first_taken_seat_fills_the_table() -> None:
    bench = opened(RoomSpec("stones", 4))
    bench.enter("bob")
    assert bench.code("bob", Configure(0, fill=True)) == "room/not_first"
    bench.ok("ada", Leave())
    bench.ok("bob", Configure(0, fill=True))
    assert [place.name for place in bench.room.state.seats.values()] == ["Bot1", "bob", "Bot2", "Bot3"]


@pytest.mark.parametrize(
    ("bench", "code"),
    [
        (started(), "room/started"),
        (finished(), "room/started"),
        (opened(RoomSpec("stones", 2, only="codex")), "room/wrong_dialect"),
    ],
)
def test_a_table_that_does_not_wait_for_players_of_all_dialects_is_not_filled(bench: RoomBench, code: str) -> None:
    assert bench.code("ada", Configure(0, fill=True)) == code


def _admit_two(
    options: Options, seats: int, taken: Mapping[Seat, Choice], seat: Seat, choice: Choice
) -> Choice | Rejected:
    return Rejected("toy/crowded") if len(taken) > 1 else {}


def test_a_bot_that_the_game_does_not_admit_takes_no_seat() -> None:
    bench = RoomBench(catalog=GameCatalog((dataclasses.replace(TOY, admit=_admit_two),)))
    bench.enter("ada", RoomSpec("toy", 3))
    assert bench.code("ada", Configure(0, fill=True)) == "toy/crowded"
    assert len(bench.room.state.seats) == 1


def test_a_rematch_has_the_bots_that_joined_later() -> None:
    bench = opened(RoomSpec("stones", 2, {"stones": 2}))
    bench.ok("ada", Configure(0, fill=True))
    bench.ok("ada", take(1))
    bench.expire("bot.1")
    assert bench.ok("ada", Rematch(RoomId(2000))).spec == RoomSpec("stones", 2, {"stones": 2}, bots=1)


# --- being lost and coming back ---------------------------------------------------------------------------------------


def test_a_lost_player_is_away() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    assert bench.events() == [{"type": "room.away", "seat": 0}]


def test_the_game_gets_a_notice_of_a_lost_player_in_the_same_step() -> None:
    bench = started(TWO)
    bench.ok("ada", Gone(), -1)
    assert bench.kinds() == ["room.away", "noticed"]


def test_a_connection_that_was_replaced_cannot_be_lost() -> None:
    bench = started()
    bench.ok("ada", Watch(), gateway=G2, conn=77)
    bench.ok("ada", Gone(), -1)
    assert bench.room.state.seats[Seat(0)].here


def test_a_player_who_comes_back_is_there_again() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    bench.ok("ada", Watch(), gateway=G2, conn=9)
    assert bench.events() == [{"type": "room.back", "seat": 0}]


def test_a_late_command_of_an_older_connection_does_not_take_the_seat_back() -> None:
    bench = started()
    bench.ok("ada", Watch(), 5, gateway=G1, conn=8)
    bench.ok("ada", Watch(), 6, gateway=G2, conn=9)
    bench.ok("ada", Watch(), 5, gateway=G1, conn=8)
    assert (bench.room.state.seats[Seat(0)].gateway, bench.room.state.seats[Seat(0)].conn) == (G2, 9)


def test_a_gateway_asking_for_a_view_does_not_take_the_seat_from_a_newer_connection() -> None:
    bench = started()
    bench.ok("ada", Watch(), 5, gateway=G2, conn=9)
    bench.ok("ada", Watch(), -3, gateway=G1, conn=1)
    assert bench.room.state.seats[Seat(0)].gateway == G2


def test_a_connection_that_the_room_has_lost_is_attached_again() -> None:
    bench = started()
    bench.ok("ada", Watch(), 5, gateway=G1, conn=8)
    assert bench.ok("ada", Watch(view=False, again=CommandId(6)), -3, gateway=G2, conn=9).seat == 0
    place = bench.room.state.seats[Seat(0)]
    assert (place.gateway, place.conn, place.attached) == (G2, 9, 6)


def test_a_connection_that_attaches_again_does_not_take_the_seat_from_a_newer_one() -> None:
    bench = started()
    bench.ok("ada", Watch(), 6, gateway=G2, conn=9)
    bench.ok("ada", Watch(view=False, again=CommandId(5)), -3, gateway=G1, conn=8)
    assert bench.room.state.seats[Seat(0)].gateway == G2


def test_a_session_without_a_seat_cannot_attach_again() -> None:
    bench = started()
    assert bench.code("eve", Watch(view=False, again=CommandId(5)), -3, gateway=G2) == "room/not_seated"
    assert not bench.room.state.audience


def test_a_late_command_of_an_older_connection_is_answered() -> None:
    bench = started()
    bench.ok("ada", Watch(), 6, gateway=G2, conn=9)
    assert bench.ok("ada", Watch(), 5, gateway=G1, conn=8).seat == 0


def test_the_same_request_on_a_newer_connection_moves_the_seat_there() -> None:
    bench = started()
    bench.ok("ada", Watch(), 5, gateway=G1, conn=8)
    bench.ok("ada", Watch(), 5, gateway=G2, conn=9)
    assert bench.room.state.seats[Seat(0)].gateway == G2


def test_when_a_gateway_dies_all_its_players_are_away_in_one_step() -> None:
    bench = opened()
    bench.enter("bob")
    bench.own(GatewayLost(G1))
    assert bench.kinds() == ["room.away", "room.away"]


def test_players_of_other_gateways_stay_when_one_dies() -> None:
    bench = started()
    bench.own(GatewayLost(G1))
    assert bench.room.state.seats[Seat(1)].here


def test_a_dead_gateway_has_no_audience() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=GatewayId("g-3"))
    bench.own(GatewayLost(GatewayId("g-3")))
    assert bench.room.state.audience == {}


def test_a_seat_can_be_taken_back_by_name() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    assert bench.ok("other", Enter("ada", by_name=True)).seat == 0


def test_the_session_before_has_no_seat_once_it_was_taken_back_by_name() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    bench.ok("other", Enter("ada", by_name=True))
    assert bench.code("ada", take(1)) == "room/not_seated"


def test_a_connected_player_cannot_be_replaced_by_name() -> None:
    assert started().code("other", Enter("ada", by_name=True)) == "room/not_gone"


def test_coming_back_under_an_unknown_name_is_refused() -> None:
    assert started().code("other", Enter("zoe", by_name=True)) == "room/nobody"


def test_a_bot_cannot_be_replaced_by_name() -> None:
    assert opened(RoomSpec("stones", 2, bots=1)).code("other", Enter("Bot1", by_name=True)) == "room/nobody"


def test_coming_back_to_a_seat_that_was_given_up_is_refused() -> None:
    bench = started()
    bench.ok("ada", Leave())
    assert bench.code("other", Enter("ada", by_name=True)) == "room/nobody"


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_a_seat_that_is_left_while_waiting_is_free() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    bench.ok("ada", Leave())
    assert bench.enter("eve").seat == 0


def test_the_last_one_who_leaves_a_waiting_room_closes_it() -> None:
    bench = opened()
    bench.ok("ada", Leave())
    assert bench.kinds() == ["room.left", "room.closed"]


def test_a_player_who_is_away_can_still_leave_a_waiting_room() -> None:
    bench = opened()
    bench.own(GatewayLost(G1))
    assert (bench.ok("ada", Leave()).since, bench.kinds()) == (0, ["room.left", "room.closed"])


def test_a_seat_that_is_left_in_the_game_stays_with_the_name() -> None:
    bench = started()
    bench.ok("ada", Leave())
    assert bench.room.state.seats[Seat(0)].left


def test_the_game_gets_a_notice_that_a_player_left_for_good() -> None:
    bench = started(TWO)
    bench.ok("ada", Leave())
    assert bench.events()[-1]["what"] == "absent 0 for good"


def test_the_gateway_of_a_lost_player_receives_that_step_and_no_later_one() -> None:
    bench = started()
    bench.ok("bob", Gone(), -1, gateway=G2)
    gone = receivers(bench.result)
    bench.ok("ada", take(1))
    assert (gone, receivers(bench.result)) == ([G1, G2], [G1])


def test_the_gateway_of_a_joining_player_receives_all_steps_of_the_command() -> None:
    bench = opened()
    bench.enter("bob", gateway=G2)
    assert [len(steps_for([bench.result], gateway)) for gateway in (G1, G2)] == [2, 2]


def test_the_new_gateway_of_a_player_receives_the_next_step() -> None:
    bench = started()
    bench.ok("bob", Watch(), gateway=GatewayId("g-3"))
    bench.ok("ada", take(1))
    assert receivers(bench.result) == ["g-3", G1]


def test_a_step_says_whether_a_seat_was_given_up() -> None:
    bench = started()
    bench.ok("ada", take(1))
    bench.ok("bob", Leave())
    assert [step.unseats for step in bench.updates[-2:]] == [False, True]


def test_a_player_who_left_has_no_seat() -> None:
    bench = started()
    bench.ok("ada", Leave())
    assert bench.code("ada", take(1)) == "room/not_seated"


def test_a_strangers_lost_connection_means_nothing() -> None:
    bench = started()
    bench.ok("eve", Gone(), -1)
    assert bench.room.state.offset == 3


# --- looking on -------------------------------------------------------------------------------------------------------


def test_a_spectator_has_no_seat() -> None:
    assert started().ok("eve", Watch()).seat is None


def test_a_spectator_makes_no_step() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=GatewayId("g-3"))
    assert bench.room.state.offset == 3


def test_the_gateway_of_a_spectator_receives_every_step() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=GatewayId("g-3"))
    bench.ok("ada", take(1))
    assert receivers(bench.result) == ["g-3", G1, G2]


def test_a_gateway_without_spectators_receives_no_more_steps() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=GatewayId("g-3"))
    bench.ok("eve", Unwatch(), -1, gateway=GatewayId("g-3"))
    bench.ok("ada", take(1))
    assert receivers(bench.result) == [G1, G2]


def test_a_room_that_is_not_there_cannot_be_watched() -> None:
    assert RoomBench().code("eve", Watch()) == "room/unknown"


def test_a_spectator_cannot_act() -> None:
    bench = started()
    bench.ok("eve", Watch())
    assert bench.code("eve", take(1)) == "room/not_seated"


def test_a_room_that_is_not_there_answers_every_question_of_a_gateway() -> None:
    bench = RoomBench()
    assert [bench.code("ada", body, -1) for body in (Gone(), Unwatch())] == ["", ""]


@pytest.mark.parametrize("body", [Expired("turn", 0), GatewayLost(G1), Compensate(5_000)])
def test_a_room_that_is_not_there_ignores_the_clusters_own_commands(
    body: Expired | GatewayLost | Compensate,
) -> None:
    bench = RoomBench()
    bench.own(body)
    assert bench.records == []


# --- the directory and the lobby --------------------------------------------------------------------------------------


def test_a_waiting_room_is_listed_with_its_free_seats() -> None:
    listing = opened(RoomSpec("stones", 3)).result.more.listing
    assert isinstance(listing, Listing)
    assert (listing.status, listing.free, listing.names) == ("waiting", 2, {Seat(0): "ada"})


def test_a_room_that_is_over_leaves_the_directory() -> None:
    bench = opened()
    bench.ok("ada", Leave())
    assert bench.result.more.listing is None


def test_a_lost_player_shows_in_the_directory() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    listing = bench.result.more.listing
    assert isinstance(listing, Listing)
    assert listing.gone == (0,)


def test_the_lobby_gets_a_notice_of_free_seats() -> None:
    (envelope,) = opened(RoomSpec("stones", 3)).result.more.notices
    assert envelope.body.free == 2  # type: ignore[union-attr]


def test_the_lobby_gets_no_notice_of_private_rooms() -> None:
    assert opened(RoomSpec("stones", 2, private=True)).result.more.notices == ()


def test_a_move_changes_neither_the_lobby_nor_the_directory() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert bench.result.more.notices == ()
    assert bench.result.more.listing is msgspec.UNSET


def test_the_options_of_a_table_are_checked_once() -> None:
    checked: list[int] = []

    class Checked(Options, frozen=True):
        def __post_init__(self) -> None:
            checked.append(self.rounds)

    bench = RoomBench(catalog=GameCatalog((dataclasses.replace(TOY, options_type=Checked),)))
    bench.enter("ada", RoomSpec("toy", 3, {"rounds": 1}, only="codex"))
    bench.ok("bob", Enter("bob", dialect="codex"))
    bench.ok("ada", Configure(3, {"rounds": 2}))
    assert checked == [1, 2]
    bench.reload()
    bench.ok("eve", Enter("eve"))
    assert (checked, bench.room.state.status) == ([1, 2, 2], "playing")


def test_a_choice_in_a_game_that_has_none_is_not_kept() -> None:
    bench = RoomBench()
    bench.ok("ada", Enter("ada", STONES, choice={"x": "A" * 60_000}))
    assert bench.room.state.seats[Seat(0)].choice == {}
    assert b"AAAA" not in bench.said + msgspec.json.encode(bench.result.more.listing)


def test_games_may_refuse_names() -> None:
    bench = RoomBench(catalog=GameCatalog((dataclasses.replace(TOY, names="[a-z]+"),)))
    assert bench.code("x", Enter("X9", TWO)) == "name/bad"


def test_the_lobby_is_reminded_when_a_player_was_sent_in_vain() -> None:
    bench = started()
    assert bench.code("eve", Enter("eve")) == "room/started"
    (envelope,) = bench.result.more.notices
    assert isinstance(envelope.body, Listed)
    assert (envelope.body.free, envelope.body.offset) == (0, bench.room.state.offset)


def test_the_lobby_is_reminded_when_a_player_was_sent_to_a_game_that_has_begun() -> None:
    bench = started()
    bench.send("ada", Enter("ada"))
    (envelope,) = bench.result.more.notices
    assert isinstance(envelope.body, Listed)
    assert envelope.body.free == 0


@pytest.mark.parametrize("new", [True, False])
def test_the_lobby_gets_a_notice_of_a_table_that_cannot_be_opened(new: bool) -> None:
    bench = RoomBench()
    spec = RoomSpec("stones", 2, {"stones": "many"})
    assert bench.code("ada", Enter("ada", spec, new=new)) == "room/bad_options"
    (envelope,) = bench.result.more.notices
    assert envelope.body == Listed(ROOM, Offset(1), RoomSpec("", 0), 0, bench.now_ms)


@pytest.mark.parametrize(("new", "notices"), [(True, 1), (False, 0)])
def test_the_lobby_gets_a_notice_when_the_player_who_should_open_a_table_is_refused(new: bool, notices: int) -> None:
    """Of those who only match, another may still open it."""
    bench = RoomBench(catalog=GameCatalog((dataclasses.replace(TOY, names="[a-z]+"),)))
    assert bench.code("x", Enter("X9", TWO, new=new)) == "name/bad"
    assert len(bench.result.more.notices) == notices
