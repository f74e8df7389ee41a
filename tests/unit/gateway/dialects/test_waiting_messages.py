"""The messages of a client that wait for the answer to its last request."""

from gateway.dialects.framing import MOST_BYTES
from gateway.dialects.waiting_messages import MOST_MESSAGES, WaitingMessages


def all_of(waiting: WaitingMessages[str]) -> list[str]:
    return list(iter(waiting.take, None))


def test_messages_come_in_the_order_of_their_arrival() -> None:
    waiting = WaitingMessages("busy")
    assert waiting.add("first", 1)
    assert waiting.add("second", 1)
    assert all_of(waiting) == ["first", "second"]
    assert waiting.take() is None


def test_too_many_messages_are_refused_behind_the_others() -> None:
    waiting = WaitingMessages("busy")
    numbers = [str(number) for number in range(MOST_MESSAGES)]
    assert all(waiting.add(number, 1) for number in numbers)
    assert not waiting.add("more", 1)
    assert not waiting.add("still more", 1)
    assert all_of(waiting) == [*numbers, "busy", "busy"]


def test_too_many_bytes_are_refused() -> None:
    waiting = WaitingMessages("busy")
    assert waiting.add("large", MOST_BYTES)
    assert not waiting.add("small", 1)
    assert all_of(waiting) == ["large", "busy"]
    assert waiting.add("large again", MOST_BYTES)


def test_a_message_behind_a_refused_one_is_refused_until_both_have_had_their_turn() -> None:
    waiting = WaitingMessages("busy")
    waiting.add("first", 1)
    waiting.refuse()
    assert waiting.take() == "first"
    assert not waiting.add("second", 1)
    assert all_of(waiting) == ["busy", "busy"]
    assert waiting.add("third", 1)
    assert all_of(waiting) == ["third"]


def test_cleared_messages_have_no_turn() -> None:
    waiting = WaitingMessages("busy")
    waiting.add("first", MOST_BYTES)
    waiting.refuse()
    waiting.clear()
    assert waiting.take() is None
    assert waiting.add("second", MOST_BYTES)
