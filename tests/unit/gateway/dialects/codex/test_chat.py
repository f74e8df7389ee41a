"""Group and private chat."""

import pytest

from tests.unit.gateway.dialects.codex.played_game import Message, PlayedGame, types


def group(sender: str, text: str) -> Message:
    return {"type": "GroupChatMessage", "sender": sender, "text": text}


def private(sender: str, recipient: str, text: str) -> Message:
    return {"type": "PrivateChatMessage", "sender": sender, "recipient": recipient, "text": text}


def denied(messages: list[Message]) -> str:
    (message,) = messages
    assert message["type"] == "ConfirmChatMessage"
    assert message["confirmChat"] is False
    return str(message["details"])


def test_group_chat_goes_to_all_and_is_confirmed_to_the_sender_first() -> None:
    game = PlayedGame(3)
    game.discard()
    game.clients["Bob"].send(group("Bob", "hello"))
    received = game.received()
    assert received["Bob"] == [
        {"type": "ConfirmChatMessage", "confirmChat": True, "details": ""},
        group("Bob", "hello"),
    ]
    assert received["Ann"] == received["Cid"] == [group("Bob", "hello")]


def test_private_chat_goes_to_recipient_and_sender_only() -> None:
    game = PlayedGame(3)
    game.discard()
    game.clients["Bob"].send(private("Bob", "Ann", "psst"))
    received = game.received()
    assert types(received["Bob"]) == ["ConfirmChat", "PrivateChat"]
    assert received["Bob"][1] == private("Bob", "Ann", "psst")
    assert received["Ann"] == [private("Bob", "Ann", "psst")]
    assert received["Cid"] == []


@pytest.mark.parametrize("state", ["WAITING", "STARTING", "COLOR", "OBJECTIVE", "PLAYING", "DRAWING", "ENDING"])
def test_there_is_chat_in_every_state(state: str) -> None:
    game = PlayedGame(2, full=state != "WAITING")
    if state != "WAITING":
        game.play_until(state)
    game.discard()
    ann = game.clients["Ann"]
    ann.send(group("Ann", "still here"))
    assert types(ann.received()) == ["ConfirmChat", "GroupChat"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * 501])
def test_empty_and_long_texts_are_denied(text: str) -> None:
    game = PlayedGame(2)
    game.discard()
    ann = game.clients["Ann"]
    for message in (group("Ann", text), private("Ann", "Bob", text)):
        ann.send(message)
        assert denied(ann.received())
    assert game.clients["Bob"].received() == []


def test_five_hundred_characters_are_allowed() -> None:
    game = PlayedGame(2)
    game.discard()
    game.clients["Ann"].send(group("Ann", "é" * 500))
    assert types(game.clients["Bob"].received()) == ["GroupChat"]


@pytest.mark.parametrize("recipient", ["Ann", "Nobody", ""])
def test_chat_to_oneself_or_to_an_unknown_name_is_denied(recipient: str) -> None:
    game = PlayedGame(2)
    game.discard()
    game.clients["Ann"].send(private("Ann", recipient, "psst"))
    assert denied(game.clients["Ann"].received())


def test_chat_to_a_crashed_player_is_denied_until_the_player_returns() -> None:
    game = PlayedGame(3)
    game.clients["Bob"].drop()
    game.discard()
    ann = game.clients["Ann"]
    ann.send(private("Ann", "Bob", "psst"))
    answer = ann.received()
    assert denied(answer)
    assert answer[0]["details"] == "the recipient has lost the connection"
    bob = game.come_back("Bob")
    bob.received()
    ann.send(private("Ann", "Bob", "psst"))
    assert types(bob.received()) == ["PrivateChat"]


def test_chat_needs_a_table_and_the_own_name() -> None:
    game = PlayedGame(2)
    game.discard()
    ann = game.clients["Ann"]
    for message in (group("Bob", "I am Bob"), private("Bob", "Ann", "really")):
        ann.send(message)
        assert denied(ann.received())
    stranger = game.connect()
    stranger.send(group("Eve", "hello"))
    assert denied(stranger.received())


def test_a_returning_player_gets_all_chat_that_the_player_may_read() -> None:
    game = PlayedGame(3)
    game.clients["Ann"].send(group("Ann", "one"))
    game.clients["Ann"].send(private("Ann", "Bob", "two"))
    game.clients["Ann"].send(private("Ann", "Cid", "not for Bob"))
    game.clients["Bob"].drop()
    game.clients["Cid"].send(group("Cid", "three"))
    received = game.come_back("Bob").received()
    assert received[1]["chat"] == [
        {"sender": "Ann", "recipient": None, "text": "one"},
        {"sender": "Ann", "recipient": "Bob", "text": "two"},
        {"sender": "Cid", "recipient": None, "text": "three"},
    ]
