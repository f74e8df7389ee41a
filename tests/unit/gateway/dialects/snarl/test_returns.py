"""A player who has lost the connection returns by name within the grace time, and not after it."""

import pytest

from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import NO_TABLE, REMOVED
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from tests.support.snarl_clients import FIRST_ROOM, join, snarl_cluster


def two_players(
    *, grace_ms: int = 10_000, move_time_ms: int = 120_000
) -> tuple[MemoryCluster, MemoryClient, MemoryClient]:
    """A running game of alice, who has the turn, and bob."""
    cluster = snarl_cluster(SnarlSettings(grace_ms=grace_ms, move_time_ms=move_time_ms))
    alice, bob = join(cluster, "alice", {"players": "2"}), join(cluster, "bob")
    alice.received()
    bob.received()
    return cluster, alice, bob


def test_a_player_in_turn_returns_by_name_and_is_prompted_for_a_move() -> None:
    cluster, alice, bob = two_players()
    alice.drop()
    assert bob.received_json() == []
    back = cluster.connect("snarl", {"players": "4"})
    back.send_json("alice")
    welcome, name, start, update, prompt = back.received_json()
    assert welcome["type"] == "welcome"
    assert name == "name"
    assert prompt == "move"
    assert start == {"type": "start-level", "level": 1, "players": ["alice", "bob"]}
    assert update["message"] is None
    assert bob.received_json() == []
    back.send_json({"type": "move", "to": None})
    assert back.received_json()[0] == "OK"


def test_a_player_out_of_turn_returns_without_a_prompt_over_any_transport() -> None:
    cluster, alice, bob = two_players()
    bob.drop()
    back = cluster.connect("snarl", tcp={})
    back.send(b"bob")
    assert [message if isinstance(message, str) else message["type"] for message in back.received_json()] == [
        "welcome", "name", "start-level", "player-update",
    ]  # fmt: skip
    assert alice.received_json() == []


@pytest.mark.parametrize("table", [str(FIRST_ROOM), "4711"])
def test_the_table_in_the_url_is_ignored_for_a_return(table: str) -> None:
    cluster, alice, _ = two_players()
    alice.drop()
    back = cluster.connect("snarl", {"table": table})
    back.send_json("alice")
    assert back.received_json()[-1] == "move"


def test_another_name_cannot_take_the_seat_of_a_disconnected_player() -> None:
    cluster, alice, _ = two_players()
    alice.drop()
    stranger = cluster.connect("snarl", {"table": str(FIRST_ROOM)})
    stranger.send_json("mallory")
    assert stranger.closed is NO_TABLE


def test_the_name_of_a_connected_player_stays_taken() -> None:
    cluster, _, _ = two_players()
    client = cluster.connect("snarl")
    client.received()
    client.send_json("alice")
    assert client.received_json() == ["name"]


def test_after_the_grace_the_player_is_disconnected_and_the_name_stays_taken() -> None:
    cluster, alice, bob = two_players()
    alice.drop()
    cluster.advance(11_000)
    update, prompt = bob.received_json()
    assert update["message"] == "Player alice disconnected."
    assert prompt == "move"
    late = cluster.connect("snarl")
    late.received()
    late.send_json("alice")
    assert late.received_json() == ["name"]


def test_without_a_grace_time_a_player_cannot_return() -> None:
    cluster, alice, bob = two_players(grace_ms=0)
    alice.drop()
    assert bob.received_json()[0]["message"] == "Player alice disconnected."
    late = cluster.connect("snarl")
    late.received()
    late.send_json("alice")
    assert late.received_json() == ["name"]


def test_a_player_who_does_not_move_in_time_is_closed() -> None:
    cluster, alice, bob = two_players(move_time_ms=5_000)
    cluster.advance(6_000)
    assert alice.closed is REMOVED
    assert bob.received_json()[0]["message"] == "Player alice disconnected."


def test_names_are_free_again_after_the_game() -> None:
    cluster, alice, bob = two_players(grace_ms=0)
    alice.drop()
    bob.drop()
    again = cluster.connect("snarl", {"players": "1"})
    again.send_json("alice")
    assert again.received_json()[-1] == "move"
