"""Welcome, names, tables, and returns."""

import pytest

from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import BUSY, NAMELESS, NO_NAME_IN_TIME, NO_TABLE, REMOVED, TOO_BIG
from gateway.transports.close_codes import CloseCode
from shared.errors import ErrorCode
from shared.game import DeadlinePassed
from shared.ids import RoomId, Seat
from tests.support.snarl_table import Client, Cluster

WELCOME = {"type": "welcome", "info": "Tavolata Snarl server 1.0"}
FIRST = RoomId(1000)


def closed_with(client: Client) -> CloseCode | None:
    return client.closed


def test_a_connection_is_welcomed_and_asked_for_its_name() -> None:
    assert Cluster().connect().heard() == [WELCOME, "name"]


def test_nothing_confirms_a_name_until_the_level_starts() -> None:
    cluster = Cluster()
    alice = cluster.join("alice", {"players": "2"})
    assert alice.heard() == []
    bob = cluster.join("bob")
    for client in (alice, bob):
        start, update, *prompt = client.heard()
        assert start == {"type": "start-level", "level": 1, "players": ["alice", "bob"]}
        assert update["type"] == "player-update"
        assert update["message"] is None
        assert prompt == (["move"] if client is alice else [])


def test_after_an_invalid_or_taken_name_only_the_prompt_is_sent_again() -> None:
    cluster = Cluster()
    cluster.join("alice")
    client = cluster.connect()
    client.heard()
    for answer in ("alice", "not good", 7, "zombie1"):
        client.say(answer)
        assert client.heard() == ["name"]
    client.say("Alice")
    assert client.heard() == []
    assert client.closed is None
    assert cluster.tables[FIRST].names == {Seat(0): "alice", Seat(1): "Alice"}


def test_a_second_name_right_after_a_bad_one_is_dropped() -> None:
    cluster = Cluster()
    client = cluster.connect({"players": "1"})
    with cluster.at_once():
        client.say("not good")
        client.say("alice")
    assert client.heard() == [WELCOME, "name", "name"]


def test_after_the_fifth_refused_answer_the_connection_is_closed_without_a_sixth_prompt() -> None:
    client = Cluster().connect()
    for _ in range(5):
        client.send(b"no")
    assert client.heard() == [WELCOME, *["name"] * 5]
    assert closed_with(client) is NAMELESS


def test_the_number_of_prompts_is_a_setting() -> None:
    client = Cluster(SnarlSettings(name_asks=1)).connect()
    client.invalid_frame("frame/binary")
    assert client.heard() == [WELCOME, "name"]
    assert closed_with(client) is NAMELESS


def test_order_of_play_is_the_order_of_naming_not_of_connecting() -> None:
    cluster = Cluster()
    late = cluster.connect({"players": "2"})
    cluster.join("early", {"players": "2"})
    late.say("late")
    assert late.heard()[2]["players"] == ["early", "late"]


def test_a_nameless_connection_is_closed_when_the_default_wait_has_passed_since_its_last_prompt() -> None:
    cluster = Cluster(SnarlSettings(wait_ms=60_000))
    client = cluster.connect({"wait": "5"})
    for now_ms in (0, 30_000, 59_000):
        client.tick(now_ms)
    client.say("??")
    for now_ms in (60_000, 100_000, 119_999):
        client.tick(now_ms)
    assert client.closed is None
    client.tick(120_000)
    assert closed_with(client) is NO_NAME_IN_TIME


def test_a_named_connection_waits_without_limit() -> None:
    client = Cluster().join("alice")
    for now_ms in range(0, 400_000, 50_000):
        client.tick(now_ms)
    assert client.closed is None


def test_the_ticks_are_dense_enough_for_short_waits() -> None:
    client = Cluster().connect()
    assert client.conversation.tick_ms == 250
    client.say("alice")
    assert client.conversation.tick_ms == 1000
    assert Cluster(SnarlSettings(wait_ms=300)).connect().conversation.tick_ms == 150


def test_clients_without_url_options_fill_the_oldest_table_of_any_size() -> None:
    cluster = Cluster()
    cluster.join("a", {"players": "3", "wait": "7.5"})
    cluster.join("b", {"players": "2"})
    cluster.join("c")
    assert {room: tuple(table.names.values()) for room, table in cluster.tables.items()} == {
        1000: ("a", "c"),
        1001: ("b",),
    }
    assert cluster.tables[FIRST].spec.wait_ms == 7_500
    assert cluster.tables[RoomId(1001)].spec.wait_ms == 60_000


def test_a_table_is_opened_with_the_settings_of_the_dialect() -> None:
    cluster = Cluster(SnarlSettings(clients=3, wait_ms=2_000, move_time_ms=0, grace_ms=5))
    cluster.join("a")
    spec = cluster.tables[FIRST].spec
    assert spec.game == "snarl"
    assert spec.seats == 3
    assert spec.wait_ms == 2_000
    assert spec.options == {"levels": "shipped", "move_time_ms": 0, "grace_ms": 5}


def test_a_full_table_starts_at_once_and_later_ones_get_the_next() -> None:
    cluster = Cluster()
    one = cluster.join("one", {"players": "1"})
    assert [message for message in one.heard() if isinstance(message, str)] == ["move"]
    cluster.join("two", {"players": "1"})
    assert len(cluster.tables) == 2


def test_a_table_may_start_with_fewer_players_than_seats() -> None:
    cluster = Cluster()
    alice, bob = cluster.join("alice"), cluster.join("bob")
    cluster.tables[FIRST].start()
    assert alice.heard()[0]["players"] == bob.heard()[0]["players"] == ["alice", "bob"]


def test_leaving_before_the_start_frees_seat_and_name() -> None:
    cluster = Cluster()
    alice, bob = cluster.join("alice", {"players": "3"}), cluster.join("bob")
    alice.drop()
    cluster.join("carol")
    cluster.join("alice")
    assert bob.heard()[0]["players"] == ["bob", "carol", "alice"]


def test_table_in_the_url_picks_one() -> None:
    cluster = Cluster()
    cluster.join("a", {"players": "2"})
    cluster.join("b", {"players": "3"})
    cluster.join("c", {"table": "1001"})
    assert tuple(cluster.tables[RoomId(1001)].names.values()) == ("b", "c")


@pytest.mark.parametrize("table", ["999", "1000"])
def test_a_client_of_a_table_that_cannot_be_joined_is_welcomed_and_closed(table: str) -> None:
    cluster = Cluster()
    cluster.join("a", {"players": "1"})
    client = cluster.connect({"table": table})
    assert client.heard() == [WELCOME]
    assert closed_with(client) is NO_TABLE


def test_a_table_that_fills_up_before_the_name_comes_is_closed_then() -> None:
    cluster = Cluster()
    cluster.join("a", {"players": "2"})
    client = cluster.connect({"table": "1000"})
    cluster.join("b", {"table": "1000"})
    client.say("c")
    assert client.heard() == [WELCOME, "name"]
    assert closed_with(client) is NO_TABLE


def test_frames_between_the_name_and_the_start_are_dropped() -> None:
    cluster = Cluster()
    alice = cluster.join("alice", {"players": "2"})
    alice.say("bob")
    alice.say({"type": "move", "to": None})
    alice.invalid_frame("frame/malformed")
    cluster.join("bob")
    assert alice.heard()[-1] == "move"
    assert alice.closed is None


def test_a_login_is_repeated_while_the_cluster_is_busy() -> None:
    cluster = Cluster()
    cluster.busy.extend(["busy/store", "busy/backlog"])
    client = cluster.connect({"players": "1"})
    client.say("alice")
    assert client.heard() == [WELCOME, "name"]
    client.tick(1000)
    assert client.heard() == []
    client.tick(2000)
    assert client.heard()[-1] == "move"


def test_a_match_that_came_too_late_is_tried_again() -> None:
    cluster = Cluster()
    client = cluster.connect({"players": "1"})
    client.heard()
    cluster.busy.extend(["", "room/full"])
    client.say("alice")
    assert client.heard() == []
    client.tick(1000)
    assert client.heard()[-1] == "move"


@pytest.mark.parametrize(
    ("code", "close_code"), [("frame/too_big", TOO_BIG), ("frame/endless", TOO_BIG), ("busy/rate", BUSY)]
)
def test_oversized_frames_and_too_many_answers_close_the_connection(code: ErrorCode, close_code: CloseCode) -> None:
    client = Cluster().connect()
    client.invalid_frame(code)
    assert client.closed is close_code


def test_too_many_messages_while_no_prompt_is_open_are_dropped() -> None:
    client = Cluster().join("alice")
    client.invalid_frame("busy/rate")
    assert client.closed is None


# --- coming back ------------------------------------------------------------------------------------------------------


def two(grace_ms: int = 10_000) -> tuple[Cluster, Client, Client]:
    cluster = Cluster(SnarlSettings(grace_ms=grace_ms))
    alice, bob = cluster.join("alice", {"players": "2"}), cluster.join("bob")
    alice.heard()
    bob.heard()
    return cluster, alice, bob


def test_a_player_in_turn_returns_by_name_and_is_prompted_for_a_move() -> None:
    cluster, alice, bob = two()
    alice.drop()
    assert bob.heard() == []
    back = cluster.connect({"players": "4"})
    back.say("alice")
    welcome, name, start, update, prompt = back.heard()
    assert welcome == WELCOME
    assert name == "name"
    assert prompt == "move"
    assert start == {"type": "start-level", "level": 1, "players": ["alice", "bob"]}
    assert update["message"] is None
    assert bob.heard() == []
    back.say({"type": "move", "to": None})
    assert back.heard()[0] == "OK"


def test_a_player_out_of_turn_returns_without_a_prompt_over_any_transport() -> None:
    cluster, alice, bob = two()
    bob.drop()
    back = cluster.connect(tcp=True)
    back.send(b"bob")
    assert [message if isinstance(message, str) else message["type"] for message in back.heard()] == [
        "welcome", "name", "start-level", "player-update",
    ]  # fmt: skip
    assert alice.heard() == []


@pytest.mark.parametrize("table", ["1000", "4711"])
def test_the_table_in_the_url_is_ignored_for_a_return(table: str) -> None:
    cluster, alice, _ = two()
    alice.drop()
    back = cluster.connect({"table": table})
    back.say("alice")
    assert back.heard()[-1] == "move"


def test_another_name_cannot_take_the_seat_of_a_disconnected_player() -> None:
    cluster, alice, _ = two()
    alice.drop()
    stranger = cluster.connect({"table": "1000"})
    stranger.say("mallory")
    assert closed_with(stranger) is NO_TABLE


def test_the_name_of_a_connected_player_stays_taken() -> None:
    cluster, _, _ = two()
    client = cluster.connect()
    client.heard()
    client.say("alice")
    assert client.heard() == ["name"]


def test_after_the_grace_the_player_is_disconnected_and_the_name_stays_taken() -> None:
    cluster, alice, bob = two()
    alice.drop()
    cluster.tables[FIRST].notice(DeadlinePassed("grace-0"))
    update, prompt = bob.heard()
    assert update["message"] == "Player alice disconnected."
    assert prompt == "move"
    late = cluster.connect()
    late.heard()
    late.say("alice")
    assert late.heard() == ["name"]


def test_without_a_grace_time_a_player_cannot_return() -> None:
    cluster, alice, bob = two(grace_ms=0)
    alice.drop()
    assert bob.heard()[0]["message"] == "Player alice disconnected."
    late = cluster.connect()
    late.heard()
    late.say("alice")
    assert late.heard() == ["name"]


def test_a_player_who_does_not_move_in_time_is_closed() -> None:
    cluster, alice, bob = two()
    cluster.tables[FIRST].notice(DeadlinePassed("move"))
    assert closed_with(alice) is REMOVED
    assert bob.heard()[0]["message"] == "Player alice disconnected."


def test_names_are_free_again_after_the_game() -> None:
    cluster, alice, bob = two(grace_ms=0)
    alice.drop()
    bob.drop()
    again = cluster.connect({"players": "1"})
    again.say("alice")
    assert again.heard()[-1] == "move"
