"""The dialect `eriantys.status`: moves, characters, refusals, and the end."""

from typing import Any

import pytest

from shared.games.eriantys.pieces import NO_STUDENTS, Manner, Phase
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Active
from shared.ids import Seat
from tests.support.eriantys_players import eriantys_cluster
from tests.unit.gateway.dialects.eriantys.tables import PROMPTS, STATUS, Seats, connect, error_status
from tests.unit.shared.games.eriantys.positions import board, joined, with_card, with_seat, with_view

FIRST, SECOND = Seat(0), Seat(1)
GREEN_OF_FIRST = (FIRST, None, None, None, None)


def at(position: State) -> Seats:
    return Seats(STATUS, STATUS, position=position)


def cmd(name: str, **fields: Any) -> dict[str, Any]:
    return {"cmd": name, **fields}


# --- commands --------------------------------------------------------------------------------------------------------


def test_an_assistant_updates_the_turn_and_the_hand() -> None:
    seats = at(board(phase=Phase.PLANNING))
    expected = {
        "status": 0,
        "turn": {"player": 1, "phase": "planning"},
        "game": {
            "players": [
                {"index": 0, "assistantCardsLeft": [0, 1, 3, 5, 6, 7, 8, 9], "lastAssistantCardPlayed": 2},
            ]
        },
    }
    assert seats.send(0, cmd("PLAYASSISTANTCARD", playerId=0, index=2)) == [expected]
    assert seats.received(1) == [expected]


def test_a_student_to_an_island_sends_exactly_that_group() -> None:
    seats = at(joined(board(), (3, 4)))
    received = seats.send(0, cmd("MOVETOISLAND", playerIndex=0, studentColour="yellow", index=4))
    assert received == [
        {
            "status": 0,
            "game": {
                "archipelagos": [
                    {
                        "index": 3,
                        "islands": [
                            {"islandIndex": 3, "index": 3, "students": [0, 0, 0, 0, 0]},
                            {"islandIndex": 4, "index": 4, "students": [0, 0, 1, 0, 0]},
                        ],
                    }
                ],
                "players": [{"index": 0, "studentsEntrance": [2, 2, 0, 1, 1]}],
            },
        }
    ]


def test_a_student_in_the_hall_updates_coins_and_professors() -> None:
    seats = at(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}))
    received = seats.send(0, cmd("MOVETOHALL", studentColour="Green"))
    player = {"index": 0, "coins": 11, "studentsEntrance": [1, 2, 1, 1, 1], "studentsHall": [3, 0, 0, 0, 0]}
    assert received == [{"status": 0, "game": {"players": [player], "professors": [0, -1, -1, -1, -1]}}]


def test_mother_nature_sends_all_groups_when_any_changed_and_none_otherwise() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    game = seats.send(0, cmd("MOVEMOTHERNATURE", motherNatureShifts=1))[0]["game"]
    assert len(game["archipelagos"]) == 12
    assert game["archipelagos"][1]["islands"][0]["towerColour"] == "BLACK"
    assert game["motherNatureIndex"] == 2
    assert game["players"] == [{"index": 0, "numTowers": 7}]
    plain = at(board(phase=Phase.MOTHER))
    assert plain.send(0, cmd("MOVEMOTHERNATURE", motherNatureShifts=3)) == [
        {"status": 0, "game": {"motherNatureIndex": 4}}
    ]


def test_a_cloud_ends_the_turn() -> None:
    seats = at(board(phase=Phase.CLOUD))
    assert seats.send(0, cmd("TAKEFROMCLOUD", index=1)) == [
        {
            "status": 0,
            "turn": {"player": 1, "phase": "action"},
            "game": {
                "clouds": [{"index": 1, "students": [0, 0, 0, 0, 0]}],
                "players": [{"index": 0, "studentsEntrance": [3, 3, 2, 1, 1]}],
            },
        }
    ]


def test_the_winner_is_sent_separately_after_the_last_update() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1))
    received = seats.send(0, cmd("MOVEMOTHERNATURE", motherNatureShifts=1))
    assert len(received) == 2
    assert "turn" not in received[0]
    assert received[1] == {"status": 0, "winner": "ann"}
    assert seats.received(1)[-1] == {"status": 0, "winner": "ann"}
    assert error_status(seats.send(0, cmd("TAKEFROMCLOUD", index=0))) == 208
    assert seats.send(0, b"ann") == [{"status": 0, "userID": 0}]
    assert seats.send(1, b"robert") == [{"status": 0, "userID": 1}]
    assert seats.send(0, {"numPlayers": 2, "gameMode": "simple"})[0]["playerID"] == 0


def test_a_draw_has_no_winner_and_a_team_is_named_by_its_members() -> None:
    draw = at(with_view(board(phase=Phase.CLOUD, last_round="bag"), turn=SECOND))
    assert draw.send(1, cmd("TAKEFROMCLOUD", index=0))[-1] == {"status": 0, "winner": ""}
    teams = with_seat(board(4, phase=Phase.CLOUD, last_round="bag"), 1, towers=3)
    seats = Seats(*[STATUS] * 4, position=with_view(teams, turn=Seat(3)))
    assert seats.send(3, cmd("TAKEFROMCLOUD", index=0))[-1] == {"status": 0, "winner": "bob, dan"}


# --- characters ------------------------------------------------------------------------------------------------------


def card(number: int, **fields: Any) -> list[Any]:
    state = board(cards=(number,), halls={0: (0, 1, 0, 0, 0), 1: (0, 4, 0, 0, 0)})
    state = with_view(state, professors=(None, SECOND, None, None, None))
    return at(state).send(0, cmd("PLAYCHARACTERCARD", index=0, **fields))


@pytest.mark.parametrize("number", [2, 4, 6, 8])
def test_characters_without_a_choice_need_no_fields(number: int) -> None:
    game = card(number)[0]["game"]
    assert game["characterCards"] == [{"index": 0, "coinOnIt": True}]
    assert game["players"][0]["coins"] < 10


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (1, {"pColour": "green", "pIndex": 12}),
        (3, {"pIndex": 1}),
        (5, {"pIndex": 1}),
        (7, {"pStudentsFrom": [0, 0, 1, 1, 0], "pStudentsTo": [2, 0, 0, 0, 0]}),
        (9, {"pColour": "RED"}),
        (10, {"pStudentsFrom": [1, 0, 0, 0, 0], "pStudentsTo": [0, 1, 0, 0, 0]}),
        (11, {"pColour": "Pink"}),
        (12, {"pColour": "red"}),
    ],
)
def test_characters_need_all_the_fields_that_they_ask_for(number: int, fields: dict[str, Any]) -> None:
    received = card(number, **fields)
    assert received[0]["status"] == 0
    assert received[0]["game"]["characterCards"][0]["coinOnIt"] is True
    for missing in fields:
        assert error_status(card(number, **{key: value for key, value in fields.items() if key != missing})) == 201


def test_the_jesters_arrays_are_card_and_entrance_and_the_minstrels_entrance_and_hall() -> None:
    jester = card(7, pStudentsFrom=[0, 0, 1, 1, 0], pStudentsTo=[2, 0, 0, 0, 0])[0]["game"]
    assert jester["players"][0]["studentsEntrance"] == [0, 2, 2, 2, 1]
    assert jester["characterCards"][0]["students"] == [4, 1, 0, 0, 1]
    minstrel = card(10, pStudentsFrom=[1, 0, 0, 0, 0], pStudentsTo=[0, 1, 0, 0, 0])[0]["game"]
    assert minstrel["players"][0]["studentsHall"] == [1, 0, 0, 0, 0]
    assert minstrel["players"][0]["studentsEntrance"] == [1, 3, 1, 1, 1]


@pytest.mark.parametrize(
    ("taken", "given", "expected"),
    [
        ([1, 0, 0, 0, 0], [0, 0, 0, 0, 0], 201),
        ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], 201),
        ([2, 1, 1, 0, 0], [2, 2, 0, 0, 0], 201),
        ([0, 2, 0, 0, 0], [2, 0, 0, 0, 0], 206),
        ([1, 0, 0, 0], [1, 0, 0, 0], 201),
        ([-1, 0, 0, 0, 2], [1, 0, 0, 0, 0], 201),
        ("GREEN", [1, 0, 0, 0, 0], 201),
    ],
)
def test_wrong_arrays_for_the_jester_are_refused(taken: Any, given: Any, expected: int) -> None:
    assert error_status(card(7, pStudentsFrom=taken, pStudentsTo=given)) == expected


def test_all_groups_are_sent_after_the_herald_and_one_after_the_herbalist() -> None:
    state = board(cards=(3, 5), students={4: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    assert len(seats.send(0, cmd("PLAYCHARACTERCARD", index=0, pIndex=4))[0]["game"]["archipelagos"]) == 12
    assert len(card(5, pIndex=7)[0]["game"]["archipelagos"]) == 1


def test_a_choice_of_another_dialect_without_visible_change_sends_no_status() -> None:
    seats = Seats(PROMPTS, STATUS, STATUS, position=board(3, cards=(9,)))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR9"})
    assert seats.received(1)[0]["game"]["characterCards"] == [{"index": 0, "coinOnIt": True}]
    seats.send(0, {"type": "ChooseColor", "color": "RED"})
    assert seats.received(1) == []


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (9, {"pColour": "RED"}),
        (7, {"pStudentsFrom": [0, 0, 1, 0, 0], "pStudentsTo": [1, 0, 0, 0, 0]}),
        (10, {"pStudentsFrom": [1, 0, 0, 0, 0], "pStudentsTo": [0, 1, 0, 0, 0]}),
    ],
)
def test_a_choice_owed_from_another_dialect_is_made_with_the_same_command(number: int, fields: dict[str, Any]) -> None:
    active = Active(number, Manner.LAX, 2, True)
    state = with_view(board(cards=(number,), phase=Phase.CHARACTER, halls={0: (0, 1, 0, 0, 0)}), active=active)
    seats = at(state)
    if number != 9:
        double = {key: [count * 2 for count in value] for key, value in fields.items()}
        assert error_status(seats.send(0, cmd("PLAYCHARACTERCARD", index=0, **double))) == 201
    assert seats.send(0, cmd("PLAYCHARACTERCARD", index=0, **fields))[0]["turn"]["player"] == 1


# --- codes and the order of tests ------------------------------------------------------------------------------------

POOR = with_seat(board(cards=(8, 9)), 0, coins=0)
PLAYED = with_view(POOR, active=Active(8, Manner.WHOLE))


@pytest.mark.parametrize(
    ("position", "message", "expected"),
    [
        (board(), cmd("FLY"), 201),
        (board(), cmd("MOVETOHALL"), 201),
        (board(), cmd("MOVETOHALL", studentColour="mauve"), 201),
        (board(), cmd("MOVETOHALL", studentColour=None), 201),
        (board(), cmd("MOVETOISLAND", studentColour="red", index="1"), 201),
        (board(), cmd("MOVETOISLAND", studentColour="red", index=1.5), 201),
        (board(), cmd("MOVETOISLAND", studentColour="red", index=True), 201),
        (board(), cmd("MOVETOISLAND", studentColour="red", index=13), 201),
        (board(), cmd("MOVETOISLAND", studentColour="red", index=0), 201),
        (board(), cmd("MOVETOHALL", studentColour="red", playerId=1), 201),
        (board(), cmd("MOVETOHALL", studentColour="red", playerId=0, playerIndex=1), 201),
        (board(phase=Phase.MOTHER), cmd("MOVEMOTHERNATURE", motherNatureShifts=0), 201),
        (board(phase=Phase.MOTHER), cmd("MOVEMOTHERNATURE", motherNatureShifts=4), 201),
        (board(phase=Phase.CLOUD), cmd("TAKEFROMCLOUD", index=2), 201),
        (board(phase=Phase.PLANNING), cmd("PLAYASSISTANTCARD", index=10), 201),
        (board(phase=Phase.PLANNING), cmd("PLAYASSISTANTCARD", index=4), 202),
        (PLAYED, cmd("PLAYCHARACTERCARD", index=0), 203),
        (POOR, cmd("PLAYCHARACTERCARD", index=0), 204),
        (POOR, cmd("PLAYCHARACTERCARD", index=1), 201),
        (POOR, cmd("PLAYCHARACTERCARD", index=2), 201),
        (board(cards=(5,)), cmd("PLAYCHARACTERCARD", index=0, pIndex=13), 201),
        (with_card(board(cards=(5,)), 5, no_entry=0), cmd("PLAYCHARACTERCARD", index=0, pIndex=1), 201),
        (board(halls={0: (10, 0, 0, 0, 0)}), cmd("MOVETOHALL", studentColour="green"), 205),
        (with_seat(board(), 0, entrance=(0, 1, 1, 1, 1)), cmd("MOVETOHALL", studentColour="green"), 206),
        (with_seat(board(), 0, entrance=(0, 1, 1, 1, 1)), cmd("MOVETOISLAND", studentColour="green", index=1), 206),
        (
            with_view(board(phase=Phase.CLOUD), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0))),
            cmd("TAKEFROMCLOUD", index=0),
            206,
        ),
        (board(cards=(1,)), cmd("PLAYCHARACTERCARD", index=0, pColour="blue", pIndex=1), 206),
        (board(cards=(11,), halls={0: (10, 0, 0, 0, 0)}), cmd("PLAYCHARACTERCARD", index=0, pColour="green"), 205),
        (with_view(board(), turn=SECOND), cmd("MOVETOHALL", studentColour="red"), 207),
        (with_view(board(phase=Phase.PLANNING), turn=SECOND), cmd("MOVETOHALL", studentColour="red"), 207),
        (with_view(board(), turn=SECOND), cmd("MOVETOHALL"), 201),
        (with_view(board(), turn=SECOND), cmd("MOVETOISLAND", studentColour="red", index=13), 207),
        (board(phase=Phase.MOTHER), cmd("MOVETOISLAND", studentColour="red", index=13), 208),
        (board(phase=Phase.MOTHER), cmd("MOVETOHALL", studentColour="red"), 208),
        (board(), cmd("PLAYASSISTANTCARD", index=0), 208),
        (board(), cmd("MOVEMOTHERNATURE", motherNatureShifts=1), 208),
        (board(), cmd("TAKEFROMCLOUD", index=0), 208),
        (with_view(POOR, phase=Phase.PLANNING), cmd("PLAYCHARACTERCARD", index=0), 208),
        (board(phase=Phase.PLANNING), cmd("PLAYCHARACTERCARD", index=0), 201),
        (with_view(board(), turn=SECOND), cmd("PLAYCHARACTERCARD", index=0), 207),
    ],
)
def test_refusals_have_the_code_of_the_first_check(position: State, message: dict[str, Any], expected: int) -> None:
    seats = at(position)
    assert error_status(seats.send(0, message)) == expected
    assert seats.received(1) == []
    assert seats.position == seats.arranged


def test_an_assistant_that_another_played_is_201() -> None:
    seats = at(board(phase=Phase.PLANNING))
    seats.send(0, cmd("PLAYASSISTANTCARD", index=2))
    assert error_status(seats.send(1, cmd("PLAYASSISTANTCARD", index=2))) == 201


@pytest.mark.parametrize(
    "frame", [b"{", b"[1]", b'{"cmd":7}', b'{"cmd":null}', b"{}", b"bob", b"", b"\xff", b"17", b"null"]
)
def test_malformed_lines_at_a_table_are_201(frame: bytes) -> None:
    assert error_status(at(board()).send(0, frame)) == 201


def test_commands_before_the_start_are_208_and_a_paused_game_too() -> None:
    cluster = eriantys_cluster()
    ann = connect(cluster, STATUS)
    assert error_status(ann.send(cmd("MOVETOHALL", studentColour="red"))) == 208
    ann.send(b"ann")
    assert error_status(ann.send(cmd("MOVETOHALL", studentColour="red"))) == 208
    seats = at(board())
    seats.drop(1)
    assert error_status(seats.send(0, cmd("MOVETOHALL", studentColour="red"))) == 208
