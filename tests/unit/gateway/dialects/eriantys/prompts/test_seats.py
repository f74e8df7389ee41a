"""The dialect `eriantys.prompts`: taking a seat, the start, and returning."""

from typing import Any

import pytest

from gateway.dialects.eriantys.prompts.conversation import PING_MS
from gateway.transports.close_codes import BYE, SILENT
from shared.games.eriantys.pieces import Phase
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.support.eriantys_players import eriantys_cluster
from tests.support.party import FIRST_ROOM
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, Client, Seats, connect, error_code, types
from tests.unit.shared.games.eriantys.positions import board

FIRST = Seat(0)
PARAMS = {"type": "GameParams", "numPlayers": 2, "expert": True, "nickname": "ann", "mage": "MAGE2"}
JOIN = {"type": "Join", "nickname": "bob", "mage": "MAGE3", "index": 1000}


def at(position: State) -> Seats:
    return Seats(PROMPTS, PROMPTS, position=position)


# --- lobbies ---------------------------------------------------------------------------------------------------------


def test_a_client_is_welcomed_and_sees_lobbies_change() -> None:
    cluster = eriantys_cluster()
    ann, dan = connect(cluster, PROMPTS), connect(cluster, PROMPTS)
    assert dan.received() == [{"type": "Welcome", "lobbies": []}]
    assert ann.received() == [{"type": "Welcome", "lobbies": []}]
    entered = ann.send({**PARAMS, "colorT": "WHITE"})
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
    connect(cluster, PROMPTS).send(JOIN)
    cluster.advance(3 * PING_MS)
    assert welcomes(dan)[-1]["lobbies"][0]["gameStatus"] == "PLAYING"


def welcomes(client: Client) -> list[dict[str, Any]]:
    return [message for message in client.received() if message["type"] == "Welcome"]


def test_lobbies_that_change_often_are_sent_once_a_second() -> None:
    cluster = eriantys_cluster()
    dan = connect(cluster, PROMPTS)
    assert len(welcomes(dan)) == 1
    for number in range(6):
        connect(cluster, PROMPTS).send({**PARAMS, "nickname": f"p{number}"})
    assert len(welcomes(dan)) == 1
    received = []
    for _ in range(5):
        cluster.advance(PING_MS)
        received.append(welcomes(dan))
    assert sum(map(len, received)) == 1
    (last,) = [some[0] for some in received if some]
    assert len(last["lobbies"]) == 6


def test_a_list_that_answers_a_request_is_not_delayed() -> None:
    cluster = eriantys_cluster()
    dan = connect(cluster, PROMPTS)
    for number in range(3):
        connect(cluster, PROMPTS).send({**PARAMS, "nickname": f"p{number}"})
    dan.received()
    for _ in range(3):
        answers = dan.send({**JOIN, "index": 77})
        assert [message["type"] for message in answers] == ["Error", "Welcome"]
        assert len(answers[1]["lobbies"]) == 3


def test_a_paused_game_shows_as_such() -> None:
    seats = at(board())
    seats.drop(1)
    assert seats.connect(PROMPTS).received()[0]["lobbies"][0]["gameStatus"] == "PAUSE"


def test_all_players_in_the_lobby_are_notified_of_a_new_player() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    ann.send({**PARAMS, "numPlayers": 3})
    bob = connect(cluster, PROMPTS)
    assert types(bob.send(JOIN)) == ["InformationConnection"]
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
    cluster = eriantys_cluster()
    connect(cluster, PROMPTS).send(PARAMS)
    bob = connect(cluster, PROMPTS)
    bob.received()
    received = bob.send(message)
    assert types(received) == ["Error", "Welcome"]
    assert received[0]["code"] == expected
    assert bob.send(JOIN)[0]["type"] == "InformationConnection"


def test_failed_parameters_leave_the_name_free() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    assert error_code(ann.send({**PARAMS, "numPlayers": 5})) == "ROOM_BAD_SEATS"
    assert error_code(ann.send({**PARAMS, "colorT": "GREY"})) == "TOWER_TAKEN"
    assert types(ann.send(PARAMS)) == ["InformationConnection"]
    assert error_code(ann.send(PARAMS)) == "ROOM_SEATED"
    assert error_code(ann.send(JOIN)) == "ROOM_SEATED"
    assert error_code(ann.send({"type": "MoveMN", "steps": 1})) == "ROOM_NOT_STARTED"


def test_in_a_game_of_four_the_tower_is_given_by_team() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    ann.send({**PARAMS, "numPlayers": 4, "colorT": "GREY"})
    assert cluster.room(FIRST_ROOM).state.seats[FIRST].choice["tower"] == "BLACK"


def test_a_private_room_is_joined_by_its_number() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, EVENTS)
    ann.send({"type": "Login", "username": "ann"})
    created = ann.send({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": True})
    number = created[1]["roomId"]
    bob = connect(cluster, PROMPTS)
    assert bob.received() == [{"type": "Welcome", "lobbies": []}]
    assert bob.send({**JOIN, "index": number})[0]["lobbyIndex"] == number


# --- signs of life ---------------------------------------------------------------------------------------------------


def test_pings_go_out_and_five_unanswered_ones_close() -> None:
    cluster = eriantys_cluster()
    client = connect(cluster, PROMPTS)
    client.received()
    cluster.advance(250)  # the gateway looks four times a second which connections are due
    for _ in range(4):
        cluster.advance(1_000)
        assert client.received() == [{"type": "Ping"}]
    assert client.send({"type": "Pong"}) == []
    for _ in range(5):
        cluster.advance(1_000)
        assert client.received() == [{"type": "Ping"}]
    assert client.closed is None
    cluster.advance(1_000)
    assert client.received() == []
    assert client.closed is SILENT


def test_a_pong_neither_counts_as_malformed_nor_resets_the_count() -> None:
    client = connect(eriantys_cluster(), PROMPTS)
    for _ in range(19):
        client.send(b"{")
        client.send({"type": "Pong"})
    assert client.closed is None
    assert error_code(client.send(b"{")) == "FRAME_MALFORMED"
    assert client.closed is not None


def test_disconnect_leaves_a_lobby_and_keeps_the_seat_in_a_game() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    ann.send(PARAMS)
    assert ann.send({"type": "Disconnect"}) == [{"type": "NotifyDisconnection", "string": "ann has left"}]
    assert ann.closed is BYE
    assert cluster.room(FIRST_ROOM).state.seats == {}
    seats = at(board())
    seats.send(0, {"type": "Disconnect"})
    assert seats.clients[0].closed is not None
    assert seats.places[FIRST].name == "ann"
    assert not seats.places[FIRST].here
    stranger = connect(eriantys_cluster(), PROMPTS)
    stranger.send({"type": "Disconnect"})
    assert stranger.closed is not None


# --- the start -------------------------------------------------------------------------------------------------------


def test_the_start_sends_the_full_view_and_one_prompt() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, PROMPTS)
    ann.send(PARAMS)
    ann.received()
    bob = connect(cluster, PROMPTS)
    received = bob.send(JOIN)
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
    seats.drop(1)
    again = seats.connect(PROMPTS)
    received = again.send({**JOIN, "mage": "MAGE2"})
    assert types(received)[:2] == ["InformationConnection", "FullView"]
    view = received[1]["virtualView"]
    assert view["virtualCharacters"] == []
    assert view["virtualCoins"] == view["virtualPlayers"][0]["virtualCoins"] == 0


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_disconnected_player_returns_by_nickname() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, cards=(4,)))
    seats.drop(0)
    assert types(seats.received(1)) == ["NotifyDisconnection"]
    again = seats.connect(PROMPTS)
    received = again.send({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert types(received) == ["InformationConnection", "FullView", "CreateCharacters", "MoveStudentRequest"]
    assert types(seats.received(1)) == ["InformationConnection"]
    third = seats.connect(PROMPTS)
    third.received()
    wrong = third.send({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert wrong[0]["code"] == "NAME_TAKEN"
    stranger = third.send({"type": "Join", "nickname": "eve", "mage": "MAGE1", "index": 1000})
    assert stranger[0]["code"] == "ROOM_STARTED"


def test_a_paused_game_resumes_or_ends() -> None:
    seats = at(board())
    seats.drop(1)
    received = seats.received(0)
    assert types(received) == ["NotifyDisconnection", "InformationGame"]
    assert error_code(seats.send(0, {"type": "EntranceToHall", "colorS": "GREEN"})) == "PAUSED"
    again = seats.connect(PROMPTS)
    again.send(JOIN)
    assert types(seats.received(0)) == ["InformationConnection", "MoveStudentRequest"]
    again.drop()
    seats.discard()
    seats.pass_deadlines()
    assert types(seats.received(0)) == ["GameEnded", "Welcome"]


def test_the_turns_of_a_disconnected_player_are_played_by_the_game() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, phase=Phase.PLANNING))
    seats.drop(0)
    seats.discard()
    seats.pass_deadlines()
    received = seats.received(1)
    assert received[0]["player"]["virtualLastAssistant"]["turn"] == 10
    assert types(received) == ["UpdatePlayer", "SelectAssistant"]
