"""The dialect `eriantys.status`: taking a seat, the start, and returning."""

import pytest

from shared.errors import ProtocolError
from shared.games.eriantys.pieces import Tower
from shared.games.eriantys.views import Group
from tests.support.eriantys_players import eriantys_cluster
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Client, Seats, connect, error_status
from tests.unit.shared.games.eriantys.positions import board, joined, with_card, with_view

# --- names and seats -------------------------------------------------------------------------------------------------


def test_the_first_player_configures_the_table_and_it_starts_when_it_is_full() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, STATUS), connect(cluster, STATUS)
    assert ann.send(b"ann") == [{"status": 0, "userID": 0}]
    assert bob.send(b'"bob"') == [{"status": 0, "userID": 1}]
    assert ann.send({"numPlayers": 3, "gameMode": "EXPERT"}) == []
    cid = connect(cluster, STATUS)
    received = cid.send(b"cid")
    assert received[0] == {"status": 0, "userID": 2}
    assert received[1]["gameMode"] == "expert"
    assert received[1]["playerID"] == 2
    assert ann.received()[0]["playerID"] == 0
    assert len(bob.received()[0]["game"]["players"]) == 3


def test_surplus_players_are_kicked_out_and_may_try_again() -> None:
    cluster = eriantys_cluster()
    clients = [connect(cluster, STATUS) for _ in range(4)]
    for client, name in zip(clients, (b"ann", b"bob", b"cid", b"dan"), strict=True):
        client.send(name)
    clients[0].send({"numPlayers": 2, "gameMode": "normal"})
    assert error_status(clients[2].received()) == 104
    assert error_status(clients[3].received()) == 104
    assert "gameMode" in clients[1].received()[0]
    assert clients[2].send(b"cid") == [{"status": 0, "userID": 0}]


def test_parameters_come_once_from_the_first_with_good_values() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, STATUS), connect(cluster, STATUS)
    good = {"numPlayers": 3, "gameMode": "easy"}
    assert error_status(ann.send(good)) == 201
    ann.send(b"ann")
    bob.send(b"bob")
    assert error_status(bob.send(good)) == 201
    assert error_status(ann.send({"numPlayers": 5, "gameMode": "easy"})) == 201
    assert error_status(ann.send({"numPlayers": 3, "gameMode": "chess"})) == 201
    assert error_status(ann.send({"numPlayers": 3})) == 201
    assert error_status(ann.send({"numPlayers": "3", "gameMode": "easy"})) == 201
    assert ann.send(good) == []
    assert error_status(ann.send(good)) == 201


def test_a_name_in_use_is_101_and_another_may_be_sent() -> None:
    cluster = eriantys_cluster()
    connect(cluster, STATUS).send(b"ann")
    client = connect(cluster, STATUS)
    assert error_status(client.send(b"ann")) == 101
    assert client.send(b"bob") == [{"status": 0, "userID": 1}]


def test_no_seat_is_102_and_a_started_game_103() -> None:
    seats = Seats(STATUS, STATUS)
    assert error_status(seats.connect(STATUS, {"table": "1000"}).send(b"cid")) == 103
    assert error_status(seats.connect(STATUS, {"table": "4711"}).send(b"cid")) == 102
    cluster = eriantys_cluster()
    waiting = connect(cluster, EVENTS)
    waiting.send({"type": "Login", "username": "ann"})
    created = waiting.send({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": True})
    private = {"table": str(created[1]["roomId"])}
    assert connect(cluster, STATUS, private).send(b"bob")[0] == {"status": 0, "userID": 1}


def test_a_table_of_another_dialect_is_filled_first() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    ann.send({"type": "GameParams", "numPlayers": 2, "expert": False, "nickname": "ann", "mage": "MAGE1"})
    received = connect(cluster, STATUS).send(b"bob")
    assert received[0] == {"status": 0, "userID": 1}
    assert received[1]["gameMode"] == "simple"


@pytest.mark.parametrize("name", [b"x" * 33, b'""', b'"\\u0020"'])
def test_a_bad_name_is_201(name: bytes) -> None:
    assert error_status(connect(eriantys_cluster(), STATUS).send(name)) == 201


@pytest.mark.parametrize(
    "query",
    [{"table": "abc"}, {"table": ""}, {"table": "-1"}, {"table": "0"}, {"table": "9" * 20}, {"ping_ms": "often"}],
)
def test_an_invalid_url_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(ProtocolError):
        connect(eriantys_cluster(), STATUS, query)


def test_the_bare_ping_is_off_unless_it_is_set() -> None:
    cluster = eriantys_cluster()
    plain = connect(cluster, STATUS)
    pinged = Client(cluster.connect(STATUS, tcp={"ping_ms": "5000"}))
    cluster.advance(11_000)
    assert plain.received() == []
    assert pinged.received() == ["ping", "ping"]
    assert pinged.send(b"pong") == []


# --- the full status -------------------------------------------------------------------------------------------------


def test_the_full_status_of_an_expert_game_is_complete() -> None:
    seats = Seats(STATUS, STATUS)
    seats.drop(0)
    again = seats.connect(STATUS)
    received = again.send(b"ann")
    assert received[0] == {"status": 0, "userID": 0}
    full = received[1]
    assert set(full) == {"status", "turn", "game", "gameMode", "playerID"}
    assert full["turn"]["phase"] == "planning"
    game = full["game"]
    assert set(game) == {"motherNatureIndex", "archipelagos", "clouds", "characterCards", "players", "professors"}
    assert [entry["index"] for entry in game["archipelagos"]] == list(range(1, 13))
    first = game["archipelagos"][0]
    assert set(first) == {"index", "islands"}
    assert set(first["islands"][0]) == {"islandIndex", "index", "students"}
    assert [cloud["index"] for cloud in game["clouds"]] == [0, 1]
    assert game["professors"] == [-1] * 5
    assert game["characterCards"][0]["fileName"][0] == "P"
    assert "coinOnIt" not in game["characterCards"][0]
    assert set(game["players"][0]) == {
        "index",
        "nickName",
        "towerColour",
        "assistantCardsLeft",
        "coins",
        "studentsEntrance",
        "studentsHall",
        "numTowers",
    }
    assert game["players"][0]["assistantCardsLeft"] == list(range(10))
    assert game["players"][1]["numTowers"] == 8


def test_a_simple_game_omits_coins_and_characters() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, STATUS), connect(cluster, STATUS)
    ann.send(b"ann")
    ann.send({"numPlayers": 2, "gameMode": "simple"})
    full = bob.send(b"bob")[1]
    assert "characterCards" not in full["game"]
    assert all("coins" not in player for player in full["game"]["players"])


def test_the_full_status_has_groups_towers_and_no_entry_tiles() -> None:
    state = board(3, cards=(5, 8), towers={12: Tower.BLACK, 1: Tower.BLACK})
    state = joined(state, (1, 12))
    groups = tuple(Group(g.tiles, 2) if g.tiles == (3,) else g for g in state.view.groups)
    state = with_card(with_card(with_view(state, groups=groups), 5, no_entry=2), 8, used=True)
    seats = Seats(STATUS, STATUS, STATUS, position=state)
    seats.drop(2)
    game = seats.connect(STATUS).send(b"cid")[1]["game"]
    joined_entry = game["archipelagos"][0]
    assert [island["islandIndex"] for island in joined_entry["islands"]] == [1, 12]
    assert [island["towerColour"] for island in joined_entry["islands"]] == ["BLACK", "BLACK"]
    assert game["archipelagos"][2]["noEntryTiles"] == 2
    assert game["characterCards"] == [
        {"index": 0, "fileName": "P05.png", "noEntryTiles": 2},
        {"index": 1, "fileName": "P08.png", "coinOnIt": True},
    ]
    assert game["players"][0]["lastAssistantCardPlayed"] == 4


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_disconnected_player_returns_by_name_with_or_without_the_table() -> None:
    for query in ({}, {"table": "1000"}):
        seats = Seats(STATUS, STATUS, STATUS, position=board(3))
        seats.drop(1)
        assert seats.received(0) == []
        received = seats.connect(STATUS, query).send(b"bob")
        assert received[0] == {"status": 0, "userID": 1}
        assert received[1]["turn"] == {"player": 0, "phase": "action"}
        assert error_status(seats.connect(STATUS, query).send(b"bob")) == 101


def test_skipped_turns_and_the_end_of_the_pause_are_sent() -> None:
    seats = Seats(STATUS, STATUS, STATUS, position=board(3))
    seats.drop(0)
    seats.pass_deadlines()
    assert seats.received(1) == [{"status": 0, "turn": {"player": 1, "phase": "action"}}]
    seats.drop(2)
    assert seats.received(1) == []
    seats.pass_deadlines()
    assert seats.received(1) == [{"status": 0, "winner": "bob"}]
