"""The dialect `eriantys.events`: every message, in both directions."""

from typing import Any

import pytest

from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import RoomId, Seat
from shared.rooms import Away, Joined, Left
from tests.support.eriantys_table import House
from tests.unit.dialects.eriantys.tables import EVENTS, STATUS, Seats, types
from tests.unit.games.eriantys.building import board, joined, with_card, with_seat, with_view

ACK = {"type": "Ack"}
FIRST = Seat(0)
GREEN_OF_FIRST = (FIRST, None, None, None, None)


def word(answer: list[Any]) -> str:
    """The code word of a refusal, which is all that is said."""
    assert types(answer) == ["Nack"]
    text: str = answer[0]["errorMessage"]
    return text.partition(":")[0]


def event(kind: str | int, **fields: Any) -> dict[str, Any]:
    return {"type": "GameEvent", "player": "ann", "eventType": kind, **fields}


def at(position: State) -> Seats:
    return Seats(EVENTS, EVENTS, position=position)


def student(source: str, to: str, color: str) -> dict[str, Any]:
    return {"type": "MoveStudent", "from": source, "to": to, "color": color}


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
    assert ann.told() == [{"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1}]


def test_a_private_room_is_not_listed_and_can_be_entered_by_its_number() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "isPrivate": True})
    assert bob.say({"type": "Login", "username": "bob"})[1]["publicRooms"] == []
    assert bob.say({"type": "AccessRoom", "roomId": 1000})[0] == ACK


def test_what_cannot_be_entered_is_refused() -> None:
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
    told = bob.say({"type": "AccessRoom", "roomId": 1000})[3:]
    kinds = [kind for place, kind in enumerate(types(told)) if place == 0 or types(told)[place - 1] != kind]
    order = ["StartGame", "MoveMotherNature", "AddStudentTo", "NotifyCharacterCard", "AddStudentTo", "AddCoin"]
    assert kinds == [*order, "AddStudentTo", "ChangePhase", "ChangeTurn"]
    places = [message["where"].partition(":")[0] for message in told if message["type"] == "AddStudentTo"]
    held = places.count("CARD")
    assert places == ["ISLAND"] * 10 + ["CARD"] * held + ["ENTRANCE"] * 14 + ["CLOUD"] * 6
    assert told[-2] == {"type": "ChangePhase", "phase": "PLANNING_PHASE"}
    assert ann.told()[1:] == told


# --- moves -----------------------------------------------------------------------------------------------------------


def test_assistants() -> None:
    seats = at(board(phase=Phase.PLANNING))
    played = {"type": "PlayAssistanCard", "assistantCard": 3, "player": "ann"}
    assert seats.say(0, event("PLAY_ASSISTANT_CARD", assistantCardValue=3)) == [
        played,
        {"type": "ChangeTurn", "player": "bob"},
        ACK,
    ]
    assert seats.told(1) == [played, {"type": "ChangeTurn", "player": "bob"}]
    assert seats.say(1, {"type": "GameEvent", "eventType": 1, "assistantCardValue": 2}) == [
        {"type": "PlayAssistanCard", "assistantCard": 2, "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        {"type": "ChangeTurn", "player": "bob"},
        ACK,
    ]


def test_a_student_to_the_table_with_coin_and_professor() -> None:
    seats = at(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}))
    assert seats.say(0, event("MOVE_STUDENT_FROM_ENTRANCE_TO_TABLE", color="GREEN")) == [
        student("ENTRANCE:0", "DININGROOM:0", "GREEN"),
        {"type": "AddCoin", "player": "ann"},
        {"type": "SetProfessorTo", "professor": "GREEN", "player": "ann"},
        ACK,
    ]


@pytest.mark.parametrize("kind", ["MOVE_STUDENT_FROM_ENTRANCE_TO_ISLAND", "MOVE_STUDENTS_FROM_ENTRANCE_TO_ISLAND", 2])
def test_a_student_to_an_island_lies_on_the_lowest_tile_of_the_group(kind: str | int) -> None:
    seats = at(with_view(joined(board(), (3, 4)), moves=1))
    assert seats.say(0, event(kind, color="RED", islandIndex=2)) == [
        student("ENTRANCE:0", "ISLAND:2", "RED"),
        {"type": "ChangePhase", "phase": "ACTION_PHASE_TWO"},
        ACK,
    ]
    assert seats.room.state.view.tiles[2].students == (0, 1, 0, 0, 0)


def test_mother_nature_conquers_and_merges() -> None:
    state = board(
        phase=Phase.MOTHER,
        students={3: (3, 0, 0, 0, 0)},
        towers={2: Tower.BLACK, 3: Tower.WHITE, 4: Tower.WHITE, 5: Tower.BLACK},
    )
    seats = at(with_view(joined(state, (3, 4)), professors=GREEN_OF_FIRST))
    assert seats.say(0, event("MOVE_MOTHER_NATURE", moveAmount=2)) == [
        {"type": "MoveMotherNature", "destination": 2},
        {"type": "MoveTower", "from": "ISLAND:2", "to": "PLAYER:1"},
        {"type": "MoveTower", "from": "ISLAND:2", "to": "PLAYER:1"},
        {"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:2"},
        {"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:2"},
        {"type": "MergeIslands", "firstIsland": 1, "secondIsland": 2},
        {"type": "MergeIslands", "firstIsland": 1, "secondIsland": 2},
        {"type": "MoveMotherNature", "destination": 1},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_THREE"},
        ACK,
    ]


def test_mother_nature_is_not_moved_twice_when_her_number_stays() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK})
    told = at(with_view(state, professors=GREEN_OF_FIRST)).say(0, event(4, moveAmount=1))
    assert types(told).count("MoveMotherNature") == 1


def test_a_no_entry_tile_stops_the_resolution() -> None:
    groups = tuple(Group((n,), no_entry=1 if n == 2 else 0) for n in range(1, 13))
    seats = at(with_card(with_view(board(phase=Phase.MOTHER, cards=(5,)), groups=groups), 5, no_entry=3))
    assert seats.say(0, event(4, moveAmount=1))[1] == {"type": "NoEntry", "add": False, "islandIndex": 1}


@pytest.mark.parametrize("kind", ["CHOOSE_CLOUD_TILE", "CHOOSE_CLOUD", 5])
def test_a_cloud_ends_the_turn(kind: str | int) -> None:
    assert at(board(phase=Phase.CLOUD)).say(0, event(kind, cloudIndex=1)) == [
        student("CLOUD:1", "ENTRANCE:0", "GREEN"),
        student("CLOUD:1", "ENTRANCE:0", "RED"),
        student("CLOUD:1", "ENTRANCE:0", "YELLOW"),
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        ACK,
    ]


def test_the_last_cloud_of_a_round_refills_and_plans() -> None:
    state = with_view(board(phase=Phase.CLOUD), turn=Seat(1), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0)))
    seats = at(state)
    told = seats.say(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 1})
    assert types(told) == ["MoveStudent", *["AddStudentTo"] * 6, "ChangePhase", "ChangeTurn", "Ack"]


def test_a_round_without_clouds_has_no_third_phase() -> None:
    told = at(board(phase=Phase.MOTHER, dry=True)).say(0, event(4, moveAmount=1))
    assert told[1:] == [
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        ACK,
    ]


def test_a_failed_refill_puts_nothing_on_the_clouds() -> None:
    state = with_view(
        board(phase=Phase.CLOUD), turn=Seat(1), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0)), bag=(1, 0, 0, 0, 0)
    )
    told = at(state).say(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 1})
    assert types(told) == ["MoveStudent", "ChangePhase", "ChangeTurn", "Ack"]


def test_the_end_and_leaving() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1))
    told = seats.say(0, event(4, moveAmount=1))
    assert told[-2:] == [{"type": "EndGame", "winners": ["ann"]}, ACK]
    assert "ChangePhase" not in types(told)
    assert word(seats.say(0, event(5, cloudIndex=0))) == "OVER"
    assert word(seats.say(0, {"type": "Logout"})) == "ROOM_SEATED"
    assert seats.say(0, {"type": "LeaveRoom"}) == [ACK]
    create = {"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": False}
    assert seats.say(0, create)[1] == {"type": "RoomId", "roomId": 1001}
    assert seats.say(1, {"type": "LeaveRoom"}) == [ACK]
    assert seats.say(1, {"type": "Logout"}) == [ACK]


def test_joint_winners_are_all_named() -> None:
    state = with_view(board(phase=Phase.CLOUD, last_round="bag"), turn=Seat(1))
    told = at(state).say(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 0})
    assert told[-2] == {"type": "EndGame", "winners": ["ann", "bob"]}


# --- characters ------------------------------------------------------------------------------------------------------


def activated(seats: Seats, number: int, price: int) -> None:
    told = seats.say(0, event("ACTIVATE_CHARACTER_CARD", activatedCard=number))
    paid = [{"type": "RemoveCoin", "player": "ann"}] * price
    assert told == [{"type": "ActivateCharacterCard", "characterCard": number, "player": "ann"}, *paid, ACK]


def test_a_character_that_asks_for_nothing() -> None:
    seats = at(board(phase=Phase.MOTHER, cards=(4,)))
    activated(seats, 4, 1)
    assert seats.say(0, event(4, moveAmount=5))[-1] == ACK


def test_the_monk_in_two_steps() -> None:
    seats = at(board(cards=(1,)))
    activated(seats, 1, 1)
    assert word(seats.say(0, event(3, color="GREEN"))) == "CHOICE_OWED"
    told = seats.say(0, event("MOVE_STUDENT_FROM_CARD_TO_ISLAND", color="GREEN", islandIndex=4))
    assert told[0] == student("CARD:1", "ISLAND:4", "GREEN")
    assert told[1]["where"] == "CARD:1"
    assert told[2] == ACK


def test_the_herald_and_the_herbalist_choose_islands() -> None:
    state = board(cards=(3, 5), students={4: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    activated(seats, 3, 3)
    assert seats.say(0, event("CHOOSE_ISLAND", islandIndex=3)) == [
        {"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:3"},
        ACK,
    ]
    blocking = at(board(cards=(5,)))
    activated(blocking, 5, 2)
    assert word(blocking.say(0, event(9, islandIndex=12))) == "NO_SUCH_ISLAND"
    assert blocking.say(0, event(9, islandIndex=11)) == [{"type": "NoEntry", "add": True, "islandIndex": 11}, ACK]


def test_the_heralds_merge_tells_mother_natures_new_number() -> None:
    state = board(cards=(3,), students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK}, mother=5)
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    activated(seats, 3, 3)
    assert seats.say(0, event(9, islandIndex=1))[-3:] == [
        {"type": "MergeIslands", "firstIsland": 1, "secondIsland": 2},
        {"type": "MoveMotherNature", "destination": 3},
        ACK,
    ]


def test_swaps_of_the_jester_and_how_they_end() -> None:
    seats = at(board(cards=(7,)))
    activated(seats, 7, 1)
    assert word(seats.say(0, event("END_SELECTION"))) == "CHOICE_OWED"
    assert word(seats.say(0, event(11, color="GREEN", color2="GREEN"))) == "NO_CHOICE"
    assert seats.say(0, event("SWAP_STUDENT_CARD_ENTRANCE", color="YELLOW", color2="GREEN")) == [
        student("CARD:7", "ENTRANCE:0", "YELLOW"),
        student("ENTRANCE:0", "CARD:7", "GREEN"),
        ACK,
    ]
    assert seats.say(0, event("END_SELECTION")) == [ACK]
    assert word(seats.say(0, event(10, color="PINK", color2="RED"))) == "NO_CHOICE"


def test_another_action_ends_the_swaps() -> None:
    seats = at(board(cards=(7,)))
    activated(seats, 7, 1)
    seats.say(0, event(10, color="YELLOW", color2="GREEN"))
    assert seats.say(0, event(3, color="RED"))[-1] == ACK
    assert word(seats.say(0, event(10, color="PINK", color2="RED"))) == "NO_CHOICE"


def test_swaps_of_the_minstrel() -> None:
    seats = at(board(cards=(10,), halls={0: (0, 1, 0, 0, 0)}))
    activated(seats, 10, 1)
    assert seats.say(0, event("SWAP_STUDENT_ENTRANCE_TABLE", color="GREEN", color2="RED")) == [
        student("DININGROOM:0", "ENTRANCE:0", "RED"),
        student("ENTRANCE:0", "DININGROOM:0", "GREEN"),
        {"type": "SetProfessorTo", "professor": "GREEN", "player": "ann"},
        ACK,
    ]


@pytest.mark.parametrize("kind", ["CHOOSE_COLOR", 8, "MOVE_STUDENT_FROM_CARD_TO_TABLE"])
def test_the_princess_and_her_own_event(kind: str | int) -> None:
    seats = at(board(cards=(11,)))
    activated(seats, 11, 2)
    told = seats.say(0, event(kind, color="GREEN"))
    assert told[0] == student("CARD:11", "DININGROOM:0", "GREEN")
    assert types(told) == ["MoveStudent", "SetProfessorTo", "AddStudentTo", "Ack"]


def test_the_princess_own_event_is_no_answer_to_others() -> None:
    seats = at(board(cards=(9, 12), halls={1: (4, 0, 0, 0, 0)}))
    activated(seats, 9, 3)
    assert word(seats.say(0, event("MOVE_STUDENT_FROM_CARD_TO_TABLE", color="GREEN"))) == "NO_CHOICE"
    assert word(
        seats.say(1, {"type": "GameEvent", "eventType": "MOVE_STUDENT_FROM_CARD_TO_TABLE", "color": "RED"})
    ) == ("NOT_YOUR_TURN")
    assert seats.say(0, event(8, color="GREEN")) == [ACK]


def test_the_thief_moves_students_to_the_bag() -> None:
    state = board(cards=(12,), halls={0: (1, 0, 0, 0, 0), 1: (4, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=(Seat(1), None, None, None, None)))
    activated(seats, 12, 3)
    assert seats.say(0, event(8, color="GREEN")) == [
        student("DININGROOM:0", "BAG", "GREEN"),
        *[student("DININGROOM:1", "BAG", "GREEN")] * 3,
        ACK,
    ]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "message", "expected"),
    [
        (board(phase=Phase.PLANNING), event(1, assistantCardValue=5), "ASSISTANT_GONE"),
        (board(phase=Phase.PLANNING), event(1, assistantCardValue=11), "NO_SUCH_ASSISTANT"),
        (board(), event(1, assistantCardValue=3), "WRONG_PHASE"),
        (board(), event(2, color="GREEN", islandIndex=-1), "NO_SUCH_ISLAND"),
        (board(), event(2, color="GREEN", islandIndex=12), "NO_SUCH_ISLAND"),
        (board(halls={0: (10, 0, 0, 0, 0)}), event(3, color="GREEN"), "ROW_FULL"),
        (board(phase=Phase.MOTHER), event(4, moveAmount=0), "STEPS"),
        (board(phase=Phase.MOTHER), event(4, moveAmount=10**30), "STEPS"),
        (board(phase=Phase.CLOUD), event(5, cloudIndex=2), "NO_SUCH_CLOUD"),
        (board(), event(6, activatedCard=1), "SIMPLE_GAME"),
        (board(cards=(4,)), event(6, activatedCard=13), "NO_SUCH_CARD"),
        (board(cards=(10,)), event(6, activatedCard=10), "CARD_USELESS"),
        (with_seat(board(cards=(10,)), 0, coins=0), event(6, activatedCard=10), "NO_COINS"),
        (board(cards=(9,)), event(8, color="RED"), "NO_CHOICE"),
    ],
)
def test_what_the_rules_refuse(position: State, message: dict[str, Any], expected: str) -> None:
    seats = at(position)
    assert word(seats.say(0, message)) == expected
    assert seats.told(1) == []
    assert seats.room.state == position


def test_out_of_turn_the_sender_is_told_whose_turn_it_is() -> None:
    seats = at(board())
    answer = seats.say(1, {"type": "GameEvent", "player": "bob", "eventType": 3, "color": "GREEN"})
    assert answer == [{"type": "Nack", "errorMessage": "NOT_YOUR_TURN: it is ann's turn"}]


def test_nobody_speaks_for_another() -> None:
    assert word(at(board()).say(0, {**event(3, color="GREEN"), "player": "bob"})) == "BAD_ARGUMENTS"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"null",
        b"[]",
        b"17",
        b'"Login"',
        b"{",
        b"\xff\xfe",
        b"{}",
        b'{"type":"Fly"}',
        b'{"type":"Login"}',
        b'{"type":"Login","username":null}',
        b'{"type":"Login","username":7}',
        b'{"type":"AccessRoom","roomId":"1000"}',
        b'{"type":"AccessRoom","roomId":1.5}',
        b'{"type":"AccessRoom","roomId":true}',
        b'{"type":"CreateRoom","numberOfPlayers":2,"expert":false}',
        b'{"type":"CreateRoom","numberOfPlayers":2,"private":false}',
        b'{"type":"GameEvent","eventType":"DANCE"}',
        b'{"type":"GameEvent","eventType":12}',
        b'{"type":"GameEvent","eventType":1.0}',
        b'{"type":"GameEvent","color":"GREEN"}',
        b'{"type":"GameEvent","eventType":3}',
        b'{"type":"GameEvent","eventType":3,"color":"PURPLE"}',
        b'{"type":"GameEvent","eventType":2,"color":"GREEN","islandIndex":"1"}',
        b'{"type":"Logout","x":' + b"[" * 5000 + b"}",
    ],
)
def test_ill_formed_frames_are_refused(frame: bytes) -> None:
    assert word(at(board()).say(0, frame)) in ("FRAME_MALFORMED", "FRAME_UNKNOWN_TYPE")


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_lost_player_is_announced_and_comes_back_by_logging_in() -> None:
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
    assert seats.told(0) == [{"type": "PlayerDisconnect", "player": "cid"}]
    again = seats.house.connect(EVENTS)
    told = again.say({"type": "Login", "username": "cid"})
    assert told[:5] == [
        ACK,
        {"type": "RoomId", "roomId": 1000},
        {"type": "AddPlayer", "player": "ann", "color": "BLACK", "position": 0},
        {"type": "AddPlayer", "player": "bob", "color": "WHITE", "position": 1},
        {"type": "AddPlayer", "player": "cid", "color": "GREY", "position": 2},
    ]
    assert told[5:9] == [
        {"type": "StartGame"},
        {"type": "MergeIslands", "firstIsland": 0, "secondIsland": 1},
        {"type": "MergeIslands", "firstIsland": 0, "secondIsland": 10},
        {"type": "MoveMotherNature", "destination": 4},
    ]
    assert added("ISLAND:0", "GREEN") in told
    assert added("ISLAND:0", "RED") in told
    assert added("DININGROOM:1", "GREEN") in told
    assert told.count({"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:0"}) == 3
    assert told.count({"type": "MoveTower", "from": "PLAYER:1", "to": "ISLAND:3"}) == 1
    assert told.count({"type": "NoEntry", "add": True, "islandIndex": 1}) == 2
    assert told.count({"type": "AddCoin", "player": "bob"}) == 10
    assert {"type": "SetProfessorTo", "professor": "GREEN", "player": "bob"} in told
    assert told[-2:] == [{"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"}, {"type": "ChangeTurn", "player": "ann"}]
    assert seats.told(0) == [{"type": "AddPlayer", "player": "cid", "color": "GREY", "position": 2}]
    assert word(seats.house.connect(EVENTS).say({"type": "Login", "username": "cid"})) == "NAME_TAKEN"


def test_who_leaves_a_waiting_room_is_announced_once() -> None:
    house = House()
    ann, bob = house.connect(EVENTS), house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 3, "expert": False, "private": False})
    bob.say({"type": "Login", "username": "bob"})
    bob.say({"type": "AccessRoom", "roomId": 1000})
    ann.told()
    room = house.rooms[RoomId(1000)]
    house.step(room, [Away(Seat(1))])
    house.step(room, [Left(Seat(1), "bob", "gone")])
    house.settle()
    assert ann.told() == [{"type": "PlayerDisconnect", "player": "bob"}]
    house.step(room, [Joined(Seat(1), "cid", choice={"mage": "MAGE2", "tower": "WHITE"})])
    house.step(room, [Left(Seat(1), "cid", "left")])
    house.settle()
    assert types(ann.told()) == ["AddPlayer", "PlayerDisconnect"]


def test_the_turn_of_a_lost_player_is_skipped() -> None:
    seats = Seats(EVENTS, EVENTS, EVENTS, position=board(3))
    seats.house.lose(seats.lines[0])
    seats.quiet()
    seats.house.deadline(seats.room)
    assert seats.told(1) == [
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
    ]


def test_a_paused_game_refuses_and_the_one_who_is_left_wins() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    seats.quiet()
    assert word(seats.say(0, event(3, color="GREEN"))) == "PAUSED"
    seats.house.deadline(seats.room)
    assert seats.told(0) == [{"type": "EndGame", "winners": ["ann"]}]
