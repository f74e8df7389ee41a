"""Turns, results, updates and ends: the right messages reach the right players in the right order."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import BUSY, GAME_OVER
from shared.game import Table
from shared.games.snarl.boards import draw
from shared.games.snarl.events import Event, GameBegan, LevelBegan, TurnCame
from shared.games.snarl.levels import Level
from shared.games.snarl.options import House, Options
from shared.games.snarl.rules import Script
from shared.games.snarl.sights import Actor, Kind, Point
from shared.games.snarl.state import State
from shared.ids import RoomId
from tests.support.snarl_stage import HALL, WORKED, statue, zombie
from tests.support.snarl_table import LOCAL, Client, Cluster

STAY = {"type": "move", "to": None}


@pytest.fixture(autouse=True)
def _adversaries_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rules.next_step", statue)


def staged(
    level: Level,
    players: Mapping[str, Point],
    adversaries: Sequence[Actor] = (),
    *,
    last: int = 1,
    settings: SnarlSettings | None = None,
    tcp: Mapping[str, str] | None = None,
) -> tuple[Cluster, list[Client]]:
    """A table that begins in this position, which all players have received."""

    def setup(table: Table[Options]) -> tuple[Event, ...]:
        script = Script(State())
        chosen = table.options
        script.add(GameBegan(table.order, 1, last, chosen.move_time_ms, chosen.grace_ms, House(), 5))
        places = tuple(
            Actor(Kind.PLAYER, seat, place) for seat, place in zip(table.order, players.values(), strict=True)
        )
        script.show(LevelBegan(1, table.order, draw(level), places, tuple(adversaries)))
        script.add(TurnCame(table.order[0]))
        return tuple(script.events)

    cluster = Cluster(settings, setup=setup)
    if tcp is not None:
        clients = [cluster.connect(tcp=True, compat=tcp) for _ in players]
        for client, name in zip(clients, players, strict=True):
            client.send(name.encode())
        cluster.tables[RoomId(1000)].start()
    else:
        clients = [cluster.join(name, {"players": str(len(players))}) for name in players]
    for client in clients:
        client.heard()
    return cluster, clients


def move(*to: int) -> dict[str, Any]:
    return {"type": "move", "to": list(to)}


def gist(client: Client) -> list[Any]:
    """The messages that a client received, with updates shortened to their text."""
    return [
        ("update", message["message"])
        if isinstance(message, dict) and message["type"] == "player-update"
        else (message if isinstance(message, str) else message["type"])
        for message in client.heard()
    ]


def test_the_result_comes_first_and_all_players_get_the_update() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    alice.say(move(3, 6))
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob) == [("update", "Player alice moved."), "move"]
    bob.say(STAY)
    assert gist(bob) == ["OK", ("update", "Player bob moved."), ("update", None)]
    assert gist(alice) == [("update", "Player bob moved."), ("update", None), "move"]


def test_one_update_for_every_adversary() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)}, [zombie(1, (1, 8)), zombie(2, (1, 7))])
    alice.say(STAY)
    assert gist(alice) == ["OK", ("update", "Player alice moved."), ("update", None), ("update", None), "move"]


def test_after_an_invalid_move_only_its_player_gets_messages() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    alice.say(move(0, 5))
    assert gist(alice) == ["Invalid", "move"]
    assert gist(bob) == []
    alice.say(move(3, 6))
    assert gist(alice)[0] == "OK"


@pytest.mark.parametrize("answer", [b"{", b'"up"', b"[3, 6]", b"null", b'{"type": "move", "to": [3.0, 6]}'])
def test_a_malformed_answer_is_an_invalid_move(answer: bytes) -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)})
    alice.send(answer)
    assert gist(alice) == ["Invalid", "move"]
    alice.invalid_frame("frame/binary")
    assert gist(alice) == ["Invalid", "move"]
    assert alice.closed is None


def test_after_the_third_invalid_answer_the_turn_passes_without_update() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    for answer in (move(0, 0), "nonsense", move(10**30, 5)):
        alice.say(answer)
    assert gist(alice) == ["Invalid", "move", "Invalid", "move", "Invalid"]
    assert gist(bob) == ["move"]
    bob.say(STAY)
    assert gist(alice) == [("update", "Player bob moved."), ("update", None), "move"]
    alice.say("nonsense")
    assert gist(alice) == ["Invalid", "move"]


def test_the_number_of_asks_is_a_setting() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)}, settings=SnarlSettings(asks=1))
    alice.say(move(0, 0))
    assert gist(alice) == ["Invalid"]
    assert gist(bob) == ["move"]


def test_frames_that_arrive_while_no_prompt_is_open_are_dropped() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    bob.say(move(1, 6))
    bob.send(b"rubbish")
    bob.invalid_frame("frame/binary")
    alice.say(move(3, 6))
    alice.say(move(3, 7))
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob) == [("update", "Player alice moved."), "move"]
    bob.say(STAY)
    assert gist(bob)[0] == "OK"


@pytest.mark.parametrize("first", [move(0, 5), "nonsense"])
def test_a_second_message_right_after_an_invalid_one_is_dropped_too(first: Any) -> None:
    cluster, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    with cluster.at_once():
        alice.say(first)
        alice.say(move(3, 6))
    assert gist(alice) == ["Invalid", "move"]


def test_key_exit_and_the_end_of_the_game() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 7)}, [zombie(1, (2, 1))])
    alice.say(move(1, 1))
    assert gist(alice) == ["Key", ("update", "Player alice found the key.")]
    assert gist(bob) == [("update", "Player alice found the key."), "move"]
    bob.say(move(4, 8))
    assert gist(bob) == ["Exit"]
    assert gist(alice) == [("update", "Player bob exited."), ("update", None), "move"]
    alice.say(move(2, 1))
    scores = [
        {"type": "player-score", "name": "bob", "exits": 1, "ejects": 0, "keys": 0},
        {"type": "player-score", "name": "alice", "exits": 0, "ejects": 1, "keys": 1},
    ]
    end = [
        {"type": "end-level", "key": "alice", "exits": ["bob"], "ejects": ["alice"]},
        {"type": "end-game", "scores": scores},
    ]
    assert alice.heard() == ["Eject", *end]
    assert bob.heard() == end
    assert alice.closed is bob.closed is GAME_OVER


def test_a_level_without_exits_ends_with_null_and_empty_lists() -> None:
    _, (alice,) = staged(HALL, {"alice": (1, 7)}, [zombie(1, (1, 8))], last=2)
    alice.say(move(1, 8))
    assert alice.heard()[1] == {"type": "end-level", "key": None, "exits": [], "ejects": ["alice"]}
    assert alice.closed is GAME_OVER


def test_a_player_who_left_the_level_gets_no_updates_until_the_next_level() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 7)}, last=2)
    alice.say(move(1, 1))
    bob.say(move(4, 8))
    bob.heard()
    alice.say(STAY)
    alice.say(STAY)
    assert gist(bob) == []
    bob.say(STAY)
    for to in ((1, 3), (1, 5), (3, 5), (4, 6)):
        alice.say(move(*to))
    alice.heard()
    alice.say(move(4, 8))
    assert gist(bob) == ["end-level", "start-level", ("update", None)]
    assert gist(alice) == ["Exit", "end-level", "start-level", ("update", None), "move"]


def test_staying_on_the_unlocked_exit_is_leaving() -> None:
    _, (alice, bob) = staged(HALL, {"alice": (1, 2), "bob": (4, 8)})
    alice.say(move(1, 1))
    bob.heard()
    bob.say(STAY)
    assert gist(bob) == ["Exit"]


def test_an_expelled_player_gets_one_last_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice, bob) = staged(HALL, {"alice": (1, 6), "bob": (4, 1)}, [zombie(1, (1, 5))])
    alice.say(STAY)
    bob.say(STAY)
    *_, last = alice.heard()
    assert last["message"] == "Player alice was expelled."
    assert last["position"] == [1, 6]
    assert {"type": "zombie", "name": "zombie1", "position": [1, 6]} in last["actors"]
    assert gist(bob)[-2:] == [("update", "Player alice was expelled."), "move"]
    bob.say(STAY)
    assert gist(alice) == []


def test_the_last_update_of_an_expelled_player_comes_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice,) = staged(HALL, {"alice": (1, 6)}, [zombie(1, (1, 5))])
    alice.say(STAY)
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
    alice.say(STAY)
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    assert gist(bob)[-1] == "move"
    bob.drop()
    assert gist(alice) == [("update", "Player bob disconnected."), "move"]


def test_updates_show_the_names_of_others_and_never_the_receiver() -> None:
    _, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (3, 6)}, [zombie(1, (1, 5))])
    alice.say(STAY)
    _, update = alice.heard()
    assert update["actors"] == [
        {"type": "player", "name": "bob", "position": [3, 6]},
        {"type": "zombie", "name": "zombie1", "position": [1, 5]},
    ]
    assert list(update) == ["type", "layout", "position", "objects", "actors", "message"]


def test_a_move_is_repeated_while_the_cluster_is_busy_and_counts_once() -> None:
    cluster, (alice, _) = staged(HALL, {"alice": (3, 5), "bob": (1, 5)})
    cluster.busy.append("busy/backlog")
    alice.say(move(3, 6))
    assert gist(alice) == []
    alice.tick(1000)
    assert gist(alice) == ["OK", ("update", "Player alice moved.")]
    alice.tick(2000)
    assert gist(alice) == []


def test_a_dropped_answer_to_a_prompt_closes_the_connection() -> None:
    _, (alice,) = staged(HALL, {"alice": (3, 5)})
    alice.invalid_frame("busy/rate")
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
    alice.say(STAY)
    _, moved, adversary, _ = alice.heard()
    assert moved["message"] == "Player alice moved."
    assert adversary["message"] == ""
    assert moved["health"] == 1
    alice.say(move(4, 8))
    assert alice.heard()[-1]["game-won"] is False


def test_info_can_be_an_object() -> None:
    client = Cluster().connect(tcp=True, compat={"info-object": "10.0.0.1:99"})
    info = client.heard()[0]["info"]
    assert info["ip-address"] == "10.0.0.1"
    assert info["port"] == 99


def test_info_as_an_object_has_the_address_that_the_client_connected_to() -> None:
    client = Cluster().connect(tcp=True, compat={"info-object": ""})
    info = client.heard()[0]["info"]
    assert (info["ip-address"], info["port"]) == LOCAL


def test_websocket_connections_have_no_extras_and_no_leniency() -> None:
    cluster = Cluster(SnarlSettings(extras=("health", "info-object")))
    client = cluster.connect({"players": "1"})
    client.send(b"alice")
    client.say("alice")
    welcome, *_, update, _ = client.heard()
    assert isinstance(welcome["info"], str)
    assert "health" not in update


# --- the worked example, on the wire -----------------------------------------------------------------------------


def test_the_worked_example_on_the_wire() -> None:
    _, (dio, ferd) = staged(WORKED, {"dio": (4, 3), "ferd": (11, 10)}, [zombie(1, (9, 10))])
    moves: list[tuple[Client, dict[str, Any], list[Any]]] = [
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
        dio.heard()
        ferd.heard()
        client.say(answer)
        others = gist(dio if client is ferd else ferd)
        heard = gist(client)
        assert heard[: len(expected)] == expected
        if "Invalid" in expected:
            assert others == []
        elif "Eject" in expected:
            assert heard == ["Eject"]
            assert others == [("update", "Player ferd was expelled."), ("update", None), "move"]
        else:
            assert heard[1][0] == others[0][0] == "update"
