"""Turns, results, updates and ends: the right messages reach the right players in the right order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import BUSY, GAME_OVER
from shared.game import Draft, Table
from shared.games.snarl.boards import draw
from shared.games.snarl.events import Event, GameBegan, LevelBegan, TurnCame
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Level
from shared.games.snarl.pieces import Actor, Kind, Point
from shared.games.snarl.rounds import show
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State, evolve
from tests.support.memory_cluster import MemoryClient, MemoryCluster
from tests.support.snarl_clients import snarl_cluster
from tests.support.snarl_stage import HALL, WORKED, statue, zombie

STAY = {"type": "move", "to": None}


@pytest.fixture(autouse=True)
def _adversaries_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def staged(
    level: Level,
    players: Mapping[str, Point],
    adversaries: Sequence[Actor] = (),
    *,
    last: int = 1,
    settings: SnarlSettings | None = None,
    tcp: Mapping[str, str] | None = None,
) -> tuple[MemoryCluster, list[MemoryClient]]:
    """A table that begins in this position, which all players have received."""

    def setup(table: Table[Options]) -> tuple[Event, ...]:
        draft = Draft(State(), evolve)
        chosen = table.options
        draft.emit(GameBegan(table.order, 1, last, chosen.move_time_ms, chosen.grace_ms, HouseRules(), 5))
        places = tuple(
            Actor(Kind.PLAYER, seat, place) for seat, place in zip(table.order, players.values(), strict=True)
        )
        show(draft, LevelBegan(1, table.order, draw(level), places, tuple(adversaries)))
        draft.emit(TurnCame(table.order[0]))
        return tuple(draft.events)

    settings = replace(settings or SnarlSettings(), clients=len(players))
    cluster = snarl_cluster(settings, setup=setup)
    clients = [cluster.connect("snarl", tcp=tcp) for _ in players]
    for client, name in zip(clients, players, strict=True):
        client.send_json(name)
    for client in clients:
        client.received()
    return cluster, clients


def move(*to: int) -> dict[str, Any]:
    return {"type": "move", "to": list(to)}


def gist(client: MemoryClient) -> list[Any]:
    """The messages that a client received, with updates shortened to their text."""
    return [
        ("update", message["message"])
        if isinstance(message, dict) and message["type"] == "player-update"
        else (message if isinstance(message, str) else message["type"])
        for message in client.received_json()
    ]


def test_the_result_comes_first_and_all_players_get_the_update() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    alice.send_json(move(3, 6))
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob) == [("update", "Player alice moved."), "move"]
    bob.send_json(STAY)
    assert gist(bob) == ["OK", ("update", "Player bob moved."), ("update", None)]
    assert gist(alice) == [("update", "Player bob moved."), ("update", None), "move"]


def test_one_update_for_every_adversary() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)}, [zombie(1, (1, 8)), zombie(2, (1, 7))])
    alice.send_json(STAY)
    assert gist(alice) == ["OK", ("update", "Player alice moved."), ("update", None), ("update", None), "move"]


def test_after_an_invalid_move_only_its_player_gets_messages() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    alice.send_json(move(0, 5))
    assert gist(alice) == ["Invalid", "move"]
    assert gist(bob) == []
    alice.send_json(move(3, 6))
    assert gist(alice)[0] == "OK"


@pytest.mark.parametrize("answer", [b"{", b'"up"', b"[3, 6]", b"null", b'{"type": "move", "to": [3.0, 6]}'])
def test_a_malformed_answer_is_an_invalid_move(answer: bytes) -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)})
    alice.send(answer)
    assert gist(alice) == ["Invalid", "move"]
    alice.send_invalid("frame/binary")
    assert gist(alice) == ["Invalid", "move"]
    assert alice.closed is None


def test_after_the_third_invalid_answer_the_turn_passes_without_update() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    for answer in (move(0, 0), "nonsense", move(10**30, 5)):
        alice.send_json(answer)
    assert gist(alice) == ["Invalid", "move", "Invalid", "move", "Invalid"]
    assert gist(bob) == ["move"]
    bob.send_json(STAY)
    assert gist(alice) == [("update", "Player bob moved."), ("update", None), "move"]
    alice.send_json("nonsense")
    assert gist(alice) == ["Invalid", "move"]


def test_the_number_of_asks_is_a_setting() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, settings=SnarlSettings(asks=1))
    alice.send_json(move(0, 0))
    assert gist(alice) == ["Invalid"]
    assert gist(bob) == ["move"]


def test_frames_that_arrive_while_no_prompt_is_open_are_dropped() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    bob.send_json(move(1, 6))
    bob.send(b"rubbish")
    bob.send_invalid("frame/binary")
    alice.send_json(move(3, 6))
    alice.send_json(move(3, 7))
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob) == [("update", "Player alice moved."), "move"]
    bob.send_json(STAY)
    assert gist(bob)[0] == "OK"


@pytest.mark.parametrize("first", [move(0, 5), "nonsense"])
def test_a_second_message_right_after_an_invalid_one_is_dropped_too(first: Any) -> None:
    _, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    alice.send_together(*(msgspec.json.encode(message) for message in (first, move(3, 6))))
    assert gist(alice) == ["Invalid", "move"]


def test_key_exit_and_the_end_of_the_game() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 7)}, [zombie(1, (2, 1))])
    alice.send_json(move(1, 1))
    assert gist(alice) == ["Key", ("update", "Player alice found the key.")]
    assert gist(bob) == [("update", "Player alice found the key."), "move"]
    bob.send_json(move(4, 8))
    assert gist(bob) == ["Exit"]
    assert gist(alice) == [("update", "Player bob exited."), ("update", None), "move"]
    alice.send_json(move(2, 1))
    scores = [
        {"type": "player-score", "name": "bob", "exits": 1, "ejects": 0, "keys": 0},
        {"type": "player-score", "name": "alice", "exits": 0, "ejects": 1, "keys": 1},
    ]
    end = [
        {"type": "end-level", "key": "alice", "exits": ["bob"], "ejects": ["alice"]},
        {"type": "end-game", "scores": scores},
    ]
    assert alice.received_json() == ["Eject", *end]
    assert bob.received_json() == end
    assert alice.closed is bob.closed is GAME_OVER


def test_a_level_without_exits_ends_with_null_and_empty_lists() -> None:
    _, (alice,) = staged(HALL, {"alice": (1, 7)}, [zombie(1, (1, 8))], last=2)
    alice.send_json(move(1, 8))
    assert alice.received_json()[1] == {"type": "end-level", "key": None, "exits": [], "ejects": ["alice"]}
    assert alice.closed is GAME_OVER


def test_a_player_who_left_the_level_gets_no_updates_until_the_next_level() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 7)}, last=2)
    alice.send_json(move(1, 1))
    bob.send_json(move(4, 8))
    bob.received()
    alice.send_json(STAY)
    alice.send_json(STAY)
    assert gist(bob) == []
    bob.send_json(STAY)
    for to in ((1, 3), (1, 5), (3, 5), (4, 6)):
        alice.send_json(move(*to))
    alice.received()
    alice.send_json(move(4, 8))
    assert gist(bob) == ["end-level", "start-level", ("update", None)]
    assert gist(alice) == ["Exit", "end-level", "start-level", ("update", None), "move"]


def test_staying_on_the_unlocked_exit_is_leaving() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 8)})
    alice.send_json(move(1, 1))
    bob.received()
    bob.send_json(STAY)
    assert gist(bob) == ["Exit"]


def test_an_expelled_player_gets_one_last_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice, bob) = staged(HALL, {"alice": (1, 6), "bob": (4, 1)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    bob.send_json(STAY)
    *_, last = alice.received_json()
    assert last["message"] == "Player alice was expelled."
    assert last["position"] == [1, 6]
    assert {"type": "zombie", "name": "zombie1", "position": [1, 6]} in last["actors"]
    assert gist(bob)[-2:] == [("update", "Player alice was expelled."), "move"]
    bob.send_json(STAY)
    assert gist(alice) == []


def test_the_last_update_of_an_expelled_player_comes_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice,) = staged(HALL, {"alice": (1, 6)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    assert gist(alice) == [
        "OK",
        ("update", "Player alice moved."),
        ("update", "Player alice was expelled."),
        "end-level",
        "end-game",
    ]


def test_a_disconnection_is_announced_at_once_even_between_prompt_and_result() -> None:
    _, (alice, bob, carol) = staged(
        HALL, {"alice": (1, 3), "bob": (3, 5), "carol": (4, 3)}, settings=SnarlSettings(grace_ms=0)
    )
    carol.drop()
    assert gist(alice) == gist(bob) == [("update", "Player carol disconnected.")]
    alice.send_json(STAY)
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob)[-1] == "move"
    bob.drop()
    assert gist(alice) == [("update", "Player bob disconnected."), "move"]


def test_updates_show_the_names_of_others_and_never_the_receiver() -> None:
    _, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (3, 6)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    _, update = alice.received_json()
    assert update["actors"] == [
        {"type": "player", "name": "bob", "position": [3, 6]},
        {"type": "zombie", "name": "zombie1", "position": [1, 5]},
    ]
    assert list(update) == ["type", "layout", "position", "objects", "actors", "message"]


def test_a_move_is_repeated_while_the_cluster_is_busy_and_counts_once() -> None:
    cluster, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    with cluster.store_lost():
        alice.send_json(move(3, 6))
        cluster.advance(2_000)
        assert gist(alice) == []
    cluster.advance(1_500)
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    cluster.advance(2_000)
    assert gist(alice) == []


def test_a_dropped_answer_to_a_prompt_closes_the_connection() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)})
    alice.send_invalid("busy/rate")
    assert alice.closed is BUSY


# --- options of a TCP listener ------------------------------------------------------------------------------------


def test_bare_points_and_digits_are_moves_over_tcp() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)}, tcp={})
    for answer in (b"[3, 6]", b'{"type": "move", "to": ["3", "5"]}', b"null"):
        alice.send(answer)
        assert gist(alice)[0] == "OK"


def test_a_strict_listener_takes_objects_only() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)}, tcp={"bare-points": "off"})
    alice.send(b"[3, 6]")
    assert gist(alice) == ["Invalid", "move"]


def test_extras_of_a_listener() -> None:
    extras = {"message-not-null": "", "health": "", "game-won": "on"}
    _, (alice,) = staged(HALL, {"alice": (4, 6)}, [zombie(1, (4, 8))], tcp=extras)
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


# --- the worked example, on the wire -----------------------------------------------------------------------------


def test_the_worked_example_on_the_wire() -> None:
    _, (dio, ferd) = staged(WORKED, {"dio": (4, 3), "ferd": (11, 10)}, [zombie(1, (9, 10))])
    moves: list[tuple[MemoryClient, dict[str, Any], list[Any]]] = [
        (dio, move(4, 4), ["OK"]),
        (ferd, move(12, 10), ["Invalid", "move"]),
        (ferd, move(10, 10), ["Key"]),
        (dio, move(4, 6), ["OK"]),
        (ferd, STAY, ["OK"]),
        (dio, move(4, 8), ["OK"]),
        (ferd, move(11, 11), ["OK"]),
        (dio, move(4, 10), ["OK"]),
        (ferd, move(9, 11), ["OK"]),
        (dio, move(4, 12), ["Invalid", "move"]),
        (dio, move(6, 10), ["OK"]),
        (ferd, move(9, 10), ["Eject"]),
    ]
    for client, answer, expected in moves:
        dio.received()
        ferd.received()
        client.send_json(answer)
        others = gist(dio if client is ferd else ferd)
        own = gist(client)
        assert own[: len(expected)] == expected
        if "Invalid" in expected:
            assert others == []
        elif "Eject" in expected:
            assert own == ["Eject"]
            assert others == [("update", "Player ferd was expelled."), ("update", None), "move"]
        else:
            assert own[1][0] == others[0][0] == "update"
