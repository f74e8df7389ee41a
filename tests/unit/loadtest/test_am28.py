"""The model of the AM28 program: it reads what the original reads, and fails where the original fails."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.am28 import Am28Player
from loadtest.clients.eriantys.am28_program import SILENCE_S, Am28Program, ProgramPhase

FIVE = [0, 0, 0, 0, 0]


def seat_of(index: int, tower: str) -> dict[str, Any]:
    return {
        "index": index,
        "nickName": f"player{index}",
        "towerColour": tower,
        "numTowers": 8,
        "studentsOnEntrance": [2, 2, 1, 1, 1],
        "studentsOnHall": FIVE,
        "assistantCards": [False] * 10,
        "coins": 1,
    }


def full_status(turn: int = 0, phase: str = "PLANNING") -> dict[str, Any]:
    groups = [
        {"index": place, "noEntryTiles": 0, "islands": [{"islandIndex": place + 1, "students": FIVE}]}
        for place in range(12)
    ]
    cards = [
        {"index": place, "fileName": name, "students": FIVE, "noEntryTiles": 0, "coinOnIt": False}
        for place, name in enumerate(("P02.jpg", "P04.jpg", "P08.jpg"))
    ]
    return {
        "statusCode": 0,
        "playerID": 0,
        "gameMode": "expert",
        "turn": {"player": turn, "phase": phase},
        "game": {
            "motherNatureIndex": 1,
            "archipelagos": groups,
            "clouds": [{"index": place, "students": [1, 1, 1, 0, 0]} for place in range(2)],
            "players": [seat_of(0, "WHITE"), seat_of(1, "BLACK")],
            "characterCards": cards,
            "professors": [-1] * 5,
        },
    }


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


def playing(turn: int = 0, phase: str = "PLANNING") -> Am28Program:
    program = Am28Program()
    program.receive(line({"statusCode": 0, "first": False}))
    program.receive(line(full_status(turn, phase)))
    return program


# --- the program -----------------------------------------------------------------------------------------------------


def test_an_answer_to_the_name_without_first_kills_the_reader() -> None:
    program = Am28Program()
    program.receive(b'{"status":0,"userID":0}')
    assert program.phase is ProgramPhase.DEAD
    assert program.receive(b"ping") == []


def test_the_answer_to_the_name_decides_who_is_asked_for_parameters() -> None:
    first, second = Am28Program(), Am28Program()
    first.receive(b'{"statusCode":0,"first":true}')
    second.receive(b'{"statusCode":0,"first":false}')
    assert first.phase is ProgramPhase.PARAMETERS
    assert second.phase is ProgramPhase.LOBBY


def test_a_waiting_client_is_asked_for_parameters_when_the_first_has_gone() -> None:
    program = Am28Program()
    program.receive(b'{"statusCode":0,"first":false}')
    program.receive(b'{"statusCode":0,"first":true}')
    assert program.phase is ProgramPhase.PARAMETERS


def test_a_refused_name_is_asked_for_again() -> None:
    program = Am28Program()
    program.receive(b'{"statusCode":101,"errorMessage":"in use"}')
    assert program.phase is ProgramPhase.NAME
    assert program.refusal == (101, "in use")


def test_a_ping_is_answered_in_every_phase() -> None:
    assert Am28Program().receive(b"ping") == [b"pong"]
    assert playing(turn=0).receive(b"ping") == [b"pong"]
    assert playing(turn=1).receive(b"ping") == [b"pong"]


@pytest.mark.parametrize("seconds", [SILENCE_S, SILENCE_S + 1])
def test_more_than_ten_seconds_of_silence_end_the_program(seconds: int) -> None:
    program = Am28Program()
    for _ in range(SILENCE_S):
        program.second_passed()
    program.receive(b"ping")
    for _ in range(seconds):
        program.second_passed()
    assert (program.phase is ProgramPhase.EXITED) == (seconds > SILENCE_S)


def test_lines_that_arrive_while_the_menu_is_shown_are_lost() -> None:
    program = playing(turn=0)
    assert program.phase is ProgramPhase.MENU
    program.receive(b'{"statusCode":0,"winner":"player1"}')
    assert program.winner is None
    assert program.phase is ProgramPhase.MENU
    assert len(program.ignored) == 1


def test_a_refusal_shows_the_menu_again() -> None:
    program = playing(turn=0)
    program.enter_command("PLAYASSISTANTCARD", index=3)
    program.receive(b'{"statusCode":202,"errorMessage":"played"}')
    assert program.phase is ProgramPhase.MENU


def test_the_winner_must_be_in_the_line_of_the_last_update() -> None:
    program = playing(turn=0)
    program.enter_command("MOVEMOTHERNATURE", motherNatureShifts=1)
    program.receive(b'{"statusCode":0,"game":{"motherNatureIndex":2},"winner":"player0"}')
    assert program.phase is ProgramPhase.EXITED
    assert program.winner == "player0"
    assert program.game is not None
    assert program.game.mother == 2


def test_a_phase_in_small_letters_shows_the_menu_of_the_action_phase() -> None:
    program = playing(phase="planning")
    assert program.game is not None
    assert program.game.planning is False


def test_commands_leave_out_absent_arguments() -> None:
    sent = playing().enter_command("PLAYASSISTANTCARD", index=3)
    assert json.loads(sent) == {"cmd": "PLAYASSISTANTCARD", "playerIndex": 0, "index": 3}


Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    "change",
    [
        lambda game: game["players"][1].pop("studentsOnHall"),
        lambda game: game["players"][0].pop("assistantCards"),
        lambda game: game["players"][0].pop("numTowers"),
        lambda game: game["characterCards"][2].pop("students"),
        lambda game: game["characterCards"][2].pop("noEntryTiles"),
        lambda game: game["characterCards"].pop(),
        lambda game: game["characterCards"][0].update(fileName="P02.png"),
        lambda game: game["clouds"][0].update(students=[None] * 5),
        lambda game: game.update(professors=[3, -1, -1, -1, -1]),
    ],
    ids=["hall", "hand", "towers", "students", "no entry", "two cards", "png", "null", "professor"],
)
def test_a_status_without_a_needed_key_kills_the_reader(change: Change) -> None:
    status = full_status()
    change(status["game"])
    program = Am28Program()
    program.receive(line(status))
    assert program.phase is ProgramPhase.DEAD


def test_one_archipelago_is_found_by_its_index_and_several_replace_all() -> None:
    program = playing(turn=1)
    assert program.game is not None
    island = {"islandIndex": 3, "students": [1, 0, 0, 0, 0]}
    program.receive(line({"game": {"archipelagos": [{"index": 2, "islands": [island]}]}}))
    assert len(program.game.archipelagos) == 12
    assert program.game.archipelagos[2].tiles[3].students == [1, 0, 0, 0, 0]
    groups = full_status()["game"]["archipelagos"][:2]
    program.receive(line({"game": {"archipelagos": groups}}))
    assert len(program.game.archipelagos) == 2


def test_card_4_allows_two_steps_more_until_it_is_taken_back() -> None:
    program = playing(turn=1)
    assert program.game is not None
    player = program.game.players[0]
    program.receive(line({"game": {"players": [{"index": 0, "lastAssistantCardPlayed": 5}]}}))
    assert player.most_shifts == 3
    program.receive(line({"game": {"players": [{"index": 0, "addedShifts": True}]}}))
    assert player.most_shifts == 5
    program.receive(line({"game": {"players": [{"index": 0, "addedShifts": False}]}}))
    assert player.most_shifts == 3


def test_a_ping_is_no_answer_to_a_command() -> None:
    player = Am28Player(SeatAssignment("player0", "eriantys", 2, {}, 1, lambda: None, lambda _room: None, False))
    list(player.open())
    player.receive(line({"statusCode": 0, "first": False}))
    player.receive(line(full_status()))
    assert len(list(player.retry())) == 1
    assert list(player.receive(b"ping")) == [b"pong"]
    assert player.moves == 0
    assert list(player.retry()) == []


def test_a_player_who_returns_after_the_end_is_late() -> None:
    player = Am28Player(SeatAssignment("player0", "eriantys", 2, {}, 1, lambda: None, lambda _room: None, False))
    list(player.open())
    player.receive(line(full_status()))
    list(player.open())
    player.receive(line({"statusCode": 0, "first": True}))
    assert player.over
    assert player.received.late
