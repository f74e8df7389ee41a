"""`eriantys.events` with `compat=group3`: the messages of the Group 3 programs, and answers that leave none stuck."""

from typing import Any

import msgspec
import pytest

from gateway.dialects.eriantys.events import compat_messages, java_classes
from gateway.transports.java_stream.plain import from_plain, to_plain
from loadtest.clients.eriantys import GROUP3
from shared.games.eriantys.pieces import Phase, Tower
from shared.games.eriantys.state import State
from shared.room_events import Closed
from tests.support.eriantys_players import LISTENERS, eriantys_cluster
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, Client, Seats, connect, types
from tests.unit.shared.games.eriantys.positions import board, with_card

ACK = {"type": "Ack"}
CREATE = {"type": "CreateRoom", "numberOfPlayers": 2, "expert": True, "isPrivate": False}
ANY_ROOM = {"type": "GetPublicRooms", "numberOfPlayers": -1, "expert": None}


def at(position: State) -> Seats:
    return Seats(GROUP3, GROUP3, position=position)


def logged_in(name: str = "ann") -> Client:
    client = connect(eriantys_cluster(), GROUP3)
    client.send({"type": "Login", "username": name})
    return client


def move(event: str, seat: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": event, "playerNumber": seat, **fields}


# --- the table of classes --------------------------------------------------------------------------------------------


def test_every_message_of_the_mode_has_a_class_in_the_tables() -> None:
    to_client = {kind.__struct_config__.tag for kind in compat_messages.ToGroup3.__args__}
    from_client = {kind.__struct_config__.tag for kind in compat_messages.FromGroup3.__args__}
    assert to_client == set(java_classes.TO_CLIENT.messages)
    assert from_client == set(java_classes.FROM_CLIENT.messages)


@pytest.mark.parametrize("kind", compat_messages.ToGroup3.__args__, ids=lambda kind: kind.__name__)
def test_a_message_has_exactly_the_fields_of_its_class(kind: type[msgspec.Struct]) -> None:
    tag = str(kind.__struct_config__.tag)
    fields = {field.name for field in java_classes.TO_CLIENT.messages[tag].all_fields}
    assert set(kind.__struct_encode_fields__) == fields


@pytest.mark.parametrize("kind", compat_messages.FromGroup3.__args__, ids=lambda kind: kind.__name__)
def test_a_request_has_exactly_the_fields_of_its_class(kind: type[msgspec.Struct]) -> None:
    tag = str(kind.__struct_config__.tag)
    fields = {field.name for field in java_classes.FROM_CLIENT.messages[tag].all_fields}
    assert set(kind.__struct_encode_fields__) == fields


# --- rooms -----------------------------------------------------------------------------------------------------------


def test_a_created_room_is_answered_without_an_ack() -> None:
    answer = logged_in().send(CREATE)
    assert answer == [{"type": "RoomId", "id": 1000}, {"type": "AddPlayer", "username": "ann", "position": 0}]


def test_a_room_that_is_not_created_is_answered_with_a_negative_number() -> None:
    not_created = [{"type": "RoomId", "id": -1}]
    client = logged_in()
    assert client.send({**CREATE, "numberOfPlayers": 9}) == not_created
    client.send(CREATE)
    assert client.send(CREATE) == not_created
    assert connect(eriantys_cluster(), GROUP3).send(CREATE) == not_created


def test_rooms_are_listed_as_the_program_shows_them() -> None:
    client = logged_in()
    client.send(CREATE)
    room = {"id": 1000, "numberOfPlayers": 2, "currentPlayers": 1, "expert": True, "isPrivate": False}
    other = connect(client.memory.cluster, GROUP3)
    assert other.send({"type": "Login", "username": "bob"}) == [ACK, {"type": "PublicRooms", "rooms": [room]}]
    assert other.send(ANY_ROOM) == [{"type": "PublicRooms", "rooms": [room]}]
    assert other.send({**ANY_ROOM, "numberOfPlayers": 3}) == [{"type": "PublicRooms", "rooms": []}]
    assert other.send({**ANY_ROOM, "numberOfPlayers": 7}) == [{"type": "PublicRooms", "rooms": []}]
    assert other.send({**ANY_ROOM, "expert": False}) == [{"type": "PublicRooms", "rooms": []}]


def test_a_program_that_asks_too_often_gets_empty_lists_and_never_a_nack() -> None:
    client = logged_in()
    other = connect(client.memory.cluster, GROUP3)
    other.send({"type": "Login", "username": "bob"})
    other.send(CREATE)
    lists = [answer for _ in range(60) for answer in client.send(ANY_ROOM)]
    assert types(lists) == ["PublicRooms"] * 60
    assert len(lists[0]["rooms"]) == 1
    assert lists[-1]["rooms"] == []


def test_a_private_room_has_a_number_that_fits_the_program() -> None:
    answer = logged_in().send({**CREATE, "isPrivate": True})
    assert 100_000_000 <= answer[0]["id"] < 2**31


def test_refused_requests_are_answered_with_one_nack() -> None:
    client = logged_in()
    assert types(client.send({"type": "AccessRoom", "id": 7})) == ["Nack"]
    assert types(client.send({"type": "Login", "username": "bob"})) == ["Nack"]
    assert types(client.send(move("EndSelection"))) == ["Nack"]


# --- the game --------------------------------------------------------------------------------------------------------


def test_the_start_says_the_mode_and_numbers_characters_by_price() -> None:
    seats = Seats(GROUP3, GROUP3, position=board(cards=(1, 2, 12)))
    seats.drop(1)
    received = seats.connect(GROUP3).send({"type": "Login", "username": "bob"})
    assert {"type": "StartGame", "expert": True} in received
    assert [m["card"] for m in received if m["type"] == "NotifyCharacterCard"] == [0, 4, 11]
    assert {m["to"] for m in received if m["type"] == "AddStudentTo" and m["to"].startswith("CARD")} == {"CARD:0"}


@pytest.mark.parametrize(
    ("event", "phase", "shown"),
    [
        (
            move("MoveStudentFromEntranceToTableEvent", color="RED"),
            Phase.STUDENTS,
            {"type": "MoveStudent", "from": "ENTRANCE:0", "to": "DININGROOM:0", "color": "RED"},
        ),
        (
            move("MoveStudentFromEntranceToIslandEvent", color="RED", indexIsland=4),
            Phase.STUDENTS,
            {"type": "MoveStudent", "from": "ENTRANCE:0", "to": "ISLAND:4", "color": "RED"},
        ),
        (move("MoveMotherNatureEvent", amount=2), Phase.MOTHER, {"type": "MoveMotherNature", "position": 2}),
        (move("ChooseCloudEvent", cloudIndex=1), Phase.CLOUD, {"type": "ChangeTurn", "playingPlayer": 1}),
        (
            move("PlayAssistantCardEvent", ac="SEVEN"),
            Phase.PLANNING,
            {"type": "PlayAssistantCard", "assistantCard": "SEVEN", "player": 0},
        ),
    ],
    ids=lambda value: value.get("type") if isinstance(value, dict) else str(value),
)
def test_updates_come_before_the_ack(event: dict[str, Any], phase: Phase, shown: dict[str, Any]) -> None:
    seats = at(board(phase=phase))
    answer = seats.send(0, event)
    assert shown in answer
    assert answer[-1] == ACK
    assert answer.count(ACK) == 1
    assert ACK not in seats.received(1)


def test_the_program_pays_for_characters_by_itself() -> None:
    seats = at(board(cards=(11, 2, 3)))
    answer = seats.send(0, move("ActivateCharacterCardEvent", cardId=7))
    assert answer == [{"type": "ActivateCharacterCard", "characterCardIndex": 7, "player": 0}, ACK]
    answer = seats.send(0, move("MoveStudentFromCardToTableEvent", color="GREEN"))
    assert {"type": "MoveStudent", "from": "CARD:7", "to": "DININGROOM:0", "color": "GREEN"} in answer


@pytest.mark.parametrize("card_id", [-1, 12, 2**31 - 1])
def test_a_character_that_the_program_does_not_have_is_refused(card_id: int) -> None:
    answer = at(board(cards=(1, 2, 3))).send(0, move("ActivateCharacterCardEvent", cardId=card_id))
    assert types(answer) == ["Nack"]


def test_a_move_for_another_seat_is_refused() -> None:
    answer = at(board()).send(0, move("MoveStudentFromEntranceToTableEvent", 1, color="RED"))
    assert types(answer) == ["Nack"]


def test_towers_move_one_by_one_with_an_amount() -> None:
    position = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, professors=(0, None, None, None, None))
    answer = at(position).send(0, move("MoveMotherNatureEvent", amount=1))
    assert {"type": "MoveTowers", "from": "PLAYER:0", "to": "ISLAND:1", "amount": 1} in answer


# --- presence and the end --------------------------------------------------------------------------------------------


def test_lost_players_are_not_reported_while_they_may_come_back() -> None:
    seats = Seats(GROUP3, GROUP3, EVENTS, position=board(3))
    seats.discard()
    seats.drop(1)
    seats.drop(2)
    assert seats.received(0) == []
    seats.connect(EVENTS).send({"type": "Login", "username": "cid"})
    assert seats.received(0) == []


def test_a_player_who_returns_enters_the_room_again() -> None:
    seats = at(with_card(board(cards=(8, 2, 3), phase=Phase.MOTHER), 8, used=True))
    seats.drop(0)
    client = seats.connect(GROUP3)
    answer = client.send({"type": "Login", "username": "ann"})
    assert answer[0] == ACK
    assert answer.count(ACK) == 1
    assert not {"RoomId", "Nack", "PublicRooms"} & set(types(answer))
    assert answer[-2:] == [
        {"type": "ChangePhase", "gamePhase": "ACTION_PHASE_TWO"},
        {"type": "ChangeTurn", "playingPlayer": 0},
    ]
    assert {"type": "PlayAssistantCard", "assistantCard": "FIVE", "player": 0} in answer
    assert answer.count({"type": "AddCoin", "player": 0}) == 10 + 2
    assert {"type": "ActivateCharacterCard", "characterCardIndex": 6, "player": 0} in answer
    (rooms,) = client.send(ANY_ROOM)
    assert [room["id"] for room in rooms["rooms"]] == [1000]
    assert client.send({"type": "AccessRoom", "id": 1000}) == [ACK]
    assert client.send(move("MoveMotherNatureEvent", amount=1))[-1] == ACK


def test_assistants_of_the_running_planning_phase_come_after_the_phase() -> None:
    position = board(3, phase=Phase.PLANNING, turn=1, order=(0, 1, 2))
    seats = Seats(GROUP3, GROUP3, GROUP3, position=position)
    seats.drop(1)
    answer = seats.connect(GROUP3).send({"type": "Login", "username": "bob"})
    phase = answer.index({"type": "ChangePhase", "gamePhase": "PLANNING_PHASE"})
    after = [m for m in answer[phase:] if m["type"] == "PlayAssistantCard"]
    before = [m for m in answer[:phase] if m["type"] == "PlayAssistantCard"]
    assert [m["player"] for m in after] == [0]
    assert [m["player"] for m in before] == [1, 2]


def test_after_the_end_another_room_can_be_created_at_once() -> None:
    built = dict.fromkeys(range(3, 10), Tower.BLACK)
    position = board(
        phase=Phase.MOTHER, towers=built, students={2: (1, 0, 0, 0, 0)}, professors=(0, None, None, None, None)
    )
    seats = at(position)
    answer = seats.send(0, move("MoveMotherNatureEvent", amount=1))
    assert {"type": "EndGame", "winners": ["ann"]} in answer
    assert answer[-1] == ACK
    assert "PlayerDisconnect" not in types(answer + seats.received(1))
    assert types(seats.clients[0].send(CREATE)) == ["RoomId", "AddPlayer"]
    assert seats.clients[1].send({"type": "LeaveRoom"}) == [ACK]
    assert seats.clients[1].send({"type": "Logout"}) == [ACK]


def test_a_room_that_is_closed_without_a_result_ends_with_a_disconnection() -> None:
    seats = Seats(GROUP3, PROMPTS, position=board())
    conversation: Any = seats.clients[0].conversation
    outputs = list(conversation.render(conversation._table, [Closed("abandoned")]))
    assert msgspec.json.decode(outputs[0]) == {"type": "PlayerDisconnect", "username": "ann"}


# --- the stream ------------------------------------------------------------------------------------------------------


def test_every_message_of_a_table_survives_the_object_stream() -> None:
    framing = LISTENERS[GROUP3].client_framing()
    server = eriantys_cluster().dialects["eriantys.events"].framing({"compat": "group3"})
    framing.feed(server.preamble)
    seats = at(board(cards=(1, 5, 7)))
    seats.drop(0)
    for frame in seats.connect(GROUP3).send({"type": "Login", "username": "ann"}):
        (received,) = framing.feed(server.frame(msgspec.json.encode(frame)))
        assert isinstance(received, bytes)
        assert msgspec.json.decode(received) == frame


def test_requests_survive_the_tables() -> None:
    for message in (CREATE, ANY_ROOM, {"type": "Logout"}, move("PlayAssistantCardEvent", ac="TEN")):
        assert to_plain(from_plain(message, java_classes.FROM_CLIENT), java_classes.FROM_CLIENT) == message
