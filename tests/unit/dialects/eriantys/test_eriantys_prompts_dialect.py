"""The dialect `eriantys.prompts`: every message, in both directions."""

from typing import Any

import pytest

from gateway.dialects.base import Hangup
from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import Seat
from tests.support.eriantys_table import House
from tests.unit.dialects.eriantys.tables import EVENTS, PROMPTS, Seats, types
from tests.unit.games.eriantys.building import board, joined, with_card, with_seat, with_view

FIRST = Seat(0)
GREEN_OF_FIRST = (FIRST, None, None, None, None)
PARAMS = {"type": "GameParams", "numPlayers": 2, "expert": True, "nickname": "ann", "mage": "MAGE2"}
JOIN = {"type": "Join", "nickname": "bob", "mage": "MAGE3", "index": 1000}


def code(answer: list[Any]) -> str:
    """The code of a refusal, which is all that is said."""
    assert types(answer) == ["Error"]
    assert answer[0]["string"]
    found: str = answer[0]["code"]
    return found


def at(position: State) -> Seats:
    return Seats(PROMPTS, PROMPTS, position=position)


def information(player: str, phase: str) -> dict[str, Any]:
    return {"type": "InformationGame", "player": player, "phase": phase}


def without_text(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "string"}


# --- lobbies ---------------------------------------------------------------------------------------------------------


def test_a_client_is_welcomed_and_sees_lobbies_change() -> None:
    house = House()
    ann, dan = house.connect(PROMPTS), house.connect(PROMPTS)
    assert dan.told() == [{"type": "Welcome", "lobbies": []}]
    assert ann.told() == [{"type": "Welcome", "lobbies": []}]
    entered = ann.say({**PARAMS, "colorT": "WHITE"})
    assert entered == [{"type": "InformationConnection", "string": "you have a seat (1 of 2)", "lobbyIndex": 1000}]
    lobby = {
        "nicknames": ["ann"],
        "numPlayers": 2,
        "mages": ["MAGE2"],
        "towers": ["WHITE"],
        "mode": True,
        "gameStatus": "SETUP",
        "lobbyIndex": 1000,
    }
    assert dan.told() == [{"type": "Welcome", "lobbies": [lobby]}]
    house.connect(PROMPTS).say(JOIN)
    assert dan.told()[-1]["lobbies"][0]["gameStatus"] == "PLAYING"


def test_a_paused_game_shows_as_such() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    assert seats.house.connect(PROMPTS).told()[0]["lobbies"][0]["gameStatus"] == "PAUSE"


def test_everybody_in_the_lobby_hears_of_a_newcomer() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say({**PARAMS, "numPlayers": 3})
    bob = house.connect(PROMPTS)
    assert types(bob.say(JOIN)) == ["InformationConnection"]
    assert ann.told() == [{"type": "InformationConnection", "string": "bob has joined (2 of 3)", "lobbyIndex": 1000}]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({**JOIN, "nickname": "ann"}, "NAME_TAKEN"),
        ({**JOIN, "mage": "MAGE2"}, "MAGE_TAKEN"),
        ({**JOIN, "colorT": "BLACK"}, "TOWER_TAKEN"),
        ({**JOIN, "colorT": "GREY"}, "TOWER_TAKEN"),
        ({**JOIN, "index": 999}, "ROOM_UNKNOWN"),
        ({**JOIN, "index": -(10**40)}, "ROOM_UNKNOWN"),
        ({**JOIN, "nickname": ""}, "NAME_BAD"),
    ],
)
def test_a_failed_join_is_followed_by_the_lobbies(message: dict[str, Any], expected: str) -> None:
    house = House()
    house.connect(PROMPTS).say(PARAMS)
    bob = house.connect(PROMPTS)
    bob.told()
    told = bob.say(message)
    assert types(told) == ["Error", "Welcome"]
    assert told[0]["code"] == expected
    assert bob.say(JOIN)[0]["type"] == "InformationConnection"


def test_failed_parameters_leave_the_name_free() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    assert code(ann.say({**PARAMS, "numPlayers": 5})) == "ROOM_BAD_SEATS"
    assert code(ann.say({**PARAMS, "colorT": "GREY"})) == "TOWER_TAKEN"
    assert types(ann.say(PARAMS)) == ["InformationConnection"]
    assert code(ann.say(PARAMS)) == "ROOM_SEATED"
    assert code(ann.say(JOIN)) == "ROOM_SEATED"
    assert code(ann.say({"type": "MoveMN", "steps": 1})) == "ROOM_NOT_STARTED"


def test_in_a_game_of_four_the_tower_is_given_by_team() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say({**PARAMS, "numPlayers": 4, "colorT": "GREY"})
    assert house.rooms[next(iter(house.rooms))].people[FIRST].choice["tower"] == "BLACK"


def test_a_private_room_is_joined_by_its_number() -> None:
    house = House()
    ann = house.connect(EVENTS)
    ann.say({"type": "Login", "username": "ann"})
    ann.say({"type": "CreateRoom", "numberOfPlayers": 2, "expert": False, "private": True})
    bob = house.connect(PROMPTS)
    assert bob.told() == [{"type": "Welcome", "lobbies": []}]
    assert bob.say(JOIN)[0]["lobbyIndex"] == 1000


# --- signs of life ---------------------------------------------------------------------------------------------------


def test_pings_go_out_and_five_unanswered_ones_close() -> None:
    line = House().connect(PROMPTS)
    line.told()
    assert line.talk.tick_ms == 1000
    for _ in range(4):
        assert line.tick() == [{"type": "Ping"}]
    assert line.say({"type": "Pong"}) == []
    for _ in range(5):
        assert line.tick() == [{"type": "Ping"}]
    assert not line.is_closed
    assert line.tick() == []
    assert isinstance(line.closed, Hangup)
    assert line.tick() == []


def test_a_pong_neither_counts_as_nonsense_nor_ends_a_row_of_it() -> None:
    line = House().connect(PROMPTS)
    for _ in range(19):
        line.say(b"{")
        line.say({"type": "Pong"})
    assert not line.is_closed
    assert code(line.say(b"{")) == "FRAME_MALFORMED"
    assert line.closed is not None


def test_disconnect_leaves_a_lobby_and_keeps_the_seat_in_a_game() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say(PARAMS)
    assert ann.say({"type": "Disconnect"}) == []
    assert isinstance(ann.closed, Hangup)
    assert house.rooms[next(iter(house.rooms))].people == {}
    seats = at(board())
    seats.say(0, {"type": "Disconnect"})
    assert seats.lines[0].closed is not None
    assert seats.room.people[FIRST].name == "ann"
    stranger = House().connect(PROMPTS)
    stranger.say({"type": "Disconnect"})
    assert stranger.closed is not None


# --- the start -------------------------------------------------------------------------------------------------------


def test_the_start() -> None:
    house = House()
    ann = house.connect(PROMPTS)
    ann.say(PARAMS)
    ann.told()
    bob = house.connect(PROMPTS)
    told = bob.say(JOIN)
    assert types(told)[:4] == ["InformationConnection", "FullView", "CreateCharacters", "GameStart"]
    view = told[1]["virtualView"]
    assert set(view) == {
        "virtualWorld",
        "virtualPlayers",
        "virtualClouds",
        "virtualProfs",
        "virtualCharacters",
        "virtualCoins",
        "mnPos",
    }
    assert len(view["virtualWorld"]) == 12
    assert set(view["virtualWorld"][0]) == {"students", "towers", "noEntry", "numSubIsland"}
    assert view["virtualProfs"] == dict.fromkeys(("GREEN", "RED", "YELLOW", "PINK", "BLUE"))
    assert view["virtualCoins"] == 18
    player = view["virtualPlayers"][1]
    assert set(player) == {"nickname", "virtualCoins", "virtualHand", "virtualBoard"}
    assert player["virtualHand"]["mage"] == "MAGE3"
    assert player["virtualHand"]["cards"][4] == {"MNsteps": 3, "turn": 5}
    assert player["virtualBoard"]["towers"] == ["WHITE"] * 8
    assert player["virtualBoard"]["hall"] == dict.fromkeys(("GREEN", "RED", "YELLOW", "PINK", "BLUE"), 0)
    assert set(told[2]["characters"][0]) >= {"number", "alreadyPlayed", "description", "cost", "active"}
    both = {types(told)[-1], types(ann.told())[-1]}
    assert both == {"SelectAssistant", "InformationGame"}


def test_a_simple_game_has_no_characters_and_no_coins() -> None:
    seats = Seats(PROMPTS, PROMPTS, expert=False)
    seats.house.lose(seats.lines[1])
    again = seats.house.connect(PROMPTS)
    told = again.say({**JOIN, "mage": "MAGE2"})
    assert types(told)[:2] == ["InformationConnection", "FullView"]
    view = told[1]["virtualView"]
    assert view["virtualCharacters"] == []
    assert view["virtualCoins"] == view["virtualPlayers"][0]["virtualCoins"] == 0


# --- moves -----------------------------------------------------------------------------------------------------------


def test_assistants_and_prompts() -> None:
    seats = at(board(phase=Phase.PLANNING))
    told = seats.say(0, {"type": "ChooseAssistant", "index": 3})
    assert types(told) == ["UpdatePlayer", "InformationGame"]
    assert told[0]["player"]["virtualLastAssistant"] == {"MNsteps": 2, "turn": 3}
    assert without_text(told[1]) == information("bob", "PLANNING")
    other = seats.told(1)
    assert other[1] == {"type": "SelectAssistant", "available": [1, 2, 4, 6, 7, 8, 9, 10]}
    assert seats.say(1, {"type": "ChooseAssistant", "index": 9})[-1]["phase"] == "MOVE_STUDENTS"
    assert seats.told(0)[-1] == {"type": "MoveStudentRequest", "left": 3}


def test_a_wrong_assistant_repeats_the_prompt() -> None:
    seats = at(board(phase=Phase.PLANNING))
    seats.say(0, {"type": "ChooseAssistant", "index": 3})
    told = seats.say(1, {"type": "ChooseAssistant", "index": 3})
    assert types(told) == ["Error", "SelectAssistant"]
    assert told[0]["code"] == "ASSISTANT_TAKEN"


def test_students_to_the_hall_and_to_an_island() -> None:
    seats = at(with_view(joined(board(cards=(2,), halls={0: (2, 0, 0, 0, 0)}), (3, 4)), moves=2))
    told = seats.say(0, {"type": "EntranceToHall", "colorS": "GREEN"})
    assert types(told) == ["UpdateProfs", "UpdatePlayer", "UpdateCoins", "MoveStudentRequest"]
    assert told[0]["profs"]["GREEN"] == "ann"
    assert told[0]["profs"]["RED"] is None
    assert told[1]["index"] == 0
    assert told[2]["coins"] == 9
    assert told[3]["left"] == 1
    assert types(seats.told(1)) == ["UpdateProfs", "UpdatePlayer", "UpdateCoins", "InformationGame"]
    told = seats.say(0, {"type": "MoveToIsland", "colorS": "RED", "index": 2})
    assert types(told) == ["UpdatePlayer", "UpdateIsland", "MoveMNRequest"]
    assert told[1]["index"] == 2
    assert told[1]["island"] == {"students": ["RED"], "towers": [], "noEntry": 0, "numSubIsland": 2}
    assert told[2]["maxSteps"] == 3


def test_mother_nature_with_and_without_a_merge() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={3: Tower.BLACK})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    told = seats.say(0, {"type": "MoveMN", "steps": 1})
    assert types(told) == ["UpdatePlayer", "UpdateWorld", "UpdateMN", "SelectCloud"]
    assert told[1]["islands"][1] == {
        "students": ["GREEN"],
        "towers": ["BLACK", "BLACK"],
        "noEntry": 0,
        "numSubIsland": 2,
    }
    assert told[2]["index"] == 1
    assert told[3]["available"] == [0, 1]
    plain = at(board(phase=Phase.MOTHER))
    assert types(plain.say(0, {"type": "MoveMN", "steps": 2})) == ["UpdateMN", "SelectCloud"]


def test_clouds_and_the_next_round() -> None:
    seats = at(with_view(board(phase=Phase.CLOUD), turn=FIRST))
    told = seats.say(0, {"type": "ChooseCloud", "index": 1})
    assert types(told) == ["UpdatePlayer", "ReplaceCloud", "InformationGame"]
    assert told[1] == {"type": "ReplaceCloud", "cloud": {"students": []}, "index": 1}
    seats.house.arrange(seats.room, with_view(seats.room.state, phase=Phase.CLOUD))
    told = seats.say(1, {"type": "ChooseCloud", "index": 0})
    assert types(told) == ["UpdatePlayer", "CreateClouds", "InformationGame"]
    assert [len(cloud["students"]) for cloud in told[1]["clouds"]] == [3, 3]


def test_the_last_round_is_announced_once_and_the_game_ends() -> None:
    state = with_view(
        board(phase=Phase.CLOUD), turn=Seat(1), clouds=(NO_STUDENTS, (1, 0, 0, 0, 0)), bag=(1, 0, 0, 0, 0)
    )
    seats = at(state)
    told = seats.say(1, {"type": "ChooseCloud", "index": 1})
    assert {"type": "GameMustEnd", "reason": "BAG"} in told
    assert {"type": "GameMustEnd", "reason": "BAG"} in seats.told(0)
    hands = with_seat(with_seat(board(phase=Phase.PLANNING), 0, hand=(7,)), 1, hand=(8,))
    seats = at(hands)
    told = seats.say(0, {"type": "ChooseAssistant", "index": 7})
    assert told[1] == {"type": "GameMustEnd", "reason": "ASSISTANTS"}
    assert "GameMustEnd" not in types(seats.say(1, {"type": "ChooseAssistant", "index": 8}))


def test_the_end_leads_back_to_the_lobbies() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    seats = at(with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1))
    told = seats.say(0, {"type": "MoveMN", "steps": 1})
    assert types(told) == ["UpdatePlayer", "UpdateIsland", "UpdateMN", "GameEnded", "Welcome"]
    assert told[3] == {"type": "GameEnded", "winner": "ann", "winners": ["ann"]}
    assert types(seats.told(1))[-2:] == ["GameEnded", "Welcome"]
    assert seats.say(0, {**PARAMS, "nickname": "zoe"})[0]["lobbyIndex"] == 1001
    assert seats.say(1, {**JOIN, "nickname": "ann", "index": 1001})[0]["lobbyIndex"] == 1001


def test_a_draw_has_no_winner_and_a_team_is_named_by_its_keeper() -> None:
    draw = at(with_view(board(phase=Phase.CLOUD, last_round="bag"), turn=Seat(1)))
    told = draw.say(1, {"type": "ChooseCloud", "index": 0})
    assert {"type": "GameEnded", "winner": None, "winners": ["ann", "bob"]} in told
    teams = with_seat(board(4, phase=Phase.CLOUD, last_round="bag"), 1, towers=3)
    seats = Seats(*[PROMPTS] * 4, position=with_view(teams, turn=Seat(3)))
    told = seats.say(3, {"type": "ChooseCloud", "index": 0})
    assert {"type": "GameEnded", "winner": "bob", "winners": ["bob", "dan"]} in told


# --- characters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [{"c": "CHAR4"}, {"c": 4}, {"c": "4"}, {"character": "CHAR4"}])
def test_a_character_that_asks_for_nothing(name: dict[str, Any]) -> None:
    seats = at(board(phase=Phase.MOTHER, cards=(4,)))
    told = seats.say(0, {"type": "PlayCharacter", **name})
    assert types(told) == ["UpdatePlayer", "ReplaceCharacter", "UpdateActiveCharacter", "MoveMNRequest"]
    assert told[1]["character"] == {
        "number": 4,
        "description": told[1]["character"]["description"],
        "cost": 2,
        "alreadyPlayed": True,
        "active": True,
    }
    assert told[2] == {"type": "UpdateActiveCharacter", "index": 0, "active": True}
    assert told[3]["maxSteps"] == 5


def test_a_dearer_payment_shows_in_the_bank() -> None:
    told = at(board(cards=(3,))).say(0, {"type": "PlayCharacter", "c": "CHAR3"})
    assert {"type": "UpdateCoins", "coins": 12} in told


def test_the_choice_may_wait_and_the_turn_is_held_for_it() -> None:
    seats = at(board(phase=Phase.CLOUD, cards=(9,)))
    assert types(seats.say(0, {"type": "PlayCharacter", "c": "CHAR9"}))[-1] == "SelectCloud"
    told = seats.say(0, {"type": "ChooseCloud", "index": 0})
    assert without_text(told[-1]) == information("ann", "CHARACTER_ACTION")
    assert without_text(seats.told(1)[-1]) == information("ann", "CHARACTER_ACTION")
    assert code(seats.say(0, {"type": "ChooseIsland", "islandIndex": 1})) == "NO_CHOICE"
    told = seats.say(0, {"type": "ChooseColor", "color": "RED"})
    assert told[0] == {"type": "UpdateActiveCharacter", "index": 0, "active": False}
    assert without_text(told[-1]) == information("bob", "MOVE_STUDENTS")


def test_the_herald_and_the_herbalist() -> None:
    state = board(cards=(3,), students={4: (1, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=GREEN_OF_FIRST))
    seats.say(0, {"type": "PlayCharacter", "c": "CHAR3"})
    told = seats.say(0, {"type": "ChooseIsland", "islandIndex": 3})
    assert types(told) == ["UpdatePlayer", "UpdateIsland", "MoveStudentRequest"]
    blocking = at(board(cards=(5,)))
    blocking.say(0, {"type": "PlayCharacter", "c": "CHAR5"})
    assert code(blocking.say(0, {"type": "ChooseIsland", "islandIndex": 12})) == "NO_SUCH_ISLAND"
    told = blocking.say(0, {"type": "ChooseIsland", "islandIndex": 11})
    assert types(told) == ["UpdateIsland", "ReplaceCharacterWithNoEntry", "MoveStudentRequest"]
    assert told[0]["island"]["noEntry"] == 1
    assert told[1]["characterWithNoEntry"]["noEntry"] == 3


def test_a_blocked_group_gives_its_tile_back() -> None:
    groups = tuple(Group((n,), no_entry=1 if n == 2 else 0) for n in range(1, 13))
    seats = at(with_card(with_view(board(phase=Phase.MOTHER, cards=(5,)), groups=groups), 5, no_entry=3))
    told = seats.say(0, {"type": "MoveMN", "steps": 1})
    assert types(told) == ["UpdateIsland", "UpdateMN", "ReplaceCharacterWithNoEntry", "SelectCloud"]


def test_the_monk_and_the_princess() -> None:
    seats = at(board(cards=(1,)))
    seats.say(0, {"type": "PlayCharacter", "c": "CHAR1"})
    told = seats.say(0, {"type": "SpecialMoveIsland", "student": "GREEN", "islandIndex": 5})
    assert types(told) == ["UpdateIsland", "ReplaceCharacterStudents", "MoveStudentRequest"] or types(told) == [
        "UpdateIsland",
        "MoveStudentRequest",
    ]
    princess = at(board(cards=(11,)))
    princess.say(0, {"type": "PlayCharacter", "c": "CHAR11"})
    told = princess.say(0, {"type": "ChooseColor", "color": "GREEN"})
    assert types(told)[:2] == ["UpdateProfs", "UpdatePlayer"]


def test_two_colours_for_the_jester_are_entrance_then_card() -> None:
    seats = at(board(cards=(7,)))
    told = seats.say(0, {"type": "PlayCharacter", "c": "CHAR7"})
    assert "ReplaceCharacterStudents" in types(told)
    swap = {"type": "ChooseTwoColors", "firstColor": "GREEN", "secondColor": "BLUE"}
    assert types(seats.say(0, swap)) == ["UpdatePlayer", "ReplaceCharacterStudents", "MoveStudentRequest"]
    assert seats.room.state.view.players[0].entrance == (1, 2, 1, 1, 2)
    seats.say(0, {"type": "EntranceToHall", "colorS": "RED"})


def test_swaps_stay_open_and_the_first_one_ends_a_held_turn() -> None:
    seats = at(board(cards=(7,), phase=Phase.CLOUD))
    seats.say(0, {"type": "PlayCharacter", "c": "CHAR7"})
    seats.say(0, {"type": "ChooseCloud", "index": 0})
    told = seats.say(0, {"type": "ChooseTwoColors", "firstColor": "GREEN", "secondColor": "BLUE"})
    assert told[-1]["player"] == "bob"


def test_two_colours_for_the_minstrel_are_hall_then_entrance() -> None:
    seats = at(board(cards=(10,), halls={0: (0, 1, 0, 0, 0)}))
    seats.say(0, {"type": "PlayCharacter", "c": "CHAR10"})
    told = seats.say(0, {"type": "ChooseTwoColors", "firstColor": "RED", "secondColor": "GREEN"})
    assert types(told) == ["UpdateProfs", "UpdatePlayer", "MoveStudentRequest"]
    assert seats.room.state.view.players[0].hall == (1, 0, 0, 0, 0)


def test_the_thief() -> None:
    state = board(cards=(12,), halls={0: (1, 0, 0, 0, 0), 1: (4, 0, 0, 0, 0)})
    seats = at(with_view(state, professors=(Seat(1), None, None, None, None)))
    seats.say(0, {"type": "PlayCharacter", "c": "CHAR12"})
    assert types(seats.say(0, {"type": "ChooseColor", "color": "GREEN"})) == [
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
def test_what_the_rules_refuse(position: State, message: dict[str, Any], expected: str) -> None:
    seats = at(position)
    assert code(seats.say(0, message)) == expected
    assert seats.told(1) == []
    assert seats.room.state == position
    assert code(seats.say(1, message)) == "NOT_YOUR_TURN"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"7",
        b"[]",
        b"{}",
        b'{"type":"Dance"}',
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
def test_ill_formed_frames_are_refused(frame: bytes) -> None:
    assert code(at(board()).say(0, frame)) == "FRAME_MALFORMED"


# --- coming back -----------------------------------------------------------------------------------------------------


def test_a_lost_player_comes_back_by_nickname() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, cards=(4,)))
    seats.house.lose(seats.lines[0])
    assert types(seats.told(1)) == ["NotifyDisconnection"]
    again = seats.house.connect(PROMPTS)
    told = again.say({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert types(told) == ["InformationConnection", "FullView", "CreateCharacters", "MoveStudentRequest"]
    assert types(seats.told(1)) == ["InformationConnection"]
    third = seats.house.connect(PROMPTS)
    third.told()
    wrong = third.say({"type": "Join", "nickname": "ann", "mage": "MAGE1", "index": 1000})
    assert wrong[0]["code"] == "NAME_TAKEN"
    stranger = third.say({"type": "Join", "nickname": "eve", "mage": "MAGE1", "index": 1000})
    assert stranger[0]["code"] == "ROOM_STARTED"


def test_the_pause_and_the_end_of_it() -> None:
    seats = at(board())
    seats.house.lose(seats.lines[1])
    told = seats.told(0)
    assert types(told) == ["NotifyDisconnection", "InformationGame"]
    assert code(seats.say(0, {"type": "EntranceToHall", "colorS": "GREEN"})) == "PAUSED"
    again = seats.house.connect(PROMPTS)
    again.say(JOIN)
    assert types(seats.told(0)) == ["InformationConnection", "MoveStudentRequest"]
    seats.house.lose(again)
    seats.quiet()
    seats.house.deadline(seats.room)
    assert types(seats.told(0)) == ["GameEnded", "Welcome"]


def test_the_turns_of_a_lost_player_are_played_by_the_game() -> None:
    seats = Seats(PROMPTS, PROMPTS, PROMPTS, position=board(3, phase=Phase.PLANNING))
    seats.house.lose(seats.lines[0])
    seats.quiet()
    seats.house.deadline(seats.room)
    told = seats.told(1)
    assert told[0]["player"]["virtualLastAssistant"]["turn"] == 10
    assert types(told) == ["UpdatePlayer", "SelectAssistant"]
