"""The dialect `eriantys.prompts`: taking a seat, the start, and returning."""

from typing import Any

import pytest

from gateway.transports.close_codes import BYE, SILENT
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.support.eriantys_table import House
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, Seats, code, types
from tests.unit.shared.games.eriantys.positions import board

FIRST = Seat(0)
PARAMS = {"type": "GameParams", "numPlayers": 2, "expert": True, "nickname": "ann", "mage": "MAGE2"}
JOIN = {"type": "Join", "nickname": "bob", "mage": "MAGE3", "index": 1000}


def at(position: State) -> Seats:
    return Seats(PROMPTS, PROMPTS, position=position)


# --- lobbies ---------------------------------------------------------------------------------------------------------


def test_a_client_is_welcomed_and_sees_lobbies_change() -> None:
    house = House()
    ann, dan = house.connect(PROMPTS), house.connect(PROMPTS)
    assert dan.received() == [{"type": "Welcome", "lobbies": []}]
    assert ann.received() == [{"type": "Welcome", "lobbies": []}]
    entered = ann.say({**PARAMS, "colorT": "WHITE"})
    assert entered == [{"type": "InformationConnection", "string": "you have a seat (1 of 2)", "lobbyIndex": 1000}]
    lobby = {
        "nicknames": ["ann"],
        "numPlayers": 2,
        "mages": ["MAGE2"],
        "towers": ["WHITE"],
        "mode": True,
        "gameStatus": "SETUP",
        "lobbyIndex": 1000,
    }
    assert dan.received() == [{"type": "Welcome", "lobbies": [lobby]}]
    house.connect(PROMPTS).say(JOIN)
    assert dan.received()[-1]["lobbies"][0]["gameStatus"] == "PLAYING"


def test_a_paused_game_shows_as_such() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    assert seats.house.connect(PROMPTS).received()[0]["lobbies"][0]["gameStatus"] == "PAUSE"


def test_all_players_in_the_lobby_are_notified_of_a_new_player() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say({**PARAMS, "numPlayers": 3})
    bob = house.connect(PROMPTS)
    assert types(bob.say(JOIN)) == ["InformationConnection"]
    assert ann.received() == [
        {"type": "InformationConnection", "string": "bob has joined (2 of 3)", "lobbyIndex": 1000}
    ]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({**JOIN, "nickname": "ann"}, "NAME_TAKEN"),
        ({**JOIN, "mage": "MAGE2"}, "MAGE_TAKEN"),
        ({**JOIN, "colorT": "BLACK"}, "TOWER_TAKEN"),
        ({**JOIN, "colorT": "GREY"}, "TOWER_TAKEN"),
        ({**JOIN, "index": 999}, "ROOM_UNKNOWN"),
        ({**JOIN, "index": -(10**40)}, "ROOM_UNKNOWN"),
        ({**JOIN, "nickname": ""}, "NAME_BAD"),
    ],
)
def test_a_failed_join_is_followed_by_the_lobbies(message: dict[str, Any], expected: str) -> None:
    house = House()
    house.connect(PROMPTS).say(PARAMS)
    bob = house.connect(PROMPTS)
    bob.received()
    received = bob.say(message)
    assert types(received) == ["Error", "Welcome"]
    assert received[0]["code"] == expected
    assert bob.say(JOIN)[0]["type"] == "InformationConnection"


def test_failed_parameters_leave_the_name_free() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    assert code(ann.say({**PARAMS, "numPlayers": 5})) == "ROOM_BAD_SEATS"
    assert code(ann.say({**PARAMS, "colorT": "GREY"})) == "TOWER_TAKEN"
    assert types(ann.say(PARAMS)) == ["InformationConnection"]
    assert code(ann.say(PARAMS)) == "ROOM_SEATED"
    assert code(ann.say(JOIN)) == "ROOM_SEATED"
    assert code(ann.say({"type": "MoveMN", "steps": 1})) == "ROOM_NOT_STARTED"


def test_in_a_game_of_four_the_tower_is_given_by_team() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say({**PARAMS, "numPlayers": 4, "colorT": "GREY"})
    assert house.rooms[next(iter(house.rooms))].people[FIRST].choice["tower"] == "BLACK"


def test_a_private_room_is_joined_by_its_number() -> None:
    house = House()
    ann = house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": True})
    bob = house.connect(PROMPTS)
    assert bob.received() == [{"type": "Welcome", "lobbies": []}]
    assert bob.say(JOIN)[0]["lobbyIndex"] == 1000


# --- signs of life ---------------------------------------------------------------------------------------------------


def test_pings_go_out_and_five_unanswered_ones_close() -> None:
    line = House().connect(PROMPTS)
    line.received()
    assert line.talk.tick_ms == 1000
    for _ in range(4):
        assert line.tick() == [{"type": "Ping"}]
    assert line.say({"type": "Pong"}) == []
    for _ in range(5):
        assert line.tick() == [{"type": "Ping"}]
    assert not line.is_closed
    assert line.tick() == []
    assert line.closed is SILENT
    assert line.tick() == []


def test_a_pong_neither_counts_as_malformed_nor_resets_the_count() -> None:
    line = House().connect(PROMPTS)
    for _ in range(19):
        line.say(b"{")
        line.say({"type": "Pong"})
    assert not line.is_closed
    assert code(line.say(b"{")) == "FRAME_MALFORMED"
    assert line.closed is not None


def test_disconnect_leaves_a_lobby_and_keeps_the_seat_in_a_game() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say(PARAMS)
    assert ann.say({"type": "Disconnect"}) == []
    assert ann.closed is BYE
    assert house.rooms[next(iter(house.rooms))].people == {}
    seats = at(board())
    seats.say(0, {"type": "Disconnect"})
    assert seats.lines[0].closed is not None
    assert seats.room.people[FIRST].name == "ann"
    stranger = House().connect(PROMPTS)
    stranger.say({"type": "Disconnect"})
    assert stranger.closed is not None


# --- the start -------------------------------------------------------------------------------------------------------


def test_the_start() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say(PARAMS)
    ann.received()
    bob = house.connect(PROMPTS)
    received = bob.say(JOIN)
    assert types(received)[:4] == ["InformationConnection", "FullView", "CreateCharacters", "GameStart"]
    view = received[1]["virtualView"]
    assert set(view) == {
        "virtualWorld",
        "virtualPlayers",
        "virtualClouds",
        "virtualProfs",
        "virtualCharacters",
        "virtualCoins",
        "mnPos",
    }
    assert len(view["virtualWorld"]) == 12
    assert set(view["virtualWorld"][0]) == {"students", "towers", "noEntry", "numSubIsland"}
    assert view["virtualProfs"] == dict.fromkeys(("GREEN", "RED", "YELLOW", "PINK", "BLUE"))
    assert view["virtualCoins"] == 18
    player = view["virtualPlayers"][1]
    assert set(player) == {"nickname", "virtualCoins", "virtualHand", "virtualBoard"}
    assert player["virtualHand"]["mage"] == "MAGE3"
    assert player["virtualHand"]["cards"][4] == {"MNsteps": 3, "turn": 5}
    assert player["virtualBoard"]["towers"] == ["WHITE"] * 8
    assert player["virtualBoard"]["hall"] == dict.fromkeys(("GREEN", "RED", "YELLOW", "PINK", "BLUE"), 0)
    assert set(received[2]["characters"][0]) >= {"number", "alreadyPlayed", "description", "cost", "active"}
    both = {types(received)[-1], types(ann.received())[-1]}
    assert both == {"SelectAssistant", "InformationGame"}


def test_a_simple_game_has_no_characters_and_no_coins() -> None:
    seats = Seats(PROMPTS, PROMPTS, expert=False)
    seats.house.lose(seats.lines[1])
    again = seats.house.connect(PROMPTS)
    received = again.say({**JOIN, "mage": "MAGE2"})
    assert types(received)[:2] == ["InformationConnection", "FullView"]
    view = received[1]["virtualView"]
    assert view["virtualCharacters"] == []
    assert view["virtualCoins"] == view["virtualPlayers"][0]["virtualCoins"] == 0


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_disconnected_player_returns_by_nickname() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, cards=(4,)))
    seats.house.lose(seats.lines[0])
    assert types(seats.received(1)) == ["NotifyDisconnection"]
    again = seats.house.connect(PROMPTS)
    received = again.say({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert types(received) == ["InformationConnection", "FullView", "CreateCharacters", "MoveStudentRequest"]
    assert types(seats.received(1)) == ["InformationConnection"]
    third = seats.house.connect(PROMPTS)
    third.received()
    wrong = third.say({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert wrong[0]["code"] == "NAME_TAKEN"
    stranger = third.say({"type": "Join", "nickname": "eve", "mage": "MAGE1", "index": 1000})
    assert stranger[0]["code"] == "ROOM_STARTED"


def test_the_pause_and_the_end_of_it() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    received = seats.received(0)
    assert types(received) == ["NotifyDisconnection", "InformationGame"]
    assert code(seats.say(0, {"type": "EntranceToHall", "colorS": "GREEN"})) == "PAUSED"
    again = seats.house.connect(PROMPTS)
    again.say(JOIN)
    assert types(seats.received(0)) == ["InformationConnection", "MoveStudentRequest"]
    seats.house.lose(again)
    seats.quiet()
    seats.house.deadline(seats.room)
    assert types(seats.received(0)) == ["GameEnded", "Welcome"]


def test_the_turns_of_a_disconnected_player_are_played_by_the_game() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, phase=Phase.PLANNING))
    seats.house.lose(seats.lines[0])
    seats.quiet()
    seats.house.deadline(seats.room)
    received = seats.received(1)
    assert received[0]["player"]["virtualLastAssistant"]["turn"] == 10
    assert types(received) == ["UpdatePlayer", "SelectAssistant"]
