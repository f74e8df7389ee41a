"""The model of the AM24 program: it knows situations by texts, and its threads end where those of the original do."""

from typing import Any

import pytest

from loadtest.clients.eriantys.am24_program import ENDINGS, PROMPTS, Am24Program, ClientState

KEYS = [
    "lobby_created",
    "joined",
    "entered",
    "welcome_back",
    "game_started",
    "nickname_used",
    "mage_used",
    "towers_used",
    "lobby_full",
    "no_lobby",
    "bad_lobby",
    "other_assistant",
    "other_students",
    "other_mn",
    "other_cloud",
]
TEXTS: dict[str, Any] = {key: f"text of {key}" for key in (*KEYS, *PROMPTS, *ENDINGS)}
TEXTS["descriptions"] = {str(number): f"text of character {number}" for number in range(1, 13)}
STUDENTS = {"GREEN": 0, "RED": 0, "YELLOW": 0, "PINK": 0, "BLUE": 0}


def connection(key: str) -> dict[str, Any]:
    return {"type": "InformationConnection", "string": TEXTS[key], "lobbyIndex": 1}


def game(key: str) -> dict[str, Any]:
    return {"type": "InformationGame", "string": TEXTS[key]}


def player(name: str, towers: list[str | None]) -> dict[str, Any]:
    board = {"entrance": ["RED"], "towers": towers, "hall": STUDENTS}
    return {"nickname": name, "virtualCoins": 1, "virtualHand": {"mage": "MAGE1", "cards": []}, "virtualBoard": board}


def full_view(names: tuple[str, str] = ("ann", "bob")) -> dict[str, Any]:
    view = {
        "virtualWorld": [{"students": [], "towers": [], "noEntry": 0, "numSubIsland": 1} for _ in range(12)],
        "virtualPlayers": [player(names[0], ["BLACK"]), player(names[1], ["WHITE"])],
        "virtualClouds": [{"students": []}, {"students": []}],
        "virtualProfs": dict.fromkeys(STUDENTS),
        "virtualCharacters": [],
        "mnPos": 0,
    }
    return {"type": "FullView", "virtualView": view}


def seating() -> Am24Program:
    program = Am24Program(TEXTS)
    program.receive({"type": "Welcome", "lobbies": []})
    program.enter({"type": "GameParams"})
    return program


def playing() -> Am24Program:
    program = seating()
    for message in (connection("lobby_created"), full_view(), connection("game_started")):
        program.receive(message)
    assert program.state is ClientState.PLAYING
    return program


def test_a_ping_is_answered() -> None:
    assert seating().receive({"type": "Ping"}) == [{"type": "Pong"}]


def test_other_texts_than_its_own_never_start_the_program() -> None:
    program = seating()
    program.receive({"type": "InformationConnection", "string": "you have a seat", "lobbyIndex": 1})
    program.receive(connection("game_started"))
    assert program.state is ClientState.SEATING


def test_a_player_who_returns_draws_at_once() -> None:
    program = seating()
    program.receive(connection("welcome_back"))
    assert program.state is ClientState.PLAYING


def test_a_refused_seat_is_asked_for_again() -> None:
    program = seating()
    program.receive({"type": "Welcome", "lobbies": []})
    program.receive({"type": "Error", "string": TEXTS["mage_used"]})
    program.pause()
    assert program.state is ClientState.ASKS


def test_a_welcome_after_the_refusal_keeps_the_program_from_asking_again() -> None:
    program = seating()
    program.receive({"type": "Error", "string": TEXTS["mage_used"]})
    program.receive({"type": "Welcome", "lobbies": []})
    program.pause()
    assert program.state is ClientState.SEATING


def test_a_disconnection_ends_the_program() -> None:
    program = playing()
    program.receive({"type": "NotifyDisconnection", "string": "bob is away"})
    assert program.state is ClientState.EXITED


def test_unknown_types_are_noise() -> None:
    program = playing()
    program.receive({"type": "SelectAssistant", "available": [1]})
    assert program.noise == 1
    assert program.state is ClientState.PLAYING


def test_a_professor_must_be_a_player_object() -> None:
    program = playing()
    program.receive({"type": "UpdateProfs", "profs": {**dict.fromkeys(STUDENTS), "RED": {"nickname": "bob"}}})
    assert program.board.professors == [None, 1, None, None, None]
    program.receive({"type": "UpdateProfs", "profs": {**dict.fromkeys(STUDENTS), "RED": "bob"}})
    assert "the reader fails" in program.cause


@pytest.mark.parametrize("towers", [[], [None]], ids=["none", "null"])
def test_a_board_without_towers_cannot_be_drawn(towers: list[str | None]) -> None:
    program = playing()
    program.receive({"type": "UpdatePlayer", "player": player("bob", towers), "index": 1})
    program.receive(game("won"))
    assert program.state is ClientState.DEAD


def test_a_name_of_sixteen_characters_cannot_be_drawn() -> None:
    program = seating()
    for message in (connection("joined"), full_view(("ann", "b" * 16)), connection("game_started")):
        program.receive(message)
    assert program.state is ClientState.DEAD


def test_characters_in_a_list_lose_what_lies_on_them() -> None:
    program = playing()
    character = {"number": 1, "description": "text of character 1", "alreadyPlayed": False, "students": ["RED"]}
    program.receive({"type": "CreateCharacters", "characters": [character]})
    assert program.board.card(1).students == [0, 0, 0, 0, 0]
    program.receive({"type": "ReplaceCharacterStudents", "virtualCharacterWithStudents": character, "index": 0})
    assert program.board.card(1).students == [0, 1, 0, 0, 0]


def test_a_character_is_found_by_its_description() -> None:
    program = playing()
    character = {"number": 1, "description": "another text", "alreadyPlayed": False}
    program.receive({"type": "CreateCharacters", "characters": [character]})
    assert program.command({"type": "PlayCharacter", "c": "CHAR1"}) is None
    assert program.state is ClientState.DEAD
