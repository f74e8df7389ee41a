"""The dialect `eriantys.status`: taking a seat, the start, and returning."""

import pytest

from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.status import DIALECT
from shared.errors import ProtocolError
from shared.games.eriantys.pieces import Tower
from shared.games.eriantys.views import Group
from tests.support.eriantys_table import House
from tests.unit.games.eriantys.building import board, joined, with_card, with_view
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Seats, status

# --- names and seats -------------------------------------------------------------------------------------------------


def test_the_first_player_configures_the_table_and_it_starts_when_it_is_full() -> None:
    house = House()
    ann, bob = house.connect(STATUS), house.connect(STATUS)
    assert ann.say(b"ann") == [{"status": 0, "userID": 0}]
    assert bob.say(b'"bob"') == [{"status": 0, "userID": 1}]
    assert ann.say({"numPlayers": 3, "gameMode": "EXPERT"}) == []
    cid = house.connect(STATUS)
    received = cid.say(b"cid")
    assert received[0] == {"status": 0, "userID": 2}
    assert received[1]["gameMode"] == "expert"
    assert received[1]["playerID"] == 2
    assert ann.received()[0]["playerID"] == 0
    assert len(bob.received()[0]["game"]["players"]) == 3


def test_surplus_players_are_kicked_out_and_may_try_again() -> None:
    house = House()
    lines = [house.connect(STATUS) for _ in range(4)]
    for line, name in zip(lines, (b"ann", b"bob", b"cid", b"dan"), strict=True):
        line.say(name)
    lines[0].say({"numPlayers": 2, "gameMode": "normal"})
    assert status(lines[2].received()) == 104
    assert status(lines[3].received()) == 104
    assert "gameMode" in lines[1].received()[0]
    assert lines[2].say(b"cid") == [{"status": 0, "userID": 0}]


def test_parameters_come_once_from_the_first_with_good_values() -> None:
    house = House()
    ann, bob = house.connect(STATUS), house.connect(STATUS)
    good = {"numPlayers": 3, "gameMode": "easy"}
    assert status(ann.say(good)) == 201
    ann.say(b"ann")
    bob.say(b"bob")
    assert status(bob.say(good)) == 201
    assert status(ann.say({"numPlayers": 5, "gameMode": "easy"})) == 201
    assert status(ann.say({"numPlayers": 3, "gameMode": "chess"})) == 201
    assert status(ann.say({"numPlayers": 3})) == 201
    assert status(ann.say({"numPlayers": "3", "gameMode": "easy"})) == 201
    assert ann.say(good) == []
    assert status(ann.say(good)) == 201


def test_a_name_in_use_is_101_and_another_may_be_sent() -> None:
    house = House()
    house.connect(STATUS).say(b"ann")
    line = house.connect(STATUS)
    assert status(line.say(b"ann")) == 101
    assert line.say(b"bob") == [{"status": 0, "userID": 1}]


def test_no_seat_is_102_and_a_started_game_103() -> None:
    seats = Seats(STATUS, STATUS)
    assert status(seats.house.connect(STATUS, {"table": "1000"}).say(b"cid")) == 103
    assert status(seats.house.connect(STATUS, {"table": "4711"}).say(b"cid")) == 102
    house = House()
    waiting = house.connect(EVENTS)
    waiting.say({"type": "Login", "username": "ann"})
    waiting.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": True})
    assert house.connect(STATUS, {"table": "1000"}).say(b"bob")[0] == {"status": 0, "userID": 1}


def test_a_table_of_another_dialect_is_filled_first() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say({"type": "GameParams", "numPlayers": 2, "expert": False, "nickname": "ann", "mage": "MAGE1"})
    received = house.connect(STATUS).say(b"bob")
    assert received[0] == {"status": 0, "userID": 1}
    assert received[1]["gameMode"] == "simple"


@pytest.mark.parametrize("name", [b"x" * 33, b'""', b'"\\u0020"'])
def test_a_bad_name_is_201(name: bytes) -> None:
    assert status(House().connect(STATUS).say(name)) == 201


@pytest.mark.parametrize(
    "query",
    [{"table": "abc"}, {"table": ""}, {"table": "-1"}, {"table": "0"}, {"table": "9" * 20}, {"ping_ms": "often"}],
)
def test_an_invalid_url_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(ProtocolError):
        DIALECT.converse(Opening(query, House()))


def test_the_bare_ping_is_off_unless_it_is_set() -> None:
    assert DIALECT.converse(Opening({}, House())).tick_ms == 0
    talk = DIALECT.converse(Opening({}, House(), {"ping_ms": "5000"}))
    assert talk.tick_ms == 5000
    assert list(talk.tick(0)) == [b"ping"]
    assert list(talk.receive(b"pong")) == []


# --- the full status -------------------------------------------------------------------------------------------------


def test_the_full_status_of_an_expert_game() -> None:
    seats = Seats(STATUS, STATUS)
    seats.house.lose(seats.lines[0])
    again = seats.house.connect(STATUS)
    received = again.say(b"ann")
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
    house = House()
    ann, bob = house.connect(STATUS), house.connect(STATUS)
    ann.say(b"ann")
    ann.say({"numPlayers": 2, "gameMode": "simple"})
    full = bob.say(b"bob")[1]
    assert "characterCards" not in full["game"]
    assert all("coins" not in player for player in full["game"]["players"])


def test_groups_towers_and_tiles_in_the_full_status() -> None:
    state = board(3, cards=(5, 8), towers={12: Tower.BLACK, 1: Tower.BLACK})
    state = joined(state, (1, 12))
    groups = tuple(Group(g.tiles, 2) if g.tiles == (3,) else g for g in state.view.groups)
    state = with_card(with_card(with_view(state, groups=groups), 5, no_entry=2), 8, used=True)
    seats = Seats(STATUS, STATUS, STATUS, position=state)
    seats.house.lose(seats.lines[2])
    game = seats.house.connect(STATUS).say(b"cid")[1]["game"]
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
        seats.house.lose(seats.lines[1])
        assert seats.received(0) == []
        received = seats.house.connect(STATUS, query).say(b"bob")
        assert received[0] == {"status": 0, "userID": 1}
        assert received[1]["turn"] == {"player": 0, "phase": "action"}
        assert status(seats.house.connect(STATUS, query).say(b"bob")) == 101


def test_skipped_turns_and_the_end_of_the_pause_are_sent() -> None:
    seats = Seats(STATUS, STATUS, STATUS, position=board(3))
    seats.house.lose(seats.lines[0])
    seats.house.deadline(seats.room)
    assert seats.received(1) == [{"status": 0, "turn": {"player": 1, "phase": "action"}}]
    seats.house.lose(seats.lines[2])
    assert seats.received(1) == []
    seats.house.deadline(seats.room)
    assert seats.received(1) == [{"status": 0, "winner": "bob"}]
