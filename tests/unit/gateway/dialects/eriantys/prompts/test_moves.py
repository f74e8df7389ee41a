"""The dialect `eriantys.prompts`: moves, characters, refusals, and the end."""

from typing import Any

import pytest

from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import Seat
from tests.unit.gateway.dialects.eriantys.tables import PROMPTS, Seats, error_code, types
from tests.unit.shared.games.eriantys.positions import board, joined, with_card, with_seat, with_view

FIRST = Seat(0)
GREEN_OF_FIRST = (FIRST, None, None, None, None)
PARAMS = {"type": "GameParams", "numPlayers": 2, "expert": True, "nickname": "ann", "mage": "MAGE2"}
JOIN = {"type": "Join", "nickname": "bob", "mage": "MAGE3", "index": 1000}


def at(position: State) -> Seats:
    return Seats(PROMPTS, PROMPTS, position=position)


def information(player: str, phase: str) -> dict[str, Any]:
    return {"type": "InformationGame", "player": player, "phase": phase}


def without_text(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "string"}


# --- moves -----------------------------------------------------------------------------------------------------------


def test_an_assistant_moves_the_prompt_to_the_next_player() -> None:
    seats = at(board(phase=Phase.PLANNING))
    received = seats.send(0, {"type": "ChooseAssistant", "index": 3})
    assert types(received) == ["UpdatePlayer", "InformationGame"]
    assert received[0]["player"]["virtualLastAssistant"] == {"MNsteps": 2, "turn": 3}
    assert without_text(received[1]) == information("bob", "PLANNING")
    other = seats.received(1)
    assert other[1] == {"type": "SelectAssistant", "available": [1, 2, 4, 6, 7, 8, 9, 10]}
    assert seats.send(1, {"type": "ChooseAssistant", "index": 9})[-1]["phase"] == "MOVE_STUDENTS"
    assert seats.received(0)[-1] == {"type": "MoveStudentRequest", "left": 3}


def test_a_wrong_assistant_repeats_the_prompt() -> None:
    seats = at(board(phase=Phase.PLANNING))
    seats.send(0, {"type": "ChooseAssistant", "index": 3})
    received = seats.send(1, {"type": "ChooseAssistant", "index": 3})
    assert types(received) == ["Error", "SelectAssistant"]
    assert received[0]["code"] == "ASSISTANT_TAKEN"


def test_students_move_to_the_hall_and_to_an_island() -> None:
    seats = at(with_view(joined(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}), (3, 4)), moves=2))
    received = seats.send(0, {"type": "EntranceToHall", "colorS": "GREEN"})
    assert types(received) == ["UpdateProfs", "UpdatePlayer", "UpdateCoins", "MoveStudentRequest"]
    assert received[0]["profs"]["GREEN"] == "ann"
    assert received[0]["profs"]["RED"] is None
    assert received[1]["index"] == 0
    assert received[2]["coins"] == 9
    assert received[3]["left"] == 1
    assert types(seats.received(1)) == ["UpdateProfs", "UpdatePlayer", "UpdateCoins", "InformationGame"]
    received = seats.send(0, {"type": "MoveToIsland", "colorS": "RED", "index": 2})
    assert types(received) == ["UpdatePlayer", "UpdateIsland", "MoveMNRequest"]
    assert received[1]["index"] == 2
    assert received[1]["island"] == {"students": ["RED"], "towers": [], "noEntry": 0, "numSubIsland": 2}
    assert received[2]["maxSteps"] == 3


def test_mother_nature_sends_the_whole_world_only_after_a_merge() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    received = seats.send(0, {"type": "MoveMN", "steps": 1})
    assert types(received) == ["UpdatePlayer", "UpdateWorld", "UpdateMN", "SelectCloud"]
    assert received[1]["islands"][1] == {
        "students": ["GREEN"],
        "towers": ["BLACK", "BLACK"],
        "noEntry": 0,
        "numSubIsland": 2,
    }
    assert received[2]["index"] == 1
    assert received[3]["available"] == [0, 1]
    plain = at(board(phase=Phase.MOTHER))
    assert types(plain.send(0, {"type": "MoveMN", "steps": 2})) == ["UpdateMN", "SelectCloud"]


def test_the_last_cloud_begins_the_next_round() -> None:
    seats = at(with_view(board(phase=Phase.CLOUD), turn=FIRST))
    received = seats.send(0, {"type": "ChooseCloud", "index": 1})
    assert types(received) == ["UpdatePlayer", "ReplaceCloud", "InformationGame"]
    assert received[1] == {"type": "ReplaceCloud", "cloud": {"students": []}, "index": 1}
    seats.arrange(with_view(seats.position, phase=Phase.CLOUD))
    received = seats.send(1, {"type": "ChooseCloud", "index": 0})
    assert types(received) == ["UpdatePlayer", "CreateClouds", "InformationGame"]
    assert [len(cloud["students"]) for cloud in received[1]["clouds"]] == [3, 3]


def test_the_last_round_is_announced_once_and_the_game_ends() -> None:
    state = with_view(
        board(phase=Phase.CLOUD), turn=Seat(1), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0)), bag=(1, 0, 0, 0, 0)
    )
    seats = at(state)
    received = seats.send(1, {"type": "ChooseCloud", "index": 1})
    assert {"type": "GameMustEnd", "reason": "BAG"} in received
    assert {"type": "ReplaceCloud", "cloud": {"students": []}, "index": 1} in received
    assert "CreateClouds" not in types(received)
    assert {"type": "GameMustEnd", "reason": "BAG"} in seats.received(0)
    hands = with_seat(with_seat(board(phase=Phase.PLANNING), 0, hand=(7,)), 1, hand=(8,))
    seats = at(hands)
    received = seats.send(0, {"type": "ChooseAssistant", "index": 7})
    assert received[1] == {"type": "GameMustEnd", "reason": "ASSISTANTS"}
    assert "GameMustEnd" not in types(seats.send(1, {"type": "ChooseAssistant", "index": 8}))


def test_the_end_leads_back_to_the_lobbies() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1))
    received = seats.send(0, {"type": "MoveMN", "steps": 1})
    assert types(received) == ["UpdatePlayer", "UpdateIsland", "UpdateMN", "GameEnded", "Welcome"]
    assert received[3] == {"type": "GameEnded", "winner": "ann", "winners": ["ann"]}
    assert types(seats.received(1))[-2:] == ["GameEnded", "Welcome"]
    assert seats.send(0, {**PARAMS, "nickname": "zoe"})[0]["lobbyIndex"] == 1001
    assert seats.send(1, {**JOIN, "nickname": "ann", "index": 1001})[0]["lobbyIndex"] == 1001


def test_a_draw_has_no_winner_and_a_team_is_named_by_its_keeper() -> None:
    draw = at(with_view(board(phase=Phase.CLOUD, last_round="bag"), turn=Seat(1)))
    received = draw.send(1, {"type": "ChooseCloud", "index": 0})
    assert {"type": "GameEnded", "winner": None, "winners": ["ann", "bob"]} in received
    teams = with_seat(board(4, phase=Phase.CLOUD, last_round="bag"), 1, towers=3)
    seats = Seats(*[PROMPTS] * 4, position=with_view(teams, turn=Seat(3)))
    received = seats.send(3, {"type": "ChooseCloud", "index": 0})
    assert {"type": "GameEnded", "winner": "bob", "winners": ["bob", "dan"]} in received


# --- characters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [{"c": "CHAR4"}, {"c": 4}, {"c": "4"}, {"character": "CHAR4"}])
def test_a_character_without_a_choice_takes_effect_at_once(name: dict[str, Any]) -> None:
    seats = at(board(phase=Phase.MOTHER, cards=(4,)))
    received = seats.send(0, {"type": "PlayCharacter", **name})
    assert types(received) == ["UpdatePlayer", "ReplaceCharacter", "UpdateActiveCharacter", "MoveMNRequest"]
    assert received[1]["character"] == {
        "number": 4,
        "description": received[1]["character"]["description"],
        "cost": 2,
        "alreadyPlayed": True,
        "active": True,
    }
    assert received[2] == {"type": "UpdateActiveCharacter", "index": 0, "active": True}
    assert received[3]["maxSteps"] == 5


def test_a_dearer_payment_shows_in_the_bank() -> None:
    received = at(board(cards=(3,))).send(0, {"type": "PlayCharacter", "c": "CHAR3"})
    assert {"type": "UpdateCoins", "coins": 12} in received


def test_the_choice_may_wait_and_the_turn_is_held_for_it() -> None:
    seats = at(board(phase=Phase.CLOUD, cards=(9,)))
    assert types(seats.send(0, {"type": "PlayCharacter", "c": "CHAR9"}))[-1] == "SelectCloud"
    received = seats.send(0, {"type": "ChooseCloud", "index": 0})
    assert without_text(received[-1]) == information("ann", "CHARACTER_ACTION")
    assert without_text(seats.received(1)[-1]) == information("ann", "CHARACTER_ACTION")
    assert error_code(seats.send(0, {"type": "ChooseIsland", "islandIndex": 1})) == "NO_CHOICE"
    received = seats.send(0, {"type": "ChooseColor", "color": "RED"})
    assert received[0] == {"type": "UpdateActiveCharacter", "index": 0, "active": False}
    assert without_text(received[-1]) == information("bob", "MOVE_STUDENTS")


def test_the_herald_and_the_herbalist_choose_islands() -> None:
    state = board(cards=(3,), students={4: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR3"})
    received = seats.send(0, {"type": "ChooseIsland", "islandIndex": 3})
    assert types(received) == ["UpdatePlayer", "UpdateIsland", "MoveStudentRequest"]
    blocking = at(board(cards=(5,)))
    blocking.send(0, {"type": "PlayCharacter", "c": "CHAR5"})
    assert error_code(blocking.send(0, {"type": "ChooseIsland", "islandIndex": 12})) == "NO_SUCH_ISLAND"
    received = blocking.send(0, {"type": "ChooseIsland", "islandIndex": 11})
    assert types(received) == ["UpdateIsland", "ReplaceCharacterWithNoEntry", "MoveStudentRequest"]
    assert received[0]["island"]["noEntry"] == 1
    assert received[1]["characterWithNoEntry"]["noEntry"] == 3


def test_a_blocked_group_gives_its_tile_back() -> None:
    groups = tuple(Group((n,), no_entry=1 if n == 2 else 0) for n in range(1, 13))
    seats = at(with_card(with_view(board(phase=Phase.MOTHER, cards=(5,)), groups=groups), 5, no_entry=3))
    received = seats.send(0, {"type": "MoveMN", "steps": 1})
    assert types(received) == ["UpdateIsland", "UpdateMN", "ReplaceCharacterWithNoEntry", "SelectCloud"]


def test_the_monk_and_the_princess_place_students() -> None:
    seats = at(board(cards=(1,)))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR1"})
    received = seats.send(0, {"type": "SpecialMoveIsland", "student": "GREEN", "islandIndex": 5})
    assert types(received) == ["UpdateIsland", "ReplaceCharacterStudents", "MoveStudentRequest"] or types(received) == [
        "UpdateIsland",
        "MoveStudentRequest",
    ]
    princess = at(board(cards=(11,)))
    princess.send(0, {"type": "PlayCharacter", "c": "CHAR11"})
    received = princess.send(0, {"type": "ChooseColor", "color": "GREEN"})
    assert types(received)[:2] == ["UpdateProfs", "UpdatePlayer"]


def test_two_colors_for_the_jester_are_entrance_then_card() -> None:
    seats = at(board(cards=(7,)))
    received = seats.send(0, {"type": "PlayCharacter", "c": "CHAR7"})
    assert "ReplaceCharacterStudents" in types(received)
    swap = {"type": "ChooseTwoColors", "firstColor": "GREEN", "secondColor": "BLUE"}
    assert types(seats.send(0, swap)) == ["UpdatePlayer", "ReplaceCharacterStudents", "MoveStudentRequest"]
    assert seats.position.view.players[0].entrance == (1, 2, 1, 1, 2)
    seats.send(0, {"type": "EntranceToHall", "colorS": "RED"})


def test_swaps_stay_open_and_the_first_one_ends_a_held_turn() -> None:
    seats = at(board(cards=(7,), phase=Phase.CLOUD))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR7"})
    seats.send(0, {"type": "ChooseCloud", "index": 0})
    received = seats.send(0, {"type": "ChooseTwoColors", "firstColor": "GREEN", "secondColor": "BLUE"})
    assert received[-1]["player"] == "bob"


def test_two_colors_for_the_minstrel_are_hall_then_entrance() -> None:
    seats = at(board(cards=(10,), halls={0: (0, 1, 0, 0, 0)}))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR10"})
    received = seats.send(0, {"type": "ChooseTwoColors", "firstColor": "RED", "secondColor": "GREEN"})
    assert types(received) == ["UpdateProfs", "UpdatePlayer", "MoveStudentRequest"]
    assert seats.position.view.players[0].hall == (1, 0, 0, 0, 0)


def test_the_thief_updates_every_player_who_loses_students() -> None:
    state = board(cards=(12,), halls={0: (1, 0, 0, 0, 0), 1: (4, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=(Seat(1), None, None, None, None)))
    seats.send(0, {"type": "PlayCharacter", "c": "CHAR12"})
    assert types(seats.send(0, {"type": "ChooseColor", "color": "GREEN"})) == [
        "UpdatePlayer",
        "UpdatePlayer",
        "MoveStudentRequest",
    ]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "message", "expected"),
    [
        (board(), {"type": "ChooseAssistant", "index": 3}, "WRONG_PHASE"),
        (board(), {"type": "MoveToIsland", "colorS": "GREEN", "index": 12}, "NO_SUCH_ISLAND"),
        (board(halls={0: (10, 0, 0, 0, 0)}), {"type": "EntranceToHall", "colorS": "GREEN"}, "ROW_FULL"),
        (board(phase=Phase.MOTHER), {"type": "MoveMN", "steps": 4}, "STEPS"),
        (board(phase=Phase.CLOUD), {"type": "ChooseCloud", "index": -1}, "NO_SUCH_CLOUD"),
        (board(), {"type": "PlayCharacter", "c": "CHAR3"}, "SIMPLE_GAME"),
        (board(cards=(4,)), {"type": "PlayCharacter", "c": "CHAR13"}, "NO_SUCH_CARD"),
        (with_seat(board(cards=(4,)), 0, coins=0), {"type": "PlayCharacter", "c": "CHAR4"}, "NO_COINS"),
        (board(cards=(4,)), {"type": "ChooseColor", "color": "RED"}, "NO_CHOICE"),
        (board(cards=(4,)), {"type": "ChooseTwoColors", "firstColor": "RED", "secondColor": "RED"}, "NO_CHOICE"),
        (board(cards=(4,)), {"type": "SpecialMoveIsland", "student": "RED", "islandIndex": 3}, "NO_CHOICE"),
    ],
)
def test_illegal_moves_are_refused_with_their_code(position: State, message: dict[str, Any], expected: str) -> None:
    seats = at(position)
    assert error_code(seats.send(0, message)) == expected
    assert seats.received(1) == []
    assert seats.position == seats.arranged
    assert error_code(seats.send(1, message)) == "NOT_YOUR_TURN"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"7",
        b"[]",
        b"{}",
        b'{"type":"Join","nickname":"x","mage":"MAGE1"}',
        b'{"type":"Join","nickname":"x","mage":"GANDALF","index":1000}',
        b'{"type":"GameParams","numPlayers":"2","expert":true,"nickname":"x","mage":"MAGE1"}',
        b'{"type":"GameParams","numPlayers":2,"expert":1,"nickname":"x","mage":"MAGE1"}',
        b'{"type":"MoveMN","steps":null}',
        b'{"type":"MoveMN","steps":true}',
        b'{"type":"EntranceToHall","colorS":"green"}',
        b'{"type":"PlayCharacter"}',
        b'{"type":"PlayCharacter","c":"CHARLIE"}',
        b'{"type":"PlayCharacter","c":"CHAR"}',
        b'{"type":"PlayCharacter","c":1.5}',
    ],
)
def test_malformed_frames_are_refused(frame: bytes) -> None:
    assert error_code(at(board()).send(0, frame)) == "FRAME_MALFORMED"


def test_an_unknown_message_type_is_refused_as_such() -> None:
    assert error_code(at(board()).send(0, b'{"type":"Dance"}')) == "FRAME_UNKNOWN_TYPE"
