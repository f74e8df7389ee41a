"""Welcome, names, and tables."""

import pytest

from gateway.dialects.answers import LoggedIn, Refused
from gateway.dialects.requests import LoginRequest, MatchRequest
from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import BUSY, NAMELESS, NO_NAME_IN_TIME, NO_TABLE, TOO_BIG
from gateway.transports.close_codes import CloseCode
from shared.errors import ErrorCode
from tests.support.memory_cluster import MemoryClient
from tests.support.snarl_clients import FIRST_ROOM, join, snarl_cluster

WELCOME = {"type": "welcome", "info": "Tavolata Snarl server 1.0"}


def closed_with(client: MemoryClient) -> CloseCode | None:
    return client.closed


def players(client: MemoryClient) -> list[str] | None:
    """The players of the level that has started for a client, in the order of play; None if none has started."""
    started = [message["players"] for message in client.received_json() if "players" in message]
    return started[0] if started else None


def test_a_connection_is_welcomed_and_asked_for_its_name() -> None:
    assert snarl_cluster().connect("snarl").received_json() == [WELCOME, "name"]


def test_nothing_confirms_a_name_until_the_level_starts() -> None:
    cluster = snarl_cluster()
    alice = join(cluster, "alice", {"players": "2"})
    assert alice.received_json() == []
    bob = join(cluster, "bob")
    for client in (alice, bob):
        start, update, *prompt = client.received_json()
        assert start == {"type": "start-level", "level": 1, "players": ["alice", "bob"]}
        assert update["type"] == "player-update"
        assert update["message"] is None
        assert prompt == (["move"] if client is alice else [])


def test_after_an_invalid_or_taken_name_only_the_prompt_is_sent_again() -> None:
    cluster = snarl_cluster()
    alice = join(cluster, "alice", {"players": "2"})
    client = cluster.connect("snarl")
    client.received()
    for answer in ("Alice", "not good", 7, "zombie1"):
        client.send_json(answer)
        assert client.received_json() == ["name"]
    client.send_json("bob")
    assert client.closed is None
    assert players(client) == players(alice) == ["alice", "bob"]


def test_a_second_name_right_after_a_taken_one_is_dropped() -> None:
    cluster = snarl_cluster()
    join(cluster, "alice")
    client = cluster.connect("snarl")
    client.send_together(b'"alice"', b'"bob"')
    assert client.received_json() == [WELCOME, "name", "name"]


def test_a_second_name_right_after_an_invalid_one_answers_the_next_prompt() -> None:
    client = snarl_cluster().connect("snarl", {"players": "1"})
    client.send_together(b'"not good"', b'"alice"')
    welcome, *prompts, start, _, move = client.received_json()
    assert welcome == WELCOME
    assert prompts == ["name", "name"]
    assert start["players"] == ["alice"]
    assert move == "move"


def test_after_the_fifth_refused_answer_the_connection_is_closed_without_a_sixth_prompt() -> None:
    client = snarl_cluster().connect("snarl")
    for _ in range(5):
        client.send(b"no")
    assert client.received_json() == [WELCOME, *["name"] * 5]
    assert closed_with(client) is NAMELESS


def test_the_number_of_prompts_is_a_setting() -> None:
    client = snarl_cluster(SnarlSettings(name_asks=1)).connect("snarl")
    client.send_invalid("frame/binary")
    assert client.received_json() == [WELCOME, "name"]
    assert closed_with(client) is NAMELESS


def test_order_of_play_is_the_order_of_naming_not_of_connecting() -> None:
    cluster = snarl_cluster()
    late = cluster.connect("snarl", {"players": "2"})
    join(cluster, "early", {"players": "2"})
    late.send_json("late")
    assert players(late) == ["early", "late"]


def test_a_nameless_connection_is_closed_when_the_default_wait_has_passed_since_its_last_prompt() -> None:
    cluster = snarl_cluster(SnarlSettings(wait_ms=6_000))
    client = cluster.connect("snarl", {"wait": "1"})
    cluster.advance(5_000)
    client.send_json("??")
    cluster.advance(5_000)
    assert client.closed is None
    cluster.advance(2_000)
    assert closed_with(client) is NO_NAME_IN_TIME


def test_a_named_connection_may_wait_longer_than_a_nameless_one() -> None:
    cluster = snarl_cluster(SnarlSettings(wait_ms=2_000))
    client = join(cluster, "alice", {"wait": "3600"})
    cluster.advance(40_000)
    assert client.closed is None
    assert client.received() == []


def test_the_ticks_are_dense_enough_for_short_waits() -> None:
    client = snarl_cluster().connect("snarl")
    assert client.conversation.tick_ms == 250
    client.send_json("alice")
    assert client.conversation.tick_ms == 1000
    assert snarl_cluster(SnarlSettings(wait_ms=300)).connect("snarl").conversation.tick_ms == 150


def test_clients_without_url_options_fill_the_oldest_table_of_any_size() -> None:
    cluster = snarl_cluster()
    a = join(cluster, "a", {"players": "3"})
    b = join(cluster, "b", {"players": "2"})
    for name in ("c", "d", "e"):
        join(cluster, name)
    assert players(a) == ["a", "c", "d"]
    assert players(b) == ["b", "e"]


def test_a_table_waits_for_players_as_long_as_the_url_of_its_first_client_says() -> None:
    cluster = snarl_cluster(SnarlSettings(wait_ms=12_000))
    brief = join(cluster, "brief", {"players": "3", "wait": "7.5"})
    usual = join(cluster, "usual", {"players": "2"})
    cluster.advance(7_000)
    assert players(brief) is None
    cluster.advance(1_000)
    assert players(brief) == ["brief"]
    cluster.advance(3_000)
    assert players(usual) is None
    cluster.advance(2_000)
    assert players(usual) == ["usual"]


def test_a_table_is_opened_with_the_settings_of_the_dialect() -> None:
    cluster = snarl_cluster(SnarlSettings(clients=3, wait_ms=2_000, move_time_ms=0, grace_ms=5))
    join(cluster, "a")
    spec = cluster.room(FIRST_ROOM).state.spec
    assert spec.game == "snarl"
    assert spec.seats == 3
    assert spec.wait_ms == 2_000
    assert spec.options == {"levels": "shipped", "move_time_ms": 0, "grace_ms": 5}


def test_a_full_table_starts_at_once_and_later_clients_get_the_next_one() -> None:
    cluster = snarl_cluster()
    assert players(join(cluster, "one", {"players": "1"})) == ["one"]
    assert players(join(cluster, "two", {"players": "1"})) == ["two"]


def test_a_table_starts_with_fewer_players_than_seats_after_a_wait_since_the_last_one() -> None:
    cluster = snarl_cluster(SnarlSettings(wait_ms=3_000))
    alice = join(cluster, "alice")
    cluster.advance(2_000)
    bob = join(cluster, "bob")
    cluster.advance(2_000)
    assert players(alice) is None
    cluster.advance(2_000)
    assert players(alice) == players(bob) == ["alice", "bob"]


def test_leaving_before_the_start_frees_seat_and_name() -> None:
    cluster = snarl_cluster()
    alice, bob = join(cluster, "alice", {"players": "3"}), join(cluster, "bob")
    alice.drop()
    cluster.advance(100)
    join(cluster, "carol")
    join(cluster, "alice")
    assert players(bob) == ["bob", "carol", "alice"]


def test_the_table_in_the_url_is_joined() -> None:
    cluster = snarl_cluster()
    a = join(cluster, "a", {"players": "2"})
    b = join(cluster, "b", {"players": "3"})
    for name in ("c", "d"):
        join(cluster, name, {"table": str(FIRST_ROOM + 1)})
    assert players(a) is None
    assert players(b) == ["b", "c", "d"]


@pytest.mark.parametrize("table", ["999", str(FIRST_ROOM)])
def test_a_client_of_a_table_that_cannot_be_joined_is_welcomed_and_closed(table: str) -> None:
    cluster = snarl_cluster()
    join(cluster, "a", {"players": "1"})
    client = cluster.connect("snarl", {"table": table})
    assert client.received_json() == [WELCOME]
    assert closed_with(client) is NO_TABLE


def test_a_table_that_fills_up_before_the_name_comes_is_closed_then() -> None:
    cluster = snarl_cluster()
    join(cluster, "a", {"players": "2"})
    client = cluster.connect("snarl", {"table": str(FIRST_ROOM)})
    join(cluster, "b", {"table": str(FIRST_ROOM)})
    client.send_json("c")
    assert client.received_json() == [WELCOME, "name"]
    assert closed_with(client) is NO_TABLE


def test_frames_between_the_name_and_the_start_are_dropped() -> None:
    cluster = snarl_cluster()
    alice = join(cluster, "alice", {"players": "2"})
    alice.send_json("bob")
    alice.send_json({"type": "move", "to": None})
    alice.send_invalid("frame/malformed")
    join(cluster, "bob")
    assert alice.received_json()[-1] == "move"
    assert alice.closed is None


def test_a_login_is_repeated_while_the_cluster_is_busy() -> None:
    cluster = snarl_cluster()
    client = cluster.connect("snarl", {"players": "1"})
    with cluster.store_lost():
        client.send_json("alice")
        cluster.advance(1_000)
        assert client.received_json() == [WELCOME, "name"]
    cluster.advance(500)
    assert client.received_json()[-1] == "move"


def test_a_match_that_found_no_free_table_is_requested_again_with_the_next_tick() -> None:
    conversation = snarl_cluster().connect("snarl", {"players": "1"}).conversation
    assert list(conversation.receive(b'"alice"')) == [LoginRequest("alice", ref="login")]
    requests = list(conversation.answer("login", LoggedIn("alice")))
    assert [type(request) for request in requests] == [MatchRequest]
    assert list(conversation.answer("seat", Refused("room/full", ""))) == []
    assert list(conversation.tick(1_000)) == requests
    assert list(conversation.tick(2_000)) == []


@pytest.mark.parametrize(
    ("code", "close_code"), [("frame/too_big", TOO_BIG), ("frame/endless", TOO_BIG), ("busy/rate", BUSY)]
)
def test_oversized_frames_and_too_many_answers_close_the_connection(code: ErrorCode, close_code: CloseCode) -> None:
    client = snarl_cluster().connect("snarl")
    client.send_invalid(code)
    assert client.closed is close_code


def test_too_many_messages_while_no_prompt_is_open_are_dropped() -> None:
    client = join(snarl_cluster(), "alice")
    client.send_invalid("busy/rate")
    assert client.closed is None
