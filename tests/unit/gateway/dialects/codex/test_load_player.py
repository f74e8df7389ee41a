"""The client of the load tool reports violations of the protocol and tolerates what the protocol allows."""

from typing import Any

import msgspec
import pytest

from loadtest.clients.codex.client import CodexPlayer
from loadtest.clients.contract import SeatAssignment
from tests.unit.gateway.dialects.codex.acting import Message, Stage
from tests.unit.gateway.dialects.codex.scenario import Evening


def player(name: str = "Ann", *, first: bool = True) -> CodexPlayer:
    return CodexPlayer(SeatAssignment(name, "codex", 2, {}, 1, lambda: 1000, lambda _room: None, first))


def hear(listener: CodexPlayer, *messages: Message) -> list[Message]:
    answers: list[Message] = []
    for message in messages:
        answers += [msgspec.json.decode(frame) for frame in listener.receive(msgspec.json.encode(message))]
    return answers


def evening_of(name: str) -> list[Message]:
    """All messages to one player, up to the first disconnection."""
    lines = [line.message for line in Evening().perform() if line.who == name and line.sent_by == "server"]
    cut = [number for number, message in enumerate(lines) if message["type"] == "ConfirmRejoinGameMessage"]
    return lines[: cut[0]] if cut else lines


@pytest.mark.parametrize("name", ["Ann", "Bob"])
def test_a_correct_server_has_no_faults(name: str) -> None:
    listener = player(name)
    received = [message for message in evening_of(name) if not message["type"].startswith(("Confirm", "Error"))]
    hear(listener, *received)
    assert listener.received.faults == []


def faults_of(kind: str, **changes: Any) -> list[str]:
    """The faults that the client finds when one message of the recorded game is changed."""
    listener = player("Ann")
    for message in evening_of("Ann"):
        if message["type"].startswith(("Confirm", "Error")):
            continue
        hit = message["type"] == kind + "Message" and not listener.received.faults
        hear(listener, {**message, **changes} if hit and message.get("i") != 40 else message)
    return listener.received.faults


def test_wrong_points_are_noticed() -> None:
    assert "points for cards worth" in faults_of("UpdatePoints", points=99)[0]


def test_a_card_in_the_wrong_place_is_noticed() -> None:
    assert "lies where it cannot" in faults_of("PlayerBoard", i=40, j=41)[0]


def test_the_front_of_a_deck_is_noticed() -> None:
    shown = {"id": 5, "kind": "RESOURCE", "kingdom": "FUNGI"}
    assert "top of a deck" in faults_of("NotifyCommonTable", index=0, resourceCard=shown)[0]


def test_a_card_that_is_placed_twice_is_noticed() -> None:
    listener = player()
    picture = {"id": 82, "face": "FRONT"}
    for player_name in ("Ann", "Bob"):
        board = {"type": "PlayerBoardMessage", "player": player_name, "playableCard": picture, "i": 40, "j": 40}
        hear(listener, board)
    assert listener.received.faults == ["card 82 was placed twice"]


def test_a_confirmed_placement_that_is_gone_after_the_return_is_noticed() -> None:
    stage = Stage(2)
    stage.play_until("DRAWING")
    name = stage.current
    listener = player(name)
    board = {"id": 3, "face": "FRONT"}
    hear(listener, {"type": "PlayerBoardMessage", "player": name, "playableCard": board, "i": 40, "j": 40})
    stage.clients[name].drop()
    hear(listener, stage.come_back(name).heard()[1])
    assert "were" in listener.received.faults[0]


def test_a_frame_that_is_not_a_message_is_noticed() -> None:
    listener = player()
    assert list(listener.receive(b'{"type":"Surprise"}')) == []
    assert "not a message" in listener.received.faults[0]


def test_a_busy_server_is_asked_again() -> None:
    listener = player()
    (first,) = listener.open()
    assert hear(listener, {"type": "ErrorMessage", "details": "BUSY: retry after 1 s"}) == []
    assert list(listener.tick()) == [first]
    assert listener.received.faults == []


def test_a_denied_move_is_a_fault_unless_it_came_too_late() -> None:
    for details, faults in (("it is not your turn", 0), ("the game is over", 0), ("the deck is empty", 1)):
        listener = player()
        hear(listener, {"type": "ConfirmDrawMessage", "confirmdraw": False, "details": details})
        assert len(listener.received.faults) == faults


def test_heartbeats_are_sent_back() -> None:
    beat = {"type": "HeartbeatMessage", "heartbeat": "ping"}
    assert hear(player(), beat) == [beat]


def test_a_player_without_a_seat_tries_to_return_and_to_join_in_turn() -> None:
    listener = player("Bob", first=False)
    tried = [*listener.open(), *listener.open()]
    denied: Message = {"type": "ConfirmRejoinGameMessage", "confirmRejoinGame": False, "details": "not known"}
    hear(listener, denied)
    tried += listener.tick()
    hear(listener, {"type": "ConfirmJoinGameMessage", "confirmJoinGame": False, "details": "taken", "nickname": "Bob"})
    tried += listener.tick()
    kinds = [msgspec.json.decode(frame)["type"] for frame in tried]
    assert kinds == ["JoinGameMessage", "RejoinGameMessage", "JoinGameMessage", "RejoinGameMessage"]


def test_a_player_who_missed_the_end_learns_who_won() -> None:
    listener = player()
    text = "the game is over; it was won by Ann, Bob"
    hear(listener, {"type": "ConfirmRejoinGameMessage", "confirmRejoinGame": False, "details": text})
    assert listener.over
    assert listener.received.result == {"winners": ["Ann", "Bob"]}
    assert list(listener.open()) == []
