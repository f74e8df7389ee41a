"""Group and private chat."""

import pytest

from tests.unit.gateway.dialects.codex.acting import Message, Stage, types


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
    stage = Stage(3)
    stage.hush()
    stage.clients["Bob"].say(group("Bob", "hello"))
    heard = stage.heard()
    assert heard["Bob"] == [{"type": "ConfirmChatMessage", "confirmChat": True, "details": ""}, group("Bob", "hello")]
    assert heard["Ann"] == heard["Cid"] == [group("Bob", "hello")]


def test_private_chat_goes_to_recipient_and_sender_only() -> None:
    stage = Stage(3)
    stage.hush()
    stage.clients["Bob"].say(private("Bob", "Ann", "psst"))
    heard = stage.heard()
    assert types(heard["Bob"]) == ["ConfirmChat", "PrivateChat"]
    assert heard["Bob"][1] == private("Bob", "Ann", "psst")
    assert heard["Ann"] == [private("Bob", "Ann", "psst")]
    assert heard["Cid"] == []


@pytest.mark.parametrize("state", ["WAITING", "STARTING", "COLOR", "OBJECTIVE", "PLAYING", "DRAWING", "ENDING"])
def test_there_is_chat_in_every_state(state: str) -> None:
    stage = Stage(2, full=state != "WAITING")
    if state != "WAITING":
        stage.play_until(state)
    stage.hush()
    ann = stage.clients["Ann"]
    ann.say(group("Ann", "still here"))
    assert types(ann.heard()) == ["ConfirmChat", "GroupChat"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "x" * 501])
def test_empty_and_long_texts_are_denied(text: str) -> None:
    stage = Stage(2)
    stage.hush()
    ann = stage.clients["Ann"]
    for message in (group("Ann", text), private("Ann", "Bob", text)):
        ann.say(message)
        assert denied(ann.heard())
    assert stage.clients["Bob"].heard() == []


def test_five_hundred_characters_are_allowed() -> None:
    stage = Stage(2)
    stage.hush()
    stage.clients["Ann"].say(group("Ann", "é" * 500))
    assert types(stage.clients["Bob"].heard()) == ["GroupChat"]


@pytest.mark.parametrize("recipient", ["Ann", "Nobody", ""])
def test_chat_to_oneself_or_to_an_unknown_name_is_denied(recipient: str) -> None:
    stage = Stage(2)
    stage.hush()
    stage.clients["Ann"].say(private("Ann", recipient, "psst"))
    assert denied(stage.clients["Ann"].heard())


def test_chat_to_a_crashed_player_is_denied_until_the_player_returns() -> None:
    stage = Stage(3)
    stage.clients["Bob"].drop()
    stage.hush()
    ann = stage.clients["Ann"]
    ann.say(private("Ann", "Bob", "psst"))
    assert denied(ann.heard())
    bob = stage.come_back("Bob")
    bob.heard()
    ann.say(private("Ann", "Bob", "psst"))
    assert types(bob.heard()) == ["PrivateChat"]


def test_chat_needs_a_table_and_the_own_name() -> None:
    stage = Stage(2)
    stage.hush()
    ann = stage.clients["Ann"]
    for message in (group("Bob", "I am Bob"), private("Bob", "Ann", "really")):
        ann.say(message)
        assert denied(ann.heard())
    stranger = stage.cluster.connect()
    stranger.say(group("Eve", "hello"))
    assert denied(stranger.heard())


def test_a_returning_player_gets_all_chat_that_the_player_may_read() -> None:
    stage = Stage(3)
    stage.clients["Ann"].say(group("Ann", "one"))
    stage.clients["Ann"].say(private("Ann", "Bob", "two"))
    stage.clients["Ann"].say(private("Ann", "Cid", "not for Bob"))
    stage.clients["Bob"].drop()
    stage.clients["Cid"].say(group("Cid", "three"))
    heard = stage.come_back("Bob").heard()
    assert heard[1]["chat"] == [
        {"sender": "Ann", "recipient": None, "text": "one"},
        {"sender": "Ann", "recipient": "Bob", "text": "two"},
        {"sender": "Cid", "recipient": None, "text": "three"},
    ]
