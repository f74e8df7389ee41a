"""The dialect `eriantys.events`: taking a seat, the start, and returning."""

from typing import Any

from shared.games.eriantys.pieces import Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import RoomId, Seat
from shared.room_events import Away, Joined, Left
from tests.support.eriantys_table import House
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, STATUS, Seats, types, word
from tests.unit.shared.games.eriantys.positions import board, joined, with_card, with_view

ACK = {"type": "Ack"}


def event(kind: str | int, **fields: Any) -> dict[str, Any]:
    return {"type": "GameEvent", "player": "ann", "eventType": kind, **fields}


def at(position: State) -> Seats:
    return Seats(EVENTS, EVENTS, position=position)


def added(where: str, color: str) -> dict[str, Any]:
    return {"type": "AddStudentTo", "where": where, "color": color}


# --- login and rooms -------------------------------------------------------------------------------------------------


def test_login_is_acknowledged_and_followed_by_the_public_rooms() -> None:
    line = House().connect(EVENTS)
    assert line.say({"type": "Login", "username": "ann"}) == [ACK, {"type": "PublicRooms", "publicRooms": []}]
    assert word(line.say({"type": "Login", "username": "ann"})) == "SESSION_TWICE"


def test_a_name_is_unique_and_free_again_after_logout() -> None:
    house = House()
    one, other = house.connect(EVENTS), house.connect(EVENTS)
    one.say({"type": "Login", "username": "ann"})
    assert word(other.say({"type": "Login", "username": "ann"})) == "NAME_TAKEN"
    assert word(other.say({"type": "Login", "username": " "})) == "NAME_BAD"
    assert word(other.say({"type": "Logout"})) == "SESSION_NONE"
    assert one.say({"type": "Logout"}) == [ACK]
    assert other.say({"type": "Login", "username": "ann"})[0] == ACK


def test_a_room_is_created_listed_filtered_and_entered() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    bob.say({"type": "Login", "username": "bob"})
    create = {"type": "CreateRoom", "numberOfPlayers": 3, "expert": True, "private": False}
    assert ann.say(create) == [
        ACK,
        {"type": "RoomId", "roomId": 1000},
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
    ]
    listed = {"roomId": 1000, "numberOfPlayers": 3, "expert": True, "currentPlayers": 1}
    assert bob.say({"type": "GetPublicRooms"}) == [{"type": "PublicRooms", "publicRooms": [listed]}]
    for fields, found in (
        ({"numberOfPlayers": 3}, 1),
        ({"numberOfPlayers": 2}, 0),
        ({"expert": True}, 1),
        ({"expert": False}, 0),
        ({"numberOfPlayers": 3, "expert": None}, 1),
    ):
        assert len(bob.say({"type": "GetPublicRooms", **fields})[0]["publicRooms"]) == found
    assert word(bob.say({"type": "GetPublicRooms", "numberOfPlayers": 5})) == "ROOM_BAD_SEATS"
    assert bob.say({"type": "AccessRoom", "roomId": 1000}) == [
        ACK,
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
        {"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1},
    ]
    assert ann.received() == [{"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1}]


def test_a_private_room_is_not_listed_and_can_be_entered_by_its_number() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "isPrivate": True})
    assert bob.say({"type": "Login", "username": "bob"})[1]["publicRooms"] == []
    assert bob.say({"type": "AccessRoom", "roomId": 1000})[0] == ACK


def test_rooms_that_cannot_be_entered_are_refused() -> None:
    house = House()
    ann = house.connect(EVENTS)
    create = {"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": False}
    assert word(ann.say(create)) == "SESSION_NONE"
    assert word(ann.say({"type": "AccessRoom", "roomId": 1000})) == "SESSION_NONE"
    ann.say({"type": "Login", "username": "ann"})
    assert word(ann.say({**create, "numberOfPlayers": 5})) == "ROOM_BAD_SEATS"
    for number in (77, 0, -1, 10**40):
        assert word(ann.say({"type": "AccessRoom", "roomId": number})) == "ROOM_UNKNOWN"
    assert word(ann.say({"type": "LeaveRoom"})) == "ROOM_NOT_SEATED"
    assert word(ann.say(event(1, assistantCardValue=3))) == "ROOM_NOT_SEATED"
    ann.say(create)
    assert word(ann.say(create)) == "ROOM_SEATED"
    assert word(ann.say({"type": "Logout"})) == "ROOM_SEATED"
    assert word(ann.say({"type": "LeaveRoom"})) == "ROOM_NOT_FINISHED"
    assert word(ann.say(event(1, assistantCardValue=3))) == "ROOM_NOT_STARTED"


def test_a_started_room_is_closed_to_others_and_not_listed() -> None:
    seats = Seats(EVENTS, EVENTS)
    dan = seats.house.connect(EVENTS)
    assert dan.say({"type": "Login", "username": "dan"})[1]["publicRooms"] == []
    assert word(dan.say({"type": "AccessRoom", "roomId": 1000})) == "ROOM_STARTED"


def test_a_table_of_the_status_dialect_is_not_listed_before_its_size_is_known() -> None:
    house = House()
    first = house.connect(STATUS)
    first.say(b"ann")
    dan = house.connect(EVENTS)
    assert dan.say({"type": "Login", "username": "dan"})[1]["publicRooms"] == []
    assert word(dan.say({"type": "AccessRoom", "roomId": 1000})) == "ROOM_WRONG_DIALECT"
    first.say({"numPlayers": 3, "gameMode": "simple"})
    assert len(dan.say({"type": "GetPublicRooms"})[0]["publicRooms"]) == 1


# --- the start -------------------------------------------------------------------------------------------------------


def test_the_start_in_its_order() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": True, "private": False})
    bob.say({"type": "Login", "username": "bob"})
    received = bob.say({"type": "AccessRoom", "roomId": 1000})[3:]
    kinds = [kind for place, kind in enumerate(types(received)) if place == 0 or types(received)[place - 1] != kind]
    order = ["StartGame", "MoveMotherNature", "AddStudentTo", "NotifyCharacterCard", "AddStudentTo", "AddCoin"]
    assert kinds == [*order, "AddStudentTo", "ChangePhase", "ChangeTurn"]
    places = [message["where"].partition(":")[0] for message in received if message["type"] == "AddStudentTo"]
    held = places.count("CARD")
    assert places == ["ISLAND"] * 10 + ["CARD"] * held + ["ENTRANCE"] * 14 + ["CLOUD"] * 6
    assert received[-2] == {"type": "ChangePhase", "phase": "PLANNING_PHASE"}
    assert ann.received()[1:] == received


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_disconnected_player_is_announced_and_returns_by_logging_in() -> None:
    state = board(
        3,
        cards=(5, 1),
        halls={1: (1, 0, 0, 0, 0)},
        towers={12: Tower.BLACK, 1: Tower.BLACK, 2: Tower.BLACK, 5: Tower.WHITE},
        students={1: (1, 0, 0, 0, 0), 12: (0, 1, 0, 0, 0)},
        mother=6,
    )
    state = joined(with_view(state, professors=(Seat(1), None, None, None, None)), (1, 2, 12))
    groups = tuple(Group(g.tiles, 2) if g.tiles == (3,) else g for g in state.view.groups)
    seats = Seats(EVENTS, EVENTS, EVENTS, position=with_card(with_view(state, groups=groups), 5, no_entry=2))
    seats.house.lose(seats.lines[2])
    assert seats.received(0) == [{"type": "PlayerDisconnect", "player": "cid"}]
    again = seats.house.connect(EVENTS)
    received = again.say({"type": "Login", "username": "cid"})
    assert received[:5] == [
        ACK,
        {"type": "RoomId", "roomId": 1000},
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
        {"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1},
        {"type": "AddPlayer", "player": "cid", "color": "GREY", "position": 2},
    ]
    assert received[5:9] == [
        {"type": "StartGame"},
        {"type": "MergeIslands", "firstIsland": 0, "secondIsland": 1},
        {"type": "MergeIslands", "firstIsland": 0, "secondIsland": 10},
        {"type": "MoveMotherNature", "destination": 4},
    ]
    assert added("ISLAND:0", "GREEN") in received
    assert added("ISLAND:0", "RED") in received
    assert added("DININGROOM:1", "GREEN") in received
    assert received.count({"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:0"}) == 3
    assert received.count({"type": "MoveTower", "from": "PLAYER:1", "to": "ISLAND:3"}) == 1
    assert received.count({"type": "NoEntry", "add": True, "islandIndex": 1}) == 2
    assert received.count({"type": "AddCoin", "player": "bob"}) == 10
    assert {"type": "SetProfessorTo", "professor": "GREEN", "player": "bob"} in received
    assert received[-2:] == [
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        {"type": "ChangeTurn", "player": "ann"},
    ]
    assert seats.received(0) == [{"type": "AddPlayer", "player": "cid", "color": "GREY", "position": 2}]
    assert word(seats.house.connect(EVENTS).say({"type": "Login", "username": "cid"})) == "NAME_TAKEN"


def test_leaving_a_waiting_room_is_announced_once() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 3, "expert": False, "private": False})
    bob.say({"type": "Login", "username": "bob"})
    bob.say({"type": "AccessRoom", "roomId": 1000})
    ann.received()
    room = house.rooms[RoomId(1000)]
    house.step(room, [Away(Seat(1))])
    house.step(room, [Left(Seat(1), "bob", "gone")])
    house.settle()
    assert ann.received() == [{"type": "PlayerDisconnect", "player": "bob"}]
    house.step(room, [Joined(Seat(1), "cid", choice={"mage": "MAGE2", "tower": "WHITE"})])
    house.step(room, [Left(Seat(1), "cid", "left")])
    house.settle()
    assert types(ann.received()) == ["AddPlayer", "PlayerDisconnect"]


def test_the_turn_of_a_disconnected_player_is_skipped() -> None:
    seats = Seats(EVENTS, EVENTS, EVENTS, position=board(3))
    seats.house.lose(seats.lines[0])
    seats.quiet()
    seats.house.deadline(seats.room)
    assert seats.received(1) == [
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
    ]


def test_a_paused_game_refuses_moves_and_the_only_connected_player_wins() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    seats.quiet()
    assert word(seats.say(0, event(3, color="GREEN"))) == "PAUSED"
    seats.house.deadline(seats.room)
    assert seats.received(0) == [{"type": "EndGame", "winners": ["ann"]}]
