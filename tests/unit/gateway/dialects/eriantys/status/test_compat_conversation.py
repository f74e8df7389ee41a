"""`eriantys.status` with `compat=am28`: the keys, phases and lines that the AM28 programs need."""

from typing import Any

import pytest

from gateway.transports.close_codes import BYE
from loadtest.clients.eriantys import AM28
from shared.games.eriantys.pieces import Phase, Tower
from shared.games.eriantys.state import State
from tests.support.eriantys_players import eriantys_cluster
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, STATUS, Client, Seats, connect
from tests.unit.shared.games.eriantys.positions import board


def at(position: State) -> Seats:
    """Two AM28 programs in this position; it is the turn of the first."""
    return Seats(AM28, AM28, position=position)


def only(lines: list[Any]) -> Any:
    (line,) = lines
    return line


# --- before the game -------------------------------------------------------------------------------------------------


def test_the_first_player_is_asked_for_the_parameters_and_the_others_wait() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, AM28), connect(cluster, AM28)
    assert ann.send(b"ann") == [{"status": 0, "statusCode": 0, "userID": 0, "first": True}]
    assert bob.send(b"bob") == [{"status": 0, "statusCode": 0, "userID": 1, "first": False}]


def test_a_table_of_another_dialect_needs_no_parameters() -> None:
    cluster = eriantys_cluster()
    events = connect(cluster, EVENTS)
    events.send({"type": "Login", "username": "ann"})
    events.send({"type": "CreateRoom", "numberOfPlayers": 3, "expert": True, "private": False})
    assert only(connect(cluster, AM28).send(b"bob"))["first"] is False


def test_the_next_player_is_asked_when_the_first_has_gone() -> None:
    cluster = eriantys_cluster()
    ann, bob, cid = connect(cluster, AM28), connect(cluster, AM28), connect(cluster, AM28)
    for client, name in ((ann, b"ann"), (bob, b"bob"), (cid, b"cid")):
        client.send(name)
    ann.drop()
    cluster.advance(100)
    assert only(bob.received())["first"] is True
    assert cid.received() == []
    cid.drop()
    cluster.advance(100)
    assert bob.received() == []
    assert only(bob.send({"numPlayers": 2, "gameMode": "expert"}))["statusCode"] == 105


def test_parameters_are_answered_with_105_while_seats_are_free() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, AM28)
    ann.send(b"ann")
    waiting = only(ann.send({"numPlayers": 2, "gameMode": "expert"}))
    assert waiting["statusCode"] == 105
    assert waiting["errorMessage"]
    assert [line.get("first") for line in connect(cluster, AM28).send(b"bob")] == [False, None]
    assert only(ann.received())["playerID"] == 0


def test_parameters_for_a_full_table_are_answered_with_the_status_alone() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, AM28), connect(cluster, AM28)
    ann.send(b"ann")
    bob.send(b"bob")
    assert only(ann.send({"numPlayers": 2, "gameMode": "simple"}))["gameMode"] == "simple"


def test_a_player_too_many_is_sent_away_with_209_and_closed() -> None:
    cluster = eriantys_cluster()
    clients = [connect(cluster, AM28) for _ in range(3)]
    for client, name in zip(clients, (b"ann", b"bob", b"cid"), strict=True):
        client.send(name)
    clients[0].send({"numPlayers": 2, "gameMode": "simple"})
    assert only(clients[2].received())["statusCode"] == 209
    assert clients[2].closed == BYE
    assert connect(cluster, AM28).send(b"cid")[0]["statusCode"] == 0


def refused_name(client: Client, name: bytes) -> Any:
    line = only(client.send(name))
    assert "first" not in line
    assert line["errorMessage"]
    return line["statusCode"]


def test_refusals_before_the_game_have_the_codes_of_the_program() -> None:
    cluster = eriantys_cluster()
    ann, bob = connect(cluster, AM28), connect(cluster, AM28)
    ann.send(b"ann")
    assert refused_name(bob, b"ann") == 101
    assert refused_name(bob, b"b" * 33) == 104
    bob.send(b"bob")
    assert only(bob.send({"numPlayers": 2, "gameMode": "simple"}))["statusCode"] == 106
    assert only(ann.send({"numPlayers": 7, "gameMode": "simple"}))["statusCode"] == 301


# --- pings -----------------------------------------------------------------------------------------------------------


def test_pings_come_every_three_seconds_and_pongs_are_no_messages() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, AM28)
    cluster.advance(9_500)
    assert ann.received() == ["ping"] * 3
    for _ in range(50):
        assert ann.send(b"pong") == []


# --- the status ------------------------------------------------------------------------------------------------------


def test_the_full_status_has_all_keys_that_the_programs_read() -> None:
    seats = Seats(
        AM28,
        AM28,
        AM28,
        position=board(3, cards=(5, 1, 8), halls={1: (3, 0, 0, 0, 0)}, professors=(1, None, 2, None, 0)),
    )
    seats.drop(1)
    returned, status = seats.connect(AM28).send(b"bob")
    assert returned["first"] is False
    assert status["statusCode"] == 0
    assert status["playerID"] == 1
    assert status["turn"] == {"player": 0, "phase": "ACTION"}
    game = status["game"]
    assert [group["index"] for group in game["archipelagos"]] == list(range(12))
    assert all(group["noEntryTiles"] == 0 for group in game["archipelagos"])
    assert [card["fileName"] for card in game["characterCards"]] == ["P05.jpg", "P01.jpg", "P08.jpg"]
    assert [card["noEntryTiles"] for card in game["characterCards"]] == [4, 0, 0]
    assert [len(card["students"]) for card in game["characterCards"]] == [5, 5, 5]
    assert [card["coinOnIt"] for card in game["characterCards"]] == [False, False, False]
    assert game["professors"] == [0, -1, 2, -1, 1]  # WHITE, GREY and BLACK
    bob = game["players"][1]
    assert bob["studentsOnHall"] == bob["studentsHall"] == [3, 0, 0, 0, 0]
    assert bob["studentsOnEntrance"] == bob["studentsEntrance"]
    assert bob["assistantCards"] == [False] * 4 + [True] + [False] * 5
    assert bob["addedShifts"] is False


def test_phases_are_in_capitals() -> None:
    seats = Seats(AM28, AM28)
    seats.drop(1)
    assert seats.connect(AM28).send(b"bob")[1]["turn"]["phase"] == "PLANNING"


def test_a_student_on_an_island_changes_one_island_of_one_archipelago() -> None:
    seats = at(board())
    line = only(seats.send(0, {"cmd": "MOVETOISLAND", "playerIndex": 0, "studentColour": "RED", "index": 5}))
    assert line["lastCommand"] == "MOVETOISLAND"
    (group,) = line["game"]["archipelagos"]
    assert group["index"] == 4
    assert [island["islandIndex"] for island in group["islands"]] == [5]
    assert line["game"]["players"][0]["index"] == 0
    assert line["turn"] == {"player": 0, "phase": "ACTION"}
    assert seats.received(1) == [line]


def test_professors_come_with_every_student_in_the_hall() -> None:
    seats = at(board(halls={1: (0, 5, 0, 0, 0)}, professors=(None, 1, None, None, None)))
    line = only(seats.send(0, {"cmd": "MOVETOHALL", "studentColour": "RED"}))
    assert line["game"]["professors"] == [-1, 0, -1, -1, -1]


def test_mother_nature_changes_all_archipelagos_and_the_towers_of_all_in_the_order_of_seats() -> None:
    seats = Seats(AM28, AM28, AM28, position=board(3, phase=Phase.MOTHER, turn=2))
    line = only(seats.send(2, {"cmd": "MOVEMOTHERNATURE", "motherNatureShifts": 1}))
    assert line["game"]["motherNatureIndex"] == 2
    assert len(line["game"]["archipelagos"]) == 12
    assert [player["index"] for player in line["game"]["players"]] == [0, 1, 2]


def test_all_clouds_come_with_a_taken_one() -> None:
    seats = at(board(phase=Phase.CLOUD))
    line = only(seats.send(0, {"cmd": "TAKEFROMCLOUD", "index": 1}))
    assert line["lastCommand"] == "TAKEFROMCLOUD"
    assert [cloud["students"] for cloud in line["game"]["clouds"]] == [[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("card", "arguments", "keys"),
    [
        (1, {"pColour": "GREEN", "pIndex": 3}, {"characterCards", "players", "archipelagos"}),
        (3, {"pIndex": 3}, {"characterCards", "players", "archipelagos", "motherNatureIndex"}),
        (5, {"pIndex": 3}, {"characterCards", "players", "archipelagos"}),
        (7, {"pStudentsFrom": [1, 0, 0, 0, 0], "pStudentsTo": [0, 1, 0, 0, 0]}, {"characterCards", "players"}),
        (8, {}, {"characterCards", "players"}),
        (
            10,
            {"pStudentsFrom": [1, 0, 0, 0, 0], "pStudentsTo": [0, 1, 0, 0, 0]},
            {"characterCards", "players", "professors"},
        ),
        (11, {"pColour": "GREEN"}, {"characterCards", "players", "professors"}),
        (12, {"pColour": "RED"}, {"characterCards", "players", "professors"}),
    ],
)
def test_a_character_comes_with_all_that_the_graphical_client_draws(
    card: int, arguments: dict[str, Any], keys: set[str]
) -> None:
    seats = at(board(cards=(2, card, 6) if card != 8 else (2, 8, 6), halls={0: (0, 2, 0, 0, 0), 1: (0, 4, 0, 0, 0)}))
    line = only(seats.send(0, {"cmd": "PLAYCHARACTERCARD", "index": 1, **arguments}))
    assert line["lastCommand"] == "PLAYCHARACTERCARD"
    assert line["game"].keys() >= keys
    assert line["game"]["characterCards"][0]["index"] == 1
    assert line["game"]["characterCards"][0]["coinOnIt"] is True
    assert line["game"]["players"][0]["index"] == 0
    if card in (3, 12):
        assert len(line["game"]["players"]) == 2
    if card == 5:
        assert line["game"]["archipelagos"] == [{"index": 2, "noEntryTiles": 1}]


def test_card_4_adds_shifts_until_the_turn_ends() -> None:
    seats = at(board(cards=(4, 2, 6), phase=Phase.CLOUD))
    line = only(seats.send(0, {"cmd": "PLAYCHARACTERCARD", "index": 0}))
    assert line["game"]["players"][0]["addedShifts"] is True
    line = only(seats.send(0, {"cmd": "TAKEFROMCLOUD", "index": 0}))
    assert line["game"]["players"][0]["addedShifts"] is False


def test_the_winner_is_in_the_line_of_the_last_update() -> None:
    built = dict.fromkeys(range(3, 10), Tower.BLACK)
    seats = at(
        board(phase=Phase.MOTHER, towers=built, students={2: (1, 0, 0, 0, 0)}, professors=(0, None, None, None, None))
    )
    line = only(seats.send(0, {"cmd": "MOVEMOTHERNATURE", "motherNatureShifts": 1}))
    assert line["winner"] == "ann"
    assert "turn" not in line
    assert line["game"]["motherNatureIndex"]
    assert seats.received(1) == [line]


# --- refusals, lost players ------------------------------------------------------------------------------------------


def test_a_refusal_has_the_code_and_the_text() -> None:
    line = only(at(board()).send(0, {"cmd": "TAKEFROMCLOUD", "index": 0}))
    assert line["statusCode"] == 208
    assert line["errorMessage"]
    assert "game" not in line


def test_a_command_out_of_turn_is_answered_with_the_status_that_the_client_has_missed() -> None:
    line = only(at(board()).send(1, {"cmd": "MOVETOHALL", "studentColour": "RED"}))
    assert line["statusCode"] == 207
    assert line["errorMessage"] == "it is ann's turn"
    assert line["turn"] == {"player": 0, "phase": "ACTION"}
    assert len(line["game"]["archipelagos"]) == 12


def test_a_lost_player_is_not_reported_and_the_winner_comes_with_the_next_answer() -> None:
    seats = at(board())
    seats.discard()
    seats.drop(1)
    assert seats.received(0) == []
    assert only(seats.send(0, {"cmd": "MOVETOHALL", "studentColour": "RED"}))["statusCode"] == 208
    seats.pass_deadlines()
    assert only(seats.received(0))["winner"] == "ann"
    late = only(seats.send(0, {"cmd": "MOVETOHALL", "studentColour": "RED"}))
    assert late["errorMessage"]
    assert late["winner"] == "ann"


def test_a_skipped_turn_comes_without_a_command() -> None:
    seats = Seats(AM28, AM28, AM28, position=board(3))
    seats.drop(0)
    seats.discard()
    seats.pass_deadlines()
    line = only(seats.received(1))
    assert "lastCommand" not in line
    assert line["turn"]["player"] == 1


def test_a_character_that_was_only_paid_is_no_command_of_the_program() -> None:
    seats = Seats(EVENTS, AM28, position=board(cards=(1, 2, 6)))
    seats.send(0, {"type": "GameEvent", "eventType": 6, "activatedCard": 1})
    assert "lastCommand" not in only(seats.received(1))
    seats.send(0, {"type": "GameEvent", "eventType": 7, "color": "GREEN", "islandIndex": 4})
    line = only(seats.received(1))
    assert line["lastCommand"] == "PLAYCHARACTERCARD"
    assert [island["islandIndex"] for island in line["game"]["archipelagos"][0]["islands"]] == [5]


def test_the_default_dialect_at_the_same_table_is_unchanged() -> None:
    seats = Seats(STATUS, AM28, position=board())
    line = only(seats.send(0, {"cmd": "MOVETOISLAND", "studentColour": "RED", "index": 5}))
    assert line["game"]["archipelagos"][0]["index"] == 5
    assert "statusCode" not in line
    assert "lastCommand" not in line
