"""The UTF-8 of WebSocket messages, however they are cut (RFC 6455 section 8.1)."""

from itertools import pairwise

import pytest
from websockets.frames import Opcode

from tests.unit.gateway.transports.raw_websocket import RawClient, frame, text

VALID = [
    b"ascii",
    "\u03ba\u1f79\u03c3\u03bc\u03b5".encode(),
    "\U0001f3b2".encode(),
    b"\x00",
    b"\x7f",
    b"\xc2\x80",
    b"\xdf\xbf",
    b"\xe0\xa0\x80",
    b"\xed\x9f\xbf",
    b"\xee\x80\x80",
    b"\xef\xbf\xbd",
    b"\xef\xbf\xbe",
    b"\xef\xbf\xbf",
    b"\xf0\x90\x80\x80",
    b"\xf0\x9f\xbf\xbe",
    b"\xf4\x8f\xbf\xbf",
]
INVALID = {
    "a continuation byte alone": b"\x80",
    "the last continuation byte alone": b"\xbf",
    "two continuation bytes": b"\x80\xbf",
    "a first byte before a blank": b"\xc3 x",
    "a first byte of three before a blank": b"\xe1\x80 x",
    "a first byte of four before a blank": b"\xf1\x80\x80 x",
    "a character of two bytes without its end": b"ab\xc3",
    "a character of three bytes without its end": b"ab\xe1\x80",
    "a character of four bytes without its end": b"ab\xf1\x80\x80",
    "overlong in two bytes": b"\xc0\xaf",
    "overlong in three bytes": b"\xe0\x80\xaf",
    "overlong in four bytes": b"\xf0\x80\x80\xaf",
    "an overlong zero": b"\xc0\x80",
    "the longest overlong of two bytes": b"\xc1\xbf",
    "the longest overlong of three bytes": b"\xe0\x9f\xbf",
    "the longest overlong of four bytes": b"\xf0\x8f\xbf\xbf",
    "a high surrogate": b"\xed\xa0\x80",
    "a low surrogate": b"\xed\xbf\xbf",
    "a pair of surrogates": b"\xed\xa0\x80\xed\xb0\x80",
    "beyond the last character": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "six bytes": b"\xfc\x84\x80\x80\x80\x80",
    "the byte FE": b"\xfe",
    "the byte FF": b"\xff",
    "invalid after valid": b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited",
}


async def closed_with(client: RawClient) -> int:
    """The code that the connection was failed with, and nothing else was sent."""
    ((opcode, body),) = await client.received()
    assert opcode is Opcode.CLOSE
    return int.from_bytes(body[:2], "big")


def fragments(body: bytes, *cuts: int) -> bytes:
    """The frames of a message that is cut at these places."""
    pieces = [body[begin:end] for begin, end in pairwise((0, *cuts, len(body)))]
    opcodes = [Opcode.TEXT] + [Opcode.CONT] * len(cuts)
    last = len(pieces) - 1
    return b"".join(
        frame(opcode, piece, fin=number == last)
        for number, (opcode, piece) in enumerate(zip(opcodes, pieces, strict=True))
    )


@pytest.mark.parametrize("body", VALID)
@pytest.mark.parametrize("padding", [b"", b"x" * 200], ids=("short", "long"))
async def test_valid_utf8_comes_through(body: bytes, padding: bytes) -> None:
    client = RawClient()
    client.receive(text(padding + body))
    client.receive(fragments(body, *range(1, len(body))))
    assert await client.texts() == [padding + body, body]


@pytest.mark.parametrize("body", INVALID.values(), ids=INVALID)
@pytest.mark.parametrize("padding", [b"", b"x" * 200], ids=("short", "long"))
async def test_invalid_utf8_fails_the_connection(body: bytes, padding: bytes) -> None:
    client = RawClient()
    client.receive(text(padding + body) + text(b"hello"))
    assert await closed_with(client) == 1007
    assert client.socket.closed


@pytest.mark.parametrize("body", INVALID.values(), ids=INVALID)
async def test_invalid_utf8_in_fragments_fails_the_connection(body: bytes) -> None:
    for cuts in ([len(body)], [0], range(1, len(body))):
        client = RawClient()
        client.receive(fragments(body, *cuts) + text(b"hello"))
        assert await closed_with(client) == 1007
        assert client.socket.closed


async def test_a_character_may_be_split_between_fragments_with_a_ping_in_between() -> None:
    client, body = RawClient(), "\U0001f3b2".encode()
    client.receive(frame(Opcode.TEXT, body[:2], fin=False) + frame(Opcode.PING, b"!") + frame(Opcode.CONT, body[2:]))
    assert await client.received() == [(Opcode.PONG, b"!"), (Opcode.TEXT, body)]


async def test_a_fragment_that_no_rest_can_make_valid_fails_the_connection_at_once() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"ab\xf4\x90", fin=False))
    assert await closed_with(client) == 1007


async def test_binary_messages_need_not_be_utf8() -> None:
    client = RawClient()
    client.receive(frame(Opcode.BINARY, b"\xff", fin=False) + frame(Opcode.CONT, b"\xfe") + text(b"hello"))
    assert await client.texts() == [b"frame/binary", b"hello"]


async def test_answers_to_earlier_messages_are_sent_before_the_connection_fails() -> None:
    client = RawClient()
    client.receive(text(b"hello") + text(b"\xff"))
    received = await client.received()
    assert [opcode for opcode, _ in received] == [Opcode.TEXT, Opcode.CLOSE]


@pytest.mark.parametrize("reason", INVALID.values(), ids=INVALID)
async def test_an_invalid_reason_of_a_close_fails_the_connection(reason: bytes) -> None:
    client = RawClient()
    client.receive(frame(Opcode.CLOSE, (1000).to_bytes(2, "big") + reason))
    assert await closed_with(client) == 1007
    assert client.socket.closed
