"""`eriantys.prompts` with `compat=am24`: the operator's texts, and the forms that the programs can read and draw."""

from typing import Any

import msgspec
import pytest

from gateway.transports.close_codes import BYE, SILENT
from loadtest.clients.eriantys import AM24
from shared.games.eriantys.pieces import Phase, Tower
from shared.games.eriantys.state import State
from tests.support.eriantys_players import TEXTS, eriantys_cluster
from tests.support.memory_cluster import MemoryCluster
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, Client, Seats, connect, types
from tests.unit.shared.games.eriantys.positions import board

PARAMS = {"type": "GameParams", "numPlayers": 2, "expert": True, "nickname": "ann", "mage": "MAGE1", "colorT": "BLACK"}
JOIN = {"type": "Join", "nickname": "bob", "mage": "MAGE2", "index": 1000, "colorT": "WHITE"}
LEFT_OUT = {
    "GameStart",
    "SelectAssistant",
    "MoveStudentRequest",
    "MoveMNRequest",
    "SelectCloud",
    "GameMustEnd",
    "GameEnded",
    "NotifyDisconnection",
}


def at(position: State) -> Seats:
    return Seats(AM24, AM24, position=position)


def opened() -> tuple[MemoryCluster, Client]:
    cluster = eriantys_cluster()
    ann = connect(cluster, AM24)
    ann.send(PARAMS)
    return cluster, ann


def strings(messages: list[Any]) -> list[str]:
    return [message["string"] for message in messages if "string" in message]


def about(key: str, name: str) -> str:
    text: str = TEXTS[key]
    return text.replace("{name}", name)


# --- lobbies ---------------------------------------------------------------------------------------------------------


def test_seats_and_the_start_are_announced_by_the_texts_of_the_operator() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, AM24)
    assert types(ann.received()) == ["Welcome"]
    assert strings(ann.send(PARAMS)) == [TEXTS["lobby_created"]]
    joined = connect(cluster, AM24).send(JOIN)
    assert strings(joined)[:2] == [TEXTS["joined"], TEXTS["game_started"]]
    received = ann.received()
    assert strings(received)[:2] == [about("entered", "bob"), TEXTS["game_started"]]
    started = [message.get("string") for message in received].index(TEXTS["game_started"])
    assert types(received).index("FullView") < types(received).index("CreateCharacters") < started
    assert not LEFT_OUT & set(types(received))


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        ({**JOIN, "nickname": "ann"}, "nickname_used"),
        ({**JOIN, "nickname": "b" * 16}, "nickname_used"),
        ({**JOIN, "mage": "MAGE1"}, "mage_used"),
        ({**JOIN, "colorT": "BLACK"}, "towers_used"),
        ({**JOIN, "index": 999}, "bad_lobby"),
        ({**JOIN, "index": -1}, "bad_lobby"),
        ({**PARAMS, "nickname": "ann"}, "nickname_used"),
        ({**PARAMS, "nickname": "bob", "numPlayers": 7}, "bad_lobby"),
    ],
)
def test_a_refused_seat_is_answered_with_the_lobbies_and_then_the_text(wanted: dict[str, Any], key: str) -> None:
    cluster, _ = opened()
    welcome, error = connect(cluster, AM24).send(wanted)
    assert welcome["type"] == "Welcome"
    assert [lobby["lobbyIndex"] for lobby in welcome["lobbies"]] == [1000]
    assert error["type"] == "Error"
    assert error["string"] == TEXTS[key]


def test_the_text_for_a_full_lobby_and_for_none_at_all() -> None:
    cluster, _ = opened()
    connect(cluster, PROMPTS).send({**JOIN, "nickname": "cid"})
    assert connect(cluster, AM24).send(JOIN)[1]["string"] == TEXTS["lobby_full"]
    assert connect(eriantys_cluster(), AM24).send(JOIN)[1]["string"] == TEXTS["no_lobby"]


def test_changed_lobbies_wait_for_a_tick_but_not_those_that_answer() -> None:
    cluster, ann = opened()
    dan = connect(cluster, AM24)
    assert len(dan.received()[0]["lobbies"]) == 1
    connect(cluster, PROMPTS).send({**PARAMS, "nickname": "cid"})
    assert dan.received() == []
    assert len(dan.send({**JOIN, "nickname": "ann"})[0]["lobbies"]) == 2
    connect(cluster, PROMPTS).send({**PARAMS, "nickname": "eve"})
    assert dan.conversation.tick(0) == []  # nothing may follow the refusal closely
    (welcome,) = dan.conversation.tick(1_000)
    assert isinstance(welcome, bytes)
    assert len(msgspec.json.decode(welcome)["lobbies"]) == 3
    assert dan.conversation.tick(2_000) == []
    assert ann.conversation.tick(0) == []


def test_a_seat_in_a_waiting_lobby_is_given_up_by_disconnecting() -> None:
    cluster, ann = opened()
    ann.send({"type": "Disconnect"})
    assert ann.closed == BYE
    assert connect(cluster, AM24).received()[0]["lobbies"] == []


# --- pings -----------------------------------------------------------------------------------------------------------


def test_pings_come_every_five_seconds_and_three_without_a_pong_end_the_connection() -> None:
    cluster, ann = opened()
    ann.received()
    cluster.advance(4_500)
    assert ann.received() == []
    cluster.advance(1_000)
    assert ann.received() == [{"type": "Ping"}]
    ann.send({"type": "Pong"})
    cluster.advance(15_000)
    assert ann.received() == [{"type": "Ping"}] * 3
    assert ann.closed is None
    cluster.advance(5_000)
    assert ann.closed == SILENT


# --- the view --------------------------------------------------------------------------------------------------------


def test_owners_of_professors_are_objects() -> None:
    seats = at(board(professors=(None, 1, None, None, None)))
    (profs,) = [m for m in seats.send(0, {"type": "EntranceToHall", "colorS": "GREEN"}) if m["type"] == "UpdateProfs"]
    assert profs["profs"]["GREEN"] == {"nickname": "ann"}
    assert profs["profs"]["RED"] == {"nickname": "bob"}
    assert profs["profs"]["BLUE"] is None


def returned_view(seats: Seats, name: str) -> Any:
    answer = seats.connect(AM24).send({**JOIN, "nickname": name})
    return next(message["virtualView"] for message in answer if message["type"] == "FullView")


def test_a_board_is_never_without_towers() -> None:
    built = dict.fromkeys(range(3, 11), Tower.WHITE)
    seats = at(board(towers=built))
    seats.drop(0)
    boards = [player["virtualBoard"]["towers"] for player in returned_view(seats, "ann")["virtualPlayers"]]
    assert boards == [["BLACK"] * 8, ["WHITE"]]


def test_partners_without_towers_show_the_color_of_their_team() -> None:
    seats = Seats(EVENTS, EVENTS, EVENTS, AM24, position=board(4))
    seats.drop(3)
    boards = [player["virtualBoard"]["towers"] for player in returned_view(seats, "dan")["virtualPlayers"]]
    assert boards[2:] == [["BLACK"], ["WHITE"]]


def test_characters_come_with_the_descriptions_of_the_operator_and_then_with_their_contents() -> None:
    seats = at(board(cards=(1, 5, 8)))
    seats.drop(0)
    answer = seats.connect(AM24).send({**JOIN, "nickname": "ann"})
    start = types(answer).index("CreateCharacters")
    assert types(answer)[start:-1] == ["CreateCharacters", "ReplaceCharacterStudents", "ReplaceCharacterWithNoEntry"]
    descriptions = [character["description"] for character in answer[start]["characters"]]
    assert descriptions == [TEXTS["descriptions"][number] for number in ("1", "5", "8")]


def test_long_names_of_others_are_cut_and_stay_different() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, AM24)
    ann.send({**PARAMS, "numPlayers": 3})
    for number, mage in ((1, "MAGE2"), (2, "MAGE3")):
        name = "a name of twenty characters" + str(number)
        connect(cluster, PROMPTS).send({"type": "Join", "nickname": name, "mage": mage, "index": 1000})
    view = next(message["virtualView"] for message in ann.received() if message["type"] == "FullView")
    names = [player["nickname"] for player in view["virtualPlayers"]]
    assert names == ["ann", "a name of twen1", "a name of twen2"]


# --- moves -----------------------------------------------------------------------------------------------------------


def test_an_assistant_is_named_by_its_place_in_the_hand() -> None:
    seats = at(board(phase=Phase.PLANNING))  # assistant 5 was played
    answer = seats.send(0, {"type": "ChooseAssistant", "index": 5})
    assert seats.position.view.players[0].assistant == 6
    assert types(answer)[-1] == "InformationGame"
    assert not LEFT_OUT & set(types(answer))


@pytest.mark.parametrize("index", [0, 10, -1, 10**9])
def test_a_place_that_the_hand_does_not_have_is_refused(index: int) -> None:
    seats = at(board(phase=Phase.PLANNING))
    answer = seats.send(0, {"type": "ChooseAssistant", "index": index})
    assert types(answer) == ["Error", "InformationGame"]
    assert answer[0]["code"] == "NO_SUCH_ASSISTANT"
    assert answer[1]["string"] == TEXTS["choose_assistant"]


@pytest.mark.parametrize(
    ("phase", "move", "own", "others"),
    [
        (Phase.STUDENTS, {"type": "EntranceToHall", "colorS": "RED"}, "move_students_three", "other_students"),
        (Phase.MOTHER, {"type": "MoveMN", "steps": 1}, "choose_cloud", "other_cloud"),
        (Phase.CLOUD, {"type": "ChooseCloud", "index": 0}, None, "move_students_three"),
    ],
)
def test_texts_take_the_place_of_prompts(phase: Phase, move: dict[str, Any], own: str | None, others: str) -> None:
    seats = at(board(phase=phase))
    answer = seats.send(0, move)
    assert strings(answer) == [TEXTS[own] if own else about("other_students", "bob")]
    assert strings(seats.received(1)) == [about(others, "ann")]


def test_four_students_are_moved_at_a_table_of_three() -> None:
    seats = Seats(AM24, AM24, AM24, position=board(3))
    assert strings(seats.send(0, {"type": "EntranceToHall", "colorS": "RED"})) == [TEXTS["move_students_four"]]


def test_a_choice_that_is_owed_at_the_end_of_the_turn_has_a_text() -> None:
    seats = at(board(cards=(9, 2, 3), phase=Phase.CLOUD))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR9"})
    assert strings(seats.send(0, {"type": "ChooseCloud", "index": 0})) == [TEXTS["character_move"]]
    assert strings(seats.received(1)) == [about("other_cloud", "ann")]


# --- presence and the end --------------------------------------------------------------------------------------------


def test_lost_players_and_pauses_are_texts() -> None:
    seats = Seats(AM24, AM24, AM24, position=board(3))
    seats.discard()
    seats.drop(1)
    assert strings(seats.received(0)) == [about("disconnected", "bob")]
    seats.drop(2)
    received = seats.received(0)
    assert strings(received) == [about("disconnected", "cid"), TEXTS["paused"]]
    back = seats.connect(AM24).send(JOIN)
    assert strings(back)[0] == TEXTS["welcome_back"]
    assert types(back)[1] == "FullView"
    received += seats.received(0)
    assert strings(received)[2:] == [TEXTS["continued"], about("reconnected", "bob"), TEXTS["move_students_four"]]
    assert not LEFT_OUT & set(types(received))


def test_a_player_who_returns_to_a_waiting_lobby_has_joined_it() -> None:
    cluster, ann = opened()
    ann.drop()
    assert strings(connect(cluster, AM24).send({**JOIN, "nickname": "ann"})) == [TEXTS["joined"]]


def test_the_last_player_has_won_alone() -> None:
    seats = at(board())
    seats.drop(1)
    seats.discard()
    seats.pass_deadlines()
    received = seats.received(0)
    assert types(received) == ["InformationConnection", "InformationGame"]
    assert strings(received) == [TEXTS["alone_won"], TEXTS["won"]]


def test_the_end_is_a_text_and_nothing_follows_it() -> None:
    built = dict.fromkeys(range(3, 10), Tower.BLACK)
    position = board(
        phase=Phase.MOTHER, towers=built, students={2: (1, 0, 0, 0, 0)}, professors=(0, None, None, None, None)
    )
    seats = at(position)
    answer = seats.send(0, {"type": "MoveMN", "steps": 1})
    assert answer[-1]["string"] == TEXTS["won"]
    received = seats.received(1)
    assert received[-1]["string"] == TEXTS["lost"]
    ann = next(m["player"] for m in received if m["type"] == "UpdatePlayer" and m["player"]["nickname"] == "ann")
    assert ann["virtualBoard"]["towers"] == ["BLACK"]
    assert not LEFT_OUT & set(types(answer + received))
