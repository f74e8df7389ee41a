"""The dialect `eriantys.events`: taking a seat, the start, and returning."""

from typing import Any

from shared.games.eriantys.pieces import Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import Seat
from tests.support.eriantys_players import eriantys_cluster
from tests.support.memory_cluster import WORKER
from tests.support.party import FIRST_ROOM
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Seats, connect, nack_name, types
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
    client = connect(eriantys_cluster(), EVENTS)
    assert client.send({"type": "Login", "username": "ann"}) == [ACK, {"type": "PublicRooms", "publicRooms": []}]
    assert nack_name(client.send({"type": "Login", "username": "ann"})) == "SESSION_TWICE"


def test_a_name_is_unique_and_free_again_after_logout() -> None:
    cluster = eriantys_cluster()
    one, other = connect(cluster, EVENTS), connect(cluster, EVENTS)
    one.send({"type": "Login", "username": "ann"})
    assert nack_name(other.send({"type": "Login", "username": "ann"})) == "NAME_TAKEN"
    assert nack_name(other.send({"type": "Login", "username": " "})) == "NAME_BAD"
    assert nack_name(other.send({"type": "Logout"})) == "SESSION_NONE"
    assert one.send({"type": "Logout"}) == [ACK]
    assert other.send({"type": "Login", "username": "ann"})[0] == ACK


def test_a_room_is_created_listed_filtered_and_entered() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, EVENTS), connect(cluster, EVENTS)
    ann.send({"type": "Login", "username": "ann"})
    bob.send({"type": "Login", "username": "bob"})
    create = {"type": "CreateRoom", "numberOfPlayers": 3, "expert": True, "private": False}
    assert ann.send(create) == [
        ACK,
        {"type": "RoomId", "roomId": 1000},
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
    ]
    listed = {"roomId": 1000, "numberOfPlayers": 3, "expert": True, "currentPlayers": 1}
    assert bob.send({"type": "GetPublicRooms"}) == [{"type": "PublicRooms", "publicRooms": [listed]}]
    for fields, found in (
        ({"numberOfPlayers": 3}, 1),
        ({"numberOfPlayers": 2}, 0),
        ({"expert": True}, 1),
        ({"expert": False}, 0),
        ({"numberOfPlayers": 3, "expert": None}, 1),
    ):
        assert len(bob.send({"type": "GetPublicRooms", **fields})[0]["publicRooms"]) == found
    assert nack_name(bob.send({"type": "GetPublicRooms", "numberOfPlayers": 5})) == "ROOM_BAD_SEATS"
    assert bob.send({"type": "AccessRoom", "roomId": 1000}) == [
        ACK,
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
        {"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1},
    ]
    assert ann.received() == [{"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1}]


def test_a_private_room_is_not_listed_and_can_be_entered_by_its_number() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, EVENTS), connect(cluster, EVENTS)
    ann.send({"type": "Login", "username": "ann"})
    created = ann.send({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "isPrivate": True})
    assert bob.send({"type": "Login", "username": "bob"})[1]["publicRooms"] == []
    assert bob.send({"type": "AccessRoom", "roomId": created[1]["roomId"]})[0] == ACK


def test_rooms_that_cannot_be_entered_are_refused() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, EVENTS)
    create = {"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": False}
    assert nack_name(ann.send(create)) == "SESSION_NONE"
    assert nack_name(ann.send({"type": "AccessRoom", "roomId": 1000})) == "SESSION_NONE"
    ann.send({"type": "Login", "username": "ann"})
    assert nack_name(ann.send({**create, "numberOfPlayers": 5})) == "ROOM_BAD_SEATS"
    for number in (77, 0, -1, 10**40):
        assert nack_name(ann.send({"type": "AccessRoom", "roomId": number})) == "ROOM_UNKNOWN"
    assert nack_name(ann.send({"type": "LeaveRoom"})) == "ROOM_NOT_SEATED"
    assert nack_name(ann.send(event(1, assistantCardValue=3))) == "ROOM_NOT_SEATED"
    ann.send(create)
    assert nack_name(ann.send(create)) == "ROOM_SEATED"
    assert nack_name(ann.send({"type": "Logout"})) == "ROOM_SEATED"
    assert nack_name(ann.send({"type": "LeaveRoom"})) == "ROOM_NOT_FINISHED"
    assert nack_name(ann.send(event(1, assistantCardValue=3))) == "ROOM_NOT_STARTED"


def test_a_started_room_is_closed_to_others_and_not_listed() -> None:
    seats = Seats(EVENTS, EVENTS)
    dan = seats.connect(EVENTS)
    assert dan.send({"type": "Login", "username": "dan"})[1]["publicRooms"] == []
    assert nack_name(dan.send({"type": "AccessRoom", "roomId": 1000})) == "ROOM_STARTED"


def test_a_table_of_the_status_dialect_is_not_listed_before_its_size_is_known() -> None:
    cluster = eriantys_cluster()
    first = connect(cluster, STATUS)
    first.send(b"ann")
    dan = connect(cluster, EVENTS)
    assert dan.send({"type": "Login", "username": "dan"})[1]["publicRooms"] == []
    assert nack_name(dan.send({"type": "AccessRoom", "roomId": 1000})) == "ROOM_WRONG_DIALECT"
    first.send({"numPlayers": 3, "gameMode": "simple"})
    assert len(dan.send({"type": "GetPublicRooms"})[0]["publicRooms"]) == 1


# --- the start -------------------------------------------------------------------------------------------------------


def test_the_start_is_sent_in_a_fixed_order() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, EVENTS), connect(cluster, EVENTS)
    ann.send({"type": "Login", "username": "ann"})
    ann.send({"type": "CreateRoom", "numberOfPlayers": 2, "expert": True, "private": False})
    bob.send({"type": "Login", "username": "bob"})
    received = bob.send({"type": "AccessRoom", "roomId": 1000})[3:]
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
    seats.drop(2)
    assert seats.received(0) == [{"type": "PlayerDisconnect", "player": "cid"}]
    again = seats.connect(EVENTS)
    received = again.send({"type": "Login", "username": "cid"})
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
    assert nack_name(seats.connect(EVENTS).send({"type": "Login", "username": "cid"})) == "NAME_TAKEN"


def test_leaving_a_waiting_room_is_announced_once() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, EVENTS), connect(cluster, EVENTS)
    ann.send({"type": "Login", "username": "ann"})
    ann.send({"type": "CreateRoom", "numberOfPlayers": 3, "expert": False, "private": False})
    bob.send({"type": "Login", "username": "bob"})
    bob.send({"type": "AccessRoom", "roomId": 1000})
    ann.received()
    bob.drop()
    assert ann.received() == [{"type": "PlayerDisconnect", "player": "bob"}]
    cluster.advance(WORKER.grace_ms + 1_000)
    assert list(cluster.room(FIRST_ROOM).state.seats) == [0]
    assert ann.received() == []
    cid = connect(cluster, PROMPTS)
    cid.send({"type": "Join", "nickname": "cid", "mage": "MAGE2", "index": FIRST_ROOM})
    cid.send({"type": "Disconnect"})
    assert ann.received() == [
        {"type": "AddPlayer", "player": "cid", "color": "WHITE", "position": 1},
        {"type": "PlayerDisconnect", "player": "cid"},
    ]


def test_the_turn_of_a_disconnected_player_is_skipped() -> None:
    seats = Seats(EVENTS, EVENTS, EVENTS, position=board(3))
    seats.drop(0)
    seats.discard()
    seats.pass_deadlines()
    assert seats.received(1) == [
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
    ]


def test_a_paused_game_refuses_moves_and_the_only_connected_player_wins() -> None:
    seats = at(board())
    seats.drop(1)
    seats.discard()
    assert nack_name(seats.send(0, event(3, color="GREEN"))) == "PAUSED"
    seats.pass_deadlines()
    assert seats.received(0) == [{"type": "EndGame", "winners": ["ann"]}]
