"""The client of the load tool reports violations of the protocol and tolerates what the protocol allows."""

from typing import Any

import msgspec
import pytest

from loadtest.clients.codex.client import CodexPlayer
from loadtest.clients.contract import SeatAssignment
from tests.unit.gateway.dialects.codex.played_game import Message, PlayedGame
from tests.unit.gateway.dialects.codex.recorded_game import recorded_game


def player(name: str = "Ann", *, first: bool = True) -> CodexPlayer:
    return CodexPlayer(SeatAssignment(name, "codex", 2, {}, 1, lambda: 1000, lambda _room: None, first))


def receive(client: CodexPlayer, *messages: Message) -> list[Message]:
    answers: list[Message] = []
    for message in messages:
        answers += [msgspec.json.decode(frame) for frame in client.receive(msgspec.json.encode(message))]
    return answers


def recorded_for(name: str) -> list[Message]:
    """All messages to one player, up to the first disconnection."""
    of_player = [record for record in recorded_game() if record.who == name and record.sent_by == "server"]
    messages = [record.message for record in of_player]
    cut = [number for number, message in enumerate(messages) if message["type"] == "ConfirmRejoinGameMessage"]
    return messages[: cut[0]] if cut else messages


@pytest.mark.parametrize("name", ["Ann", "Bob"])
def test_a_correct_server_has_no_faults(name: str) -> None:
    client = player(name)
    received = [message for message in recorded_for(name) if not message["type"].startswith(("Confirm", "Error"))]
    receive(client, *received)
    assert client.received.faults == []


def faults_of(kind: str, **changes: Any) -> list[str]:
    """The faults that the client finds when one message of the recorded game is changed."""
    client = player("Ann")
    for message in recorded_for("Ann"):
        if message["type"].startswith(("Confirm", "Error")):
            continue
        hit = message["type"] == kind + "Message" and not client.received.faults
        receive(client, {**message, **changes} if hit and message.get("i") != 40 else message)
    return client.received.faults


def test_wrong_points_are_noticed() -> None:
    assert "points for cards worth" in faults_of("UpdatePoints", points=99)[0]


def test_a_card_in_the_wrong_place_is_noticed() -> None:
    assert "lies where it cannot" in faults_of("PlayerBoard", i=40, j=41)[0]


def test_the_front_of_a_deck_is_noticed() -> None:
    shown = {"id": 5, "kind": "RESOURCE", "kingdom": "FUNGI"}
    assert "top of a deck" in faults_of("NotifyCommonTable", index=0, resourceCard=shown)[0]


def test_a_card_that_is_placed_twice_is_noticed() -> None:
    client = player()
    picture = {"id": 82, "face": "FRONT"}
    for player_name in ("Ann", "Bob"):
        board = {"type": "PlayerBoardMessage", "player": player_name, "playableCard": picture, "i": 40, "j": 40}
        receive(client, board)
    assert client.received.faults == ["card 82 was placed twice"]


def test_a_confirmed_placement_that_is_gone_after_the_return_is_noticed() -> None:
    game = PlayedGame(2)
    game.play_until("DRAWING")
    name = game.current
    client = player(name)
    board = {"id": 3, "face": "FRONT"}
    receive(client, {"type": "PlayerBoardMessage", "player": name, "playableCard": board, "i": 40, "j": 40})
    game.clients[name].drop()
    receive(client, game.come_back(name).received()[1])
    assert "were" in client.received.faults[0]


def test_a_frame_that_is_not_a_message_is_noticed() -> None:
    client = player()
    assert list(client.receive(b'{"type":"Surprise"}')) == []
    assert "not a message" in client.received.faults[0]


def test_a_busy_server_is_asked_again() -> None:
    client = player()
    (first,) = client.open()
    assert receive(client, {"type": "ErrorMessage", "details": "BUSY: retry after 1 s"}) == []
    assert list(client.tick()) == [first]
    assert client.received.faults == []


def test_a_denied_move_is_a_fault_unless_it_came_too_late() -> None:
    for details, faults in (("it is not your turn", 0), ("the game is over", 0), ("the deck is empty", 1)):
        client = player()
        receive(client, {"type": "ConfirmDrawMessage", "confirmdraw": False, "details": details})
        assert len(client.received.faults) == faults


def test_heartbeats_are_sent_back() -> None:
    beat = {"type": "HeartbeatMessage", "heartbeat": "ping"}
    assert receive(player(), beat) == [beat]


def test_a_player_that_lost_the_answer_to_its_new_table_opens_another_one() -> None:
    client = player("Ann")
    names = [msgspec.json.decode(frame)["nickname"] for frame in [*client.open(), *client.open()]]
    assert names == ["Ann", "Annx"]
    receive(client, {"type": "ConfirmGameMessage", "confirmGameCreation": False, "details": "busy", "nickname": "Annx"})
    assert [msgspec.json.decode(frame)["type"] for frame in client.tick()] == ["CreateGameMessage"]


def test_a_player_without_a_seat_tries_to_return_and_to_join_in_turn() -> None:
    client = player("Bob", first=False)
    tried = [*client.open(), *client.open()]
    denied: Message = {"type": "ConfirmRejoinGameMessage", "confirmRejoinGame": False, "details": "not known"}
    receive(client, denied)
    tried += client.tick()
    receive(client, {"type": "ConfirmJoinGameMessage", "confirmJoinGame": False, "details": "taken", "nickname": "Bob"})
    tried += client.tick()
    kinds = [msgspec.json.decode(frame)["type"] for frame in tried]
    assert kinds == ["JoinGameMessage", "RejoinGameMessage", "JoinGameMessage", "RejoinGameMessage"]


def test_a_player_who_missed_the_end_learns_who_won() -> None:
    client = player()
    text = "the game is over; it was won by Ann, Bob"
    receive(client, {"type": "ConfirmRejoinGameMessage", "confirmRejoinGame": False, "details": text})
    assert client.over
    assert client.received.result == {"winners": ["Ann", "Bob"]}
    assert list(client.open()) == []
