"""The options of a TCP listener change what it reads and sends; WebSocket connections are not affected."""

import pytest

from gateway.dialects.snarl import SnarlSettings
from tests.support.snarl_clients import STAY, move, snarl_cluster, start_game, summary
from tests.support.snarl_stage import HALL, statue, zombie


def test_bare_points_and_digits_are_moves_over_tcp() -> None:
    _, (alice,) = start_game(HALL, {"alice": (3, 5)}, tcp={})
    for answer in (b"[3, 6]", b'{"type": "move", "to": ["3", "5"]}', b"null"):
        alice.send(answer)
        assert summary(alice)[0] == "OK"


def test_a_strict_listener_takes_objects_only() -> None:
    _, (alice,) = start_game(HALL, {"alice": (3, 5)}, tcp={"bare-points": "off"})
    alice.send(b"[3, 6]")
    assert summary(alice) == ["Invalid", "move"]


def test_the_extras_of_a_listener_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)
    extras = {"message-not-null": "", "health": "", "game-won": "on"}
    _, (alice,) = start_game(HALL, {"alice": (4, 6)}, [zombie(1, (4, 8))], tcp=extras)
    alice.send_json(STAY)
    _, moved, adversary, _ = alice.received_json()
    assert moved["message"] == "Player alice moved."
    assert adversary["message"] == ""
    assert moved["health"] == 1
    alice.send_json(move(4, 8))
    assert alice.received_json()[-1]["game-won"] is False


def test_info_can_be_an_object() -> None:
    client = snarl_cluster().connect("snarl", tcp={"info-object": "10.0.0.1:99"})
    info = client.received_json()[0]["info"]
    assert info["ip-address"] == "10.0.0.1"
    assert info["port"] == 99


def test_info_as_an_object_has_the_address_that_the_client_connected_to() -> None:
    client = snarl_cluster().connect("snarl", tcp={"info-object": ""}, local=("127.0.0.1", 4242))
    info = client.received_json()[0]["info"]
    assert info["ip-address"] == "127.0.0.1"
    assert info["port"] == 4242


def test_websocket_connections_have_no_extras_and_no_leniency() -> None:
    cluster = snarl_cluster(SnarlSettings(extras=("health", "info-object")))
    client = cluster.connect("snarl", {"players": "1"})
    client.send(b"alice")
    client.send_json("alice")
    welcome, *_, update, _ = client.received_json()
    assert isinstance(welcome["info"], str)
    assert "health" not in update
