"""The client of the load tool reports violations of the protocol."""

from typing import Any

import msgspec
import pytest

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.snarl.client import SnarlPlayer

UPDATE: dict[str, Any] = {
    "type": "player-update",
    "layout": [[0] * 5, [0, 1, 1, 1, 0], [0, 1, 1, 1, 2], [0, 1, 1, 1, 0], [0] * 5],
    "position": [2, 2],
    "objects": [{"type": "key", "position": [1, 2]}],
    "actors": [{"type": "zombie", "name": "zombie1", "position": [3, 3]}],
    "message": None,
}
START = {"type": "start-level", "level": 1, "players": ["alice"]}


def open_player(name: str = "alice") -> SnarlPlayer:
    player = SnarlPlayer(SeatAssignment(name, "snarl", 1, {}, 7, lambda: None, lambda _room: None, False))
    list(player.open())
    return player


def receive(player: SnarlPlayer, *messages: Any) -> list[Any]:
    answers = [answer for message in messages for answer in player.receive(msgspec.json.encode(message))]
    return [msgspec.json.decode(answer) for answer in answers]


def test_a_correct_conversation_has_no_faults() -> None:
    player = open_player()
    assert receive(player, {"type": "welcome", "info": "x"}, "name") == ["alice"]
    assert receive(player, START, UPDATE, "move") == [{"type": "move", "to": [1, 2]}]
    assert receive(player, "Key") == []
    assert player.moves == 1
    assert player.received.faults == []


def test_a_player_that_did_not_see_who_took_the_key_goes_to_the_exit() -> None:
    room = {**UPDATE, "layout": [[0] * 5, *[[0, 1, 1, 1, 0]] * 3, [0] * 5], "actors": []}
    key, way_out = {"type": "key", "position": [1, 1]}, {"type": "exit", "position": [3, 3]}
    player = open_player()
    receive(player, "name", START, {**room, "objects": [key, way_out]})
    player.open()  # the connection was lost, and the key was found meanwhile
    assert receive(player, "name", START, {**room, "objects": [way_out]}, "move") == [
        "alice",
        {"type": "move", "to": [3, 3]},
    ]


def test_a_player_who_cannot_get_past_another_one_steps_aside_after_some_turns() -> None:
    corridor = {**UPDATE, "layout": [[0] * 5, [0] * 5, [1, 1, 1, 1, 1], [0] * 5, [0] * 5]}
    others = [{"type": "player", "name": name, "position": [2, 3 + at]} for at, name in enumerate(("bob", "cid"))]
    blocked = {**corridor, "position": [2, 2], "objects": [{"type": "key", "position": [2, 4]}], "actors": others}
    player = open_player()
    receive(player, "name", START)
    moves = [receive(player, blocked, "move", "OK")[0]["to"] for _ in range(40)]
    assert [2, 2] in moves
    assert [2, 0] in moves


def test_a_name_that_is_prompted_for_again_is_sent_again_a_moment_later() -> None:
    player = open_player()
    receive(player, "name")
    assert receive(player, "name") == []
    assert list(player.tick()) == [b'"alice"']
    assert list(player.tick()) == []


@pytest.mark.parametrize(
    "message",
    [
        "hello",
        17,
        {"type": "surprise"},
        {"type": "welcome"},
        {**UPDATE, "health": 1},
        {**UPDATE, "layout": [[0] * 5] * 4},
        {**UPDATE, "layout": [[0] * 5] * 5},
        {**UPDATE, "objects": [{"type": "key", "position": [9, 9]}]},
        {**UPDATE, "actors": [{"type": "player", "name": "alice", "position": [2, 2]}]},
        {**UPDATE, "message": "Player bob sneezed."},
        {"type": "start-level", "level": 1, "players": ["bob"]},
        {"type": "end-game", "scores": []},
        "move",
        "OK",
    ],
)
def test_a_message_that_violates_the_protocol_is_a_fault(message: Any) -> None:
    player = open_player()
    receive(player, message)
    assert player.received.faults


def test_a_legal_move_that_is_called_invalid_is_a_fault() -> None:
    player = open_player()
    receive(player, START, UPDATE, "move", "Invalid")
    assert player.received.faults


def test_players_of_one_game_must_get_the_same_scores() -> None:
    def scores(exits: int) -> dict[str, Any]:
        each = {"type": "player-score", "ejects": 0, "keys": 0}
        return {"type": "end-game", "scores": [{**each, "name": name, "exits": exits} for name in ("carol", "dave")]}

    carol, dave = open_player("carol"), open_player("dave")
    receive(carol, scores(1))
    receive(dave, scores(2))
    assert carol.received.faults == []
    assert len(dave.received.faults) == 1
    assert carol.over
    assert dave.over
