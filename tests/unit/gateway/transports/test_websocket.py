"""WebSockets: handshakes, whole messages and fragments, closing."""

import asyncio
import os
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Opcode

from gateway.dialects.framing import MOST_BYTES
from gateway.transports.close_codes import BYE
from shared.runtime.settings import GatewaySettings
from tests.support.examples import fewer_examples
from tests.support.gateway_bench import PARTITIONS, GatewayBench, settle
from tests.unit.gateway.transports.raw_websocket import RawClient, frame, text

# --- the handshake ----------------------------------------------------------------------------------------------------


async def test_a_handshake_at_a_known_path_is_accepted() -> None:
    assert RawClient().handshake.startswith(b"HTTP/1.1 101")


async def test_a_handshake_at_an_unknown_path_is_refused() -> None:
    assert RawClient(path=b"/ws/nothing").handshake.startswith(b"HTTP/1.1 404")


async def test_a_draining_gateway_accepts_nobody() -> None:
    bench = GatewayBench()
    bench.node.connections.accepting = False
    assert RawClient(bench).handshake.startswith(b"HTTP/1.1 503")


async def test_a_foreign_origin_is_refused() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://ours"))
    assert RawClient(bench, headers=b"Origin: https://theirs\r\n").handshake.startswith(b"HTTP/1.1 403")


async def test_our_own_origin_is_welcome() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://a, https://ours"))
    assert RawClient(bench, headers=b"Origin: https://ours\r\n").handshake.startswith(b"HTTP/1.1 101")


async def test_an_origin_that_is_named_twice_is_none_of_ours() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://ours"))
    assert RawClient(bench, headers=b"Origin: https://ours\r\n" * 2).handshake.startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (b"//[::1", b""),
        (b"/ws/parrot", b"Transfer-Encoding: chunked\r\n"),
        (b"/ws/parrot", b"Origin: a\r\nOrigin: b\r\n"),
        (b"/ws/parrot", b"Sec-WebSocket-Key: another\r\n"),
    ],
)
async def test_a_handshake_that_makes_no_sense_is_told_so_once(path: bytes, headers: bytes) -> None:
    client = RawClient(path=path, headers=headers)
    assert (client.handshake[:12], client.handshake.count(b"HTTP/"), client.socket.closed) == (b"HTTP/1.1 400", 1, True)


async def test_each_proxy_on_the_way_may_add_a_line_of_its_own() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, trusted_proxies="10.1.2.3"))
    RawClient(bench, headers=b"X-Forwarded-For: 1.1.1.1, 2.2.2.2\r\nX-Forwarded-For: 3.3.3.3\r\n")
    assert [connection.address for connection in bench.node.connections] == ["3.3.3.3"]


async def test_one_connection_too_many_is_told_and_closed() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, connections=1))
    RawClient(bench)
    one_too_many = RawClient(bench)
    assert b"busy/connections" in one_too_many.handshake + one_too_many.socket.written


# --- messages ---------------------------------------------------------------------------------------------------------

SIZES = (0, 1, 125, 126, 127, 65_535, MOST_BYTES)


@pytest.mark.parametrize("size", SIZES)
async def test_messages_of_every_size_come_through(size: int) -> None:
    client, body = RawClient(), os.urandom(size).hex().encode()[:size]
    client.receive(text(body))
    assert await client.texts() == [body]


@pytest.mark.parametrize("bodies", [[b"hello", b"x" * 200, b""], [b"x" * 200, b"hello"]])
async def test_a_message_may_be_cut_at_every_position(bodies: list[bytes]) -> None:
    data = b"".join(map(text, bodies[:-1])) + frame(Opcode.PING, b"p") + text(bodies[-1])
    for cut in range(len(data) + 1):
        client = RawClient()
        client.receive(data[:cut])
        client.receive(data[cut:])
        assert await client.texts() == bodies


async def test_bytes_may_come_one_by_one() -> None:
    client = RawClient()
    for byte in text(b"hello") + text(b"y" * 130):
        client.receive(bytes((byte,)))
    assert await client.texts() == [b"hello", b"y" * 130]


@fewer_examples(2)
@given(st.lists(st.text(max_size=100), max_size=6), st.lists(st.integers(0, 3_000), max_size=8))
def test_it_does_not_matter_where_the_stream_is_cut(texts: list[str], cuts: list[int]) -> None:
    async def check() -> None:
        bodies = [body.encode("utf-8", "replace") for body in texts]
        client, data = RawClient(), b"".join(map(text, bodies))
        places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        for begin, end in pairwise(places):
            client.receive(data[begin:end])
        assert await client.texts() == bodies

    asyncio.run(check())


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    async def check() -> None:
        client = RawClient()
        client.receive(data)
        await settle()

    asyncio.run(check())


async def test_a_message_in_fragments_is_put_together() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b", fin=False) + frame(Opcode.CONT, b"c"))
    assert await client.texts() == [b"abc"]


async def test_a_ping_between_fragments_is_answered() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.PING, b"!") + frame(Opcode.CONT, b"c"))
    assert await client.received() == [(Opcode.PONG, b"!"), (Opcode.TEXT, b"ac")]


async def test_a_whole_message_between_fragments_breaks_the_protocol() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False))
    client.receive(text(b"b"))
    assert [opcode for opcode, _ in await client.received()] == [Opcode.CLOSE]


async def test_bytes_of_a_payload_that_look_like_a_frame_are_not_one() -> None:
    # Both masks are chosen so that the outer message is ASCII although the inner frame is not.
    client, inner = RawClient(), b"\x81\x85\0\0\x80\x80in\xee\xe5r"
    client.receive(b"\x81" + bytes((0x80 | len(inner),)) + b"\x80\x80\0\0")
    client.receive(inner)
    assert await client.texts() == [b"\x01\x05\0\0\0\0inner"]


async def test_messages_after_fragments_take_the_short_way_again() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b") + text(b"c"))
    assert await client.texts() == [b"ab", b"c"]


async def test_a_ping_is_answered_with_its_content() -> None:
    client = RawClient()
    client.receive(frame(Opcode.PING, b"there?"))
    assert await client.received() == [(Opcode.PONG, b"there?")]


async def test_a_pong_is_a_sign_of_life() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.bench.now += 5
    client.receive(frame(Opcode.PONG, b""))
    assert connection.last_heard == client.bench.now


async def test_a_binary_message_is_refused_and_the_connection_stays() -> None:
    client = RawClient()
    client.receive(frame(Opcode.BINARY, b"\0\1") + text(b"hello"))
    assert await client.texts() == [b"frame/binary", b"hello"]


# --- closing ----------------------------------------------------------------------------------------------------------


async def test_a_close_is_answered() -> None:
    client = RawClient()
    client.receive(frame(Opcode.CLOSE, (1000).to_bytes(2, "big")))
    assert [opcode for opcode, _ in await client.received()] == [Opcode.CLOSE]


async def test_a_close_between_fragments_is_answered_with_its_code() -> None:
    client = RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CLOSE, (1001).to_bytes(2, "big") + b"off"))
    assert await client.received() == [(Opcode.CLOSE, (1001).to_bytes(2, "big") + b"off")]
    assert client.socket.closed


async def test_nothing_is_heard_after_a_close() -> None:
    client = RawClient()
    client.receive(frame(Opcode.CLOSE, (1000).to_bytes(2, "big")) + text(b"hello"))
    client.receive(text(b"hello"))
    assert await client.texts() == []


async def test_nothing_is_said_after_the_answer_to_a_close() -> None:
    client = RawClient()
    client.receive(text(b"before") + frame(Opcode.CLOSE, (1000).to_bytes(2, "big")))
    (connection,) = client.bench.node.connections
    connection._perform([b"after"])
    assert [opcode for opcode, _ in await client.received()] == [Opcode.TEXT, Opcode.CLOSE]


async def test_our_close_has_a_code_and_a_reason() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    connection.close(BYE)
    assert await client.received() == [(Opcode.CLOSE, (1000).to_bytes(2, "big") + b"bye")]


async def test_frames_written_before_a_close_are_sent_before_it() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    connection._perform([b"last words"])
    connection.close(BYE)
    assert [opcode for opcode, _ in await client.received()] == [Opcode.TEXT, Opcode.CLOSE]


async def test_a_lost_connection_ends_its_session() -> None:
    client = RawClient()
    client.protocol.connection_lost(None)
    assert len(client.bench.node.connections) == 0


@pytest.mark.parametrize(
    "data",
    [
        bytes((0x81, 0x05)) + b"hello",
        bytes((0x89, 0x00)),
        bytes((0xF1, 0x80)) + bytes(4),
        bytes((0x83, 0x80)) + bytes(4),
        frame(Opcode.CONT, b"what?"),
        bytes((0x41, 0x80)) + bytes(4),
        bytes((0xC1, 0xFF)) + (70_000).to_bytes(8, "big") + bytes(4 + 70_000),
        bytes((0x89, 0xFE)) + (126).to_bytes(2, "big") + bytes(4 + 126),
        bytes((0x89, 0xFF)) + (70_000).to_bytes(8, "big") + bytes(4),
        frame(Opcode.CLOSE, b"\3"),
        frame(Opcode.CLOSE, (1005).to_bytes(2, "big")),
    ],
    ids=(
        "unmasked",
        "unmasked and empty",
        "reserved bits",
        "unknown opcode",
        "a continuation of nothing",
        "reserved bits in a fragment",
        "reserved bits in a frame that is too big",
        "a long ping",
        "a ping that is too big",
        "half a close code",
        "a close code that must not be sent",
    ),
)
async def test_a_violation_of_the_protocol_closes_the_connection(data: bytes) -> None:
    client = RawClient()
    client.receive(data)
    received = await client.received()
    assert [(opcode, int.from_bytes(body[:2], "big")) for opcode, body in received] == [(Opcode.CLOSE, 1002)]
    assert client.socket.closed


async def test_several_messages_are_written_at_once() -> None:
    client = RawClient()
    client.protocol.send([b"a", b"b" * 200, b"c" * 70_000])
    assert [len(body) for _, body in await client.received()] == [1, 200, 70_000]
