"""Answers come in the order of the messages that they are for: a Confirm does not name its request."""

from random import Random

import msgspec
import pytest

from gateway.dialects.waiting_messages import MOST_MESSAGES
from gateway.session.rates import SESSION_RATES, Meter
from shared.errors import ErrorCode
from tests.unit.gateway.dialects.codex.played_game import HEARTBEAT, CodexClient, Message, PlayedGame, types

BUSY = {"type": "ErrorMessage", "details": "BUSY: retry after 1 s"}
MOVED = ["ConfirmStartingCard", "PlayerBoard", "CurrentPlayer"]
encode = msgspec.json.encode


def begun(players: int = 2) -> tuple[PlayedGame, CodexClient]:
    """A game that has begun, and the client whose turn it is."""
    game = PlayedGame(players)
    game.discard()
    return game, game.clients[game.current]


def chat(game: PlayedGame, text: str = "hello") -> bytes:
    return encode({"type": "GroupChatMessage", "sender": game.current, "text": text})


def confirms(messages: list[Message]) -> list[tuple[str, bool]]:
    """The Confirms, with their verdicts."""
    found = []
    for message in messages:
        verdicts = [value for key, value in message.items() if key.startswith("confirm")]
        if verdicts:
            found.append((message["type"].removesuffix("Message"), verdicts[0]))
    return found


def test_a_denial_of_the_gateway_comes_after_the_answers_to_earlier_requests() -> None:
    game, client = begun()
    bad_face, empty = encode(game.move(face="SIDE")), chat(game, " ")
    client.send_at_once(encode(game.move()), bad_face, empty)
    received = client.received()
    assert types(received) == [*MOVED, "ConfirmStartingCard", "ConfirmChat"]
    assert confirms(received) == [
        ("ConfirmStartingCard", True),
        ("ConfirmStartingCard", False),
        ("ConfirmChat", False),
    ]


def test_a_denial_of_the_room_comes_before_the_answers_to_later_requests() -> None:
    game, client = begun()
    too_early = {"type": "DrawGoldMessage", "nickname": game.current}
    client.send_at_once(encode(too_early), chat(game), encode(game.move()))
    received = client.received()
    assert types(received) == ["ConfirmDraw", "ConfirmChat", "GroupChat", *MOVED]
    assert confirms(received) == [("ConfirmDraw", False), ("ConfirmChat", True), ("ConfirmStartingCard", True)]


def test_malformed_messages_are_answered_after_earlier_requests() -> None:
    game, client = begun()
    client.send_at_once(encode(game.move()), b'{"type":"GroupChatMessage"}', b"nonsense", chat(game))
    assert types(client.received()) == [*MOVED, "ConfirmChat", "Error", "ConfirmChat", "GroupChat"]


@pytest.mark.parametrize("code", ["frame/binary", "busy/rate"])
def test_invalid_frames_are_answered_after_earlier_requests(code: ErrorCode) -> None:
    game, client = begun()
    move = encode(game.move())
    connection = client.memory.connection

    def send_both() -> None:
        connection.receive(move)
        connection.invalid_frame(code)

    game.cluster.do(send_both)
    assert types(client.received()) == [*MOVED, "Error"]


def test_requests_that_were_sent_together_are_all_answered_in_order() -> None:
    game, client = begun()
    client.send_at_once(*[chat(game), chat(game, "")] * 10)
    received = client.received()
    assert types(received) == ["ConfirmChat", "GroupChat", "ConfirmChat"] * 10
    assert [verdict for _, verdict in confirms(received)] == [True, False] * 10


def test_only_so_many_messages_wait_and_the_others_are_refused_in_their_turn() -> None:
    game, client = begun()
    empty = chat(game, "")
    client.send_at_once(encode(game.move()), *[empty] * (MOST_MESSAGES + 3))
    received = client.received()
    assert types(received) == [*MOVED, *["ConfirmChat"] * MOST_MESSAGES, *["Error"] * 3]
    assert received[-3:] == [BUSY] * 3
    client.send(empty)
    assert types(client.received()) == ["ConfirmChat"]


def test_requests_beyond_their_rate_are_refused_in_their_turn() -> None:
    game, client = begun()
    burst = SESSION_RATES[Meter.SAY].burst
    for _ in range(burst - 1):
        client.send(chat(game))
    client.received()
    client.send_at_once(*[chat(game)] * MOST_MESSAGES, encode(game.move()))
    received = client.received()
    assert types(received) == ["ConfirmChat", "GroupChat", *["Error"] * (MOST_MESSAGES - 1), *MOVED]


def test_messages_wait_while_the_answer_to_an_earlier_request_is_lost() -> None:
    game, client = begun()
    cluster, dice = game.cluster, Random(1)
    other = next(player for player in game.clients.values() if player is not client)
    move, empty = encode(game.move()), chat(game, "")

    def lose_the_move() -> None:
        client.memory.connection.receive(move)
        cluster.gateway.lose_the_store(dice)

    cluster.do(lose_the_move)
    client.send(empty)
    cluster.advance(3_000)
    heartbeats = client.memory.received_json()
    assert heartbeats
    assert all(message == HEARTBEAT for message in heartbeats)
    other.send({"type": "DrawGoldMessage", "nickname": "Ann"})
    assert len(other.received()) == 1
    cluster.do(cluster.gateway.reconnect)
    assert types(client.received()) == [*MOVED, "ConfirmChat"]


def test_steps_of_others_do_not_wait_for_an_answer() -> None:
    game, client = begun()
    name, other = next((name, player) for name, player in game.clients.items() if player is not client)
    refused_later = encode({"type": "DrawGoldMessage", "nickname": game.current})

    def send_all() -> None:
        other.memory.connection.receive(encode({"type": "GroupChatMessage", "sender": name, "text": "hi"}))
        client.memory.connection.receive(refused_later)
        client.memory.connection.receive(chat(game, ""))

    game.cluster.do(send_all)
    assert types(client.received()) == ["GroupChat", "ConfirmDraw", "ConfirmChat"]


def test_messages_that_wait_for_the_end_of_the_game_are_handled_after_it() -> None:
    game, _ = begun()
    game.near_the_end()
    while game.playing:
        client, name, move = game.clients[game.current], game.current, encode(game.move())
        create = {"type": "CreateGameMessage", "numPlayers": 2, "nickname": name}
        game.discard()
        client.send_at_once(move, encode(create))
    received = client.received()
    assert types(received)[-2:] == ["Winners", "ConfirmGame"]
    assert received[-1]["gameId"] == 1001
