"""A room in memory has seats, bots, timers and recovery, with the code that workers run."""

import pytest

from shared.games.stones import GAME, Take
from tavolata.testing import CommandRefused
from tavolata.testing.rooms import GameRoom


def kinds(room: GameRoom, name: str = "") -> list[str]:
    return [event["type"] for event in room.seen_by(name)]


def test_a_game_begins_when_all_seats_are_taken() -> None:
    room = GameRoom(GAME)
    assert room.enter("ada") == 0
    assert room.view("ada")["status"] == "waiting"
    assert room.enter("bob") == 1
    assert room.view("bob")["status"] == "playing"


def test_a_command_returns_what_its_player_sees() -> None:
    room = GameRoom(GAME)
    room.enter("ada")
    room.enter("bob")
    assert room.act("ada", Take(2)) == [{"type": "taken", "seat": 0, "count": 2}]
    with pytest.raises(CommandRefused) as refused:
        room.act("ada", Take(1))
    assert refused.value.code == "game/not_your_turn"


def test_a_bot_moves_when_its_time_has_come() -> None:
    room = GameRoom(GAME, bots=1)
    room.enter("ada")
    room.act("ada", Take(1))
    room.advance(500)
    assert kinds(room).count("taken") == 1
    room.advance(100)
    assert kinds(room).count("taken") == 2


def test_a_player_who_stays_away_is_replaced_by_the_bot() -> None:
    room = GameRoom(GAME)
    room.enter("ada")
    room.enter("bob")
    room.lose("ada")
    room.advance(30_000)
    assert kinds(room, "bob")[-3:] == ["room.away", "room.played", "taken"]
    room.come_back("ada")
    assert kinds(room, "bob")[-1] == "room.back"


def test_a_recovered_room_is_the_same() -> None:
    room = GameRoom(GAME)
    room.enter("ada")
    room.enter("bob")
    room.act("ada", Take(3))
    room.say("bob", "well")
    before = room.view("bob")
    room.recover()
    after = room.view("bob")
    assert (after["game"], after["chat"], after["turn"]) == (before["game"], before["chat"], before["turn"])


def test_the_end_of_a_game_is_an_event() -> None:
    room = GameRoom(GAME, options={"stones": 1})
    room.enter("ada")
    room.enter("bob")
    assert [event["type"] for event in room.act("ada", Take(1))] == ["taken", "room.ended"]
    room.leave("ada")
    assert room.view("bob")["outcome"]["winners"] == [0]
