"""The dialect `eriantys.events`: moves, characters, refusals, and the end."""

from typing import Any

import pytest

from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import Seat
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, Seats, nack_name, types
from tests.unit.shared.games.eriantys.positions import board, joined, with_card, with_seat, with_view

ACK = {"type": "Ack"}
FIRST = Seat(0)
GREEN_OF_FIRST = (FIRST, None, None, None, None)


def event(kind: str | int, **fields: Any) -> dict[str, Any]:
    return {"type": "GameEvent", "player": "ann", "eventType": kind, **fields}


def at(position: State) -> Seats:
    return Seats(EVENTS, EVENTS, position=position)


def student(source: str, to: str, color: str) -> dict[str, Any]:
    return {"type": "MoveStudent", "from": source, "to": to, "color": color}


# --- moves -----------------------------------------------------------------------------------------------------------


def test_an_assistant_passes_the_turn_and_the_last_one_begins_the_action_phase() -> None:
    seats = at(board(phase=Phase.PLANNING))
    played = {"type": "PlayAssistanCard", "assistantCard": 3, "player": "ann"}
    assert seats.send(0, event("PLAY_ASSISTANT_CARD", assistantCardValue=3)) == [
        played,
        {"type": "ChangeTurn", "player": "bob"},
        ACK,
    ]
    assert seats.received(1) == [played, {"type": "ChangeTurn", "player": "bob"}]
    assert seats.send(1, {"type": "GameEvent", "eventType": 1, "assistantCardValue": 2}) == [
        {"type": "PlayAssistanCard", "assistantCard": 2, "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        {"type": "ChangeTurn", "player": "bob"},
        ACK,
    ]


def test_a_student_on_the_table_earns_a_coin_and_the_professor() -> None:
    seats = at(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}))
    assert seats.send(0, event("MOVE_STUDENT_FROM_ENTRANCE_TO_TABLE", color="GREEN")) == [
        student("ENTRANCE:0", "DININGROOM:0", "GREEN"),
        {"type": "AddCoin", "player": "ann"},
        {"type": "SetProfessorTo", "professor": "GREEN", "player": "ann"},
        ACK,
    ]


@pytest.mark.parametrize("kind", ["MOVE_STUDENT_FROM_ENTRANCE_TO_ISLAND", "MOVE_STUDENTS_FROM_ENTRANCE_TO_ISLAND", 2])
def test_a_student_to_an_island_lies_on_the_lowest_tile_of_the_group(kind: str | int) -> None:
    seats = at(with_view(joined(board(), (3, 4)), moves=1))
    assert seats.send(0, event(kind, color="RED", islandIndex=2)) == [
        student("ENTRANCE:0", "ISLAND:2", "RED"),
        {"type": "ChangePhase", "phase": "ACTION_PHASE_TWO"},
        ACK,
    ]
    assert seats.position.view.tiles[2].students == (0, 1, 0, 0, 0)


def test_mother_nature_conquers_and_merges() -> None:
    state = board(
        phase=Phase.MOTHER,
        students={3: (3, 0, 0, 0, 0)},
        towers={2: Tower.BLACK, 3: Tower.WHITE, 4: Tower.WHITE, 5: Tower.BLACK},
    )
    seats = at(with_view(joined(state, (3, 4)), professors=GREEN_OF_FIRST))
    assert seats.send(0, event("MOVE_MOTHER_NATURE", moveAmount=2)) == [
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


def test_mother_nature_is_not_moved_twice_when_her_position_stays() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK})
    received = at(with_view(state, professors=GREEN_OF_FIRST)).send(0, event(4, moveAmount=1))
    assert types(received).count("MoveMotherNature") == 1


def test_a_no_entry_tile_stops_the_resolution() -> None:
    groups = tuple(Group((n,), no_entry=1 if n == 2 else 0) for n in range(1, 13))
    seats = at(with_card(with_view(board(phase=Phase.MOTHER, cards=(5,)), groups=groups), 5, no_entry=3))
    assert seats.send(0, event(4, moveAmount=1))[1] == {"type": "NoEntry", "add": False, "islandIndex": 1}


@pytest.mark.parametrize("kind", ["CHOOSE_CLOUD_TILE", "CHOOSE_CLOUD", 5])
def test_a_cloud_ends_the_turn(kind: str | int) -> None:
    assert at(board(phase=Phase.CLOUD)).send(0, event(kind, cloudIndex=1)) == [
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
    received = seats.send(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 1})
    assert types(received) == ["MoveStudent", *["AddStudentTo"] * 6, "ChangePhase", "ChangeTurn", "Ack"]


def test_a_round_without_clouds_has_no_third_phase() -> None:
    received = at(board(phase=Phase.MOTHER, dry=True)).send(0, event(4, moveAmount=1))
    assert received[1:] == [
        {"type": "ChangeTurn", "player": "bob"},
        {"type": "ChangePhase", "phase": "ACTION_PHASE_ONE"},
        ACK,
    ]


def test_a_failed_refill_puts_nothing_on_the_clouds() -> None:
    state = with_view(
        board(phase=Phase.CLOUD), turn=Seat(1), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0)), bag=(1, 0, 0, 0, 0)
    )
    received = at(state).send(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 1})
    assert types(received) == ["MoveStudent", "ChangePhase", "ChangeTurn", "Ack"]


def test_the_players_leave_the_room_after_the_end() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1))
    received = seats.send(0, event(4, moveAmount=1))
    assert received[-2:] == [{"type": "EndGame", "winners": ["ann"]}, ACK]
    assert "ChangePhase" not in types(received)
    assert nack_name(seats.send(0, event(5, cloudIndex=0))) == "OVER"
    assert nack_name(seats.send(0, {"type": "Logout"})) == "ROOM_SEATED"
    assert seats.send(0, {"type": "LeaveRoom"}) == [ACK]
    create = {"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": False}
    assert seats.send(0, create)[1] == {"type": "RoomId", "roomId": 1001}
    assert seats.send(1, {"type": "LeaveRoom"}) == [ACK]
    assert seats.send(1, {"type": "Logout"}) == [ACK]


def test_joint_winners_are_all_named() -> None:
    state = with_view(board(phase=Phase.CLOUD, last_round="bag"), turn=Seat(1))
    received = at(state).send(1, {"type": "GameEvent", "eventType": 5, "cloudIndex": 0})
    assert received[-2] == {"type": "EndGame", "winners": ["ann", "bob"]}


# --- characters ------------------------------------------------------------------------------------------------------


def activated(seats: Seats, number: int, price: int) -> None:
    received = seats.send(0, event("ACTIVATE_CHARACTER_CARD", activatedCard=number))
    paid = [{"type": "RemoveCoin", "player": "ann"}] * price
    assert received == [{"type": "ActivateCharacterCard", "characterCard": number, "player": "ann"}, *paid, ACK]


def test_a_character_without_a_choice_takes_effect_at_once() -> None:
    seats = at(board(phase=Phase.MOTHER, cards=(4,)))
    activated(seats, 4, 1)
    assert seats.send(0, event(4, moveAmount=5))[-1] == ACK


def test_the_monk_is_played_in_two_steps() -> None:
    seats = at(board(cards=(1,)))
    activated(seats, 1, 1)
    assert nack_name(seats.send(0, event(3, color="GREEN"))) == "CHOICE_OWED"
    received = seats.send(0, event("MOVE_STUDENT_FROM_CARD_TO_ISLAND", color="GREEN", islandIndex=4))
    assert received[0] == student("CARD:1", "ISLAND:4", "GREEN")
    assert received[1]["where"] == "CARD:1"
    assert received[2] == ACK


def test_the_herald_and_the_herbalist_choose_islands() -> None:
    state = board(cards=(3, 5), students={4: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    activated(seats, 3, 3)
    assert seats.send(0, event("CHOOSE_ISLAND", islandIndex=3)) == [
        {"type": "MoveTower", "from": "PLAYER:0", "to": "ISLAND:3"},
        ACK,
    ]
    blocking = at(board(cards=(5,)))
    activated(blocking, 5, 2)
    assert nack_name(blocking.send(0, event(9, islandIndex=12))) == "NO_SUCH_ISLAND"
    assert blocking.send(0, event(9, islandIndex=11)) == [{"type": "NoEntry", "add": True, "islandIndex": 11}, ACK]


def test_the_heralds_merge_sends_mother_natures_new_position() -> None:
    state = board(cards=(3,), students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK}, mother=5)
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    activated(seats, 3, 3)
    assert seats.send(0, event(9, islandIndex=1))[-3:] == [
        {"type": "MergeIslands", "firstIsland": 1, "secondIsland": 2},
        {"type": "MoveMotherNature", "destination": 3},
        ACK,
    ]


def test_the_jester_swaps_students_until_the_selection_ends() -> None:
    seats = at(board(cards=(7,)))
    activated(seats, 7, 1)
    assert nack_name(seats.send(0, event("END_SELECTION"))) == "CHOICE_OWED"
    assert nack_name(seats.send(0, event(11, color="GREEN", color2="GREEN"))) == "NO_CHOICE"
    assert seats.send(0, event("SWAP_STUDENT_CARD_ENTRANCE", color="YELLOW", color2="GREEN")) == [
        student("CARD:7", "ENTRANCE:0", "YELLOW"),
        student("ENTRANCE:0", "CARD:7", "GREEN"),
        ACK,
    ]
    assert seats.send(0, event("END_SELECTION")) == [ACK]
    assert nack_name(seats.send(0, event(10, color="PINK", color2="RED"))) == "NO_CHOICE"


def test_another_action_ends_the_swaps() -> None:
    seats = at(board(cards=(7,)))
    activated(seats, 7, 1)
    seats.send(0, event(10, color="YELLOW", color2="GREEN"))
    assert seats.send(0, event(3, color="RED"))[-1] == ACK
    assert nack_name(seats.send(0, event(10, color="PINK", color2="RED"))) == "NO_CHOICE"


def test_the_minstrel_swaps_students_of_entrance_and_table() -> None:
    seats = at(board(cards=(10,), halls={0: (0, 1, 0, 0, 0)}))
    activated(seats, 10, 1)
    assert seats.send(0, event("SWAP_STUDENT_ENTRANCE_TABLE", color="GREEN", color2="RED")) == [
        student("DININGROOM:0", "ENTRANCE:0", "RED"),
        student("ENTRANCE:0", "DININGROOM:0", "GREEN"),
        {"type": "SetProfessorTo", "professor": "GREEN", "player": "ann"},
        ACK,
    ]


@pytest.mark.parametrize("kind", ["CHOOSE_COLOR", 8, "MOVE_STUDENT_FROM_CARD_TO_TABLE"])
def test_the_princess_takes_either_event(kind: str | int) -> None:
    seats = at(board(cards=(11,)))
    activated(seats, 11, 2)
    received = seats.send(0, event(kind, color="GREEN"))
    assert received[0] == student("CARD:11", "DININGROOM:0", "GREEN")
    assert types(received) == ["MoveStudent", "SetProfessorTo", "AddStudentTo", "Ack"]


def test_the_princess_own_event_is_no_answer_to_others() -> None:
    seats = at(board(cards=(9, 12), halls={1: (4, 0, 0, 0, 0)}))
    activated(seats, 9, 3)
    assert nack_name(seats.send(0, event("MOVE_STUDENT_FROM_CARD_TO_TABLE", color="GREEN"))) == "NO_CHOICE"
    assert nack_name(
        seats.send(1, {"type": "GameEvent", "eventType": "MOVE_STUDENT_FROM_CARD_TO_TABLE", "color": "RED"})
    ) == ("NOT_YOUR_TURN")
    assert seats.send(0, event(8, color="GREEN")) == [ACK]


def test_the_thief_moves_students_to_the_bag() -> None:
    state = board(cards=(12,), halls={0: (1, 0, 0, 0, 0), 1: (4, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=(Seat(1), None, None, None, None)))
    activated(seats, 12, 3)
    assert seats.send(0, event(8, color="GREEN")) == [
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
def test_illegal_moves_are_refused_with_their_code(position: State, message: dict[str, Any], expected: str) -> None:
    seats = at(position)
    assert nack_name(seats.send(0, message)) == expected
    assert seats.received(1) == []
    assert seats.position == seats.arranged


def test_a_move_out_of_turn_is_refused_with_the_name_of_the_player_in_turn() -> None:
    seats = at(board())
    answer = seats.send(1, {"type": "GameEvent", "player": "bob", "eventType": 3, "color": "GREEN"})
    assert answer == [{"type": "Nack", "errorMessage": "NOT_YOUR_TURN: it is ann's turn"}]


def test_a_move_in_the_name_of_another_player_is_refused() -> None:
    assert nack_name(at(board()).send(0, {**event(3, color="GREEN"), "player": "bob"})) == "BAD_ARGUMENTS"


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
def test_malformed_frames_are_refused(frame: bytes) -> None:
    assert nack_name(at(board()).send(0, frame)) in ("FRAME_MALFORMED", "FRAME_UNKNOWN_TYPE")
