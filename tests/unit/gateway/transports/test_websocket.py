"""WebSocket frames, however they are cut, and whatever is in them."""

import asyncio
import os
import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from gateway.dialects.framing import MOST_BYTES
from gateway.transports.close_codes import BYE
from gateway.transports.websocket import WebSocket
from shared.runtime.settings import GatewaySettings
from tests.support.examples import fewer_examples
from tests.support.gateway_bench import PARROT, PARTITIONS, GatewayBench, settle

HANDSHAKE = (
    b"GET %s HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n"
)


class Socket:
    """The other end of a transport: what was written, and whether it was closed."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False
        self.aborted = False

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True

    def is_closing(self) -> bool:
        return self.closed

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str) -> Any:
        return ("10.1.2.3", 5) if name == "peername" else None


class Talk:
    """A client that has shaken hands."""

    def __init__(self, bench: GatewayBench | None = None, path: bytes = b"/ws/parrot", headers: bytes = b"") -> None:
        self.bench = bench or GatewayBench()
        self.socket = Socket()
        state = SimpleNamespace(connections=set())
        self.protocol = WebSocket(self.bench.node.connections, {PARROT.path: PARROT}, server_state=state)
        self.protocol.connection_made(cast(asyncio.Transport, self.socket))
        self.protocol.data_received(HANDSHAKE % (path, headers))
        self.handshake, self.socket.written = self.socket.written, b""

    def receive(self, data: bytes) -> None:
        self.protocol.data_received(data)

    async def heard(self) -> list[tuple[Opcode, bytes]]:
        """The frames that came back."""
        await settle()
        data, self.socket.written = self.socket.written, b""
        frames = []
        while data:
            size, head = data[1], 2
            if size == 126:
                size, head = int.from_bytes(data[2:4], "big"), 4
            elif size == 127:
                size, head = int.from_bytes(data[2:10], "big"), 10
            frames.append((Opcode(data[0] & 15), data[head : head + size]))
            data = data[head + size :]
        return frames

    async def texts(self) -> list[bytes]:
        return [body for opcode, body in await self.heard() if opcode is Opcode.TEXT]


def frame(opcode: Opcode, body: bytes, *, fin: bool = True) -> bytes:
    return Frame(opcode, body, fin).serialize(mask=True)


def text(body: bytes) -> bytes:
    return frame(Opcode.TEXT, body)


# --- the handshake ----------------------------------------------------------------------------------------------------


async def test_a_handshake_at_a_known_path_is_accepted() -> None:
    assert Talk().handshake.startswith(b"HTTP/1.1 101")


async def test_a_handshake_at_an_unknown_path_is_refused() -> None:
    assert Talk(path=b"/ws/nothing").handshake.startswith(b"HTTP/1.1 404")


async def test_a_draining_gateway_accepts_nobody() -> None:
    bench = GatewayBench()
    bench.node.connections.accepting = False
    assert Talk(bench).handshake.startswith(b"HTTP/1.1 503")


async def test_a_foreign_origin_is_refused() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://ours"))
    assert Talk(bench, headers=b"Origin: https://theirs\r\n").handshake.startswith(b"HTTP/1.1 403")


async def test_our_own_origin_is_welcome() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://a, https://ours"))
    assert Talk(bench, headers=b"Origin: https://ours\r\n").handshake.startswith(b"HTTP/1.1 101")


async def test_an_origin_that_is_named_twice_is_none_of_ours() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, origins="https://ours"))
    assert Talk(bench, headers=b"Origin: https://ours\r\n" * 2).handshake.startswith(b"HTTP/1.1 403")


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
    talk = Talk(path=path, headers=headers)
    assert (talk.handshake[:12], talk.handshake.count(b"HTTP/"), talk.socket.closed) == (b"HTTP/1.1 400", 1, True)


async def test_each_proxy_on_the_way_may_add_a_line_of_its_own() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, trusted_proxies="10.1.2.3"))
    Talk(bench, headers=b"X-Forwarded-For: 1.1.1.1, 2.2.2.2\r\nX-Forwarded-For: 3.3.3.3\r\n")
    assert [connection.address for connection in bench.node.connections] == ["3.3.3.3"]


async def test_one_connection_too_many_is_told_and_closed() -> None:
    bench = GatewayBench(GatewaySettings(partitions=PARTITIONS, connections=1))
    Talk(bench)
    one_too_many = Talk(bench)
    assert b"busy/connections" in one_too_many.handshake + one_too_many.socket.written


# --- messages ---------------------------------------------------------------------------------------------------------

SIZES = (0, 1, 125, 126, 127, 65_535, MOST_BYTES)


@pytest.mark.parametrize("size", SIZES)
async def test_messages_of_every_size_come_through(size: int) -> None:
    talk, body = Talk(), os.urandom(size).hex().encode()[:size]
    talk.receive(text(body))
    assert await talk.texts() == [body]


@pytest.mark.parametrize("bodies", [[b"hello", b"x" * 200, b""], [b"x" * 200, b"hello"]])
async def test_a_message_may_be_cut_at_every_position(bodies: list[bytes]) -> None:
    data = b"".join(map(text, bodies[:-1])) + frame(Opcode.PING, b"p") + text(bodies[-1])
    for cut in range(len(data) + 1):
        talk = Talk()
        talk.receive(data[:cut])
        talk.receive(data[cut:])
        assert await talk.texts() == bodies


async def test_bytes_may_come_one_by_one() -> None:
    talk = Talk()
    for byte in text(b"hello") + text(b"y" * 130):
        talk.receive(bytes((byte,)))
    assert await talk.texts() == [b"hello", b"y" * 130]


@fewer_examples(2)
@given(st.lists(st.binary(max_size=300), max_size=6), st.lists(st.integers(0, 3_000), max_size=8))
def test_it_does_not_matter_where_the_stream_is_cut(bodies: list[bytes], cuts: list[int]) -> None:
    async def check() -> None:
        talk, data = Talk(), b"".join(map(text, bodies))
        places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        for begin, end in pairwise(places):
            talk.receive(data[begin:end])
        assert await talk.texts() == bodies

    asyncio.run(check())


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(data: bytes) -> None:
    async def check() -> None:
        talk = Talk()
        talk.receive(data)
        await settle()

    asyncio.run(check())


async def test_a_message_in_fragments_is_put_together() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b", fin=False) + frame(Opcode.CONT, b"c"))
    assert await talk.texts() == [b"abc"]


async def test_a_message_in_very_many_fragments_does_not_stop_the_others() -> None:
    talk = Talk()
    piece, pieces = frame(Opcode.CONT, b"b", fin=False), 60_000
    talk.receive(frame(Opcode.TEXT, b"a", fin=False))
    begun = time.process_time()
    for _ in range(10):
        talk.receive(piece * (pieces // 10))
    spent_s = time.process_time() - begun
    talk.receive(frame(Opcode.CONT, b"c"))
    assert await talk.texts() == [b"a" + b"b" * pieces + b"c"]
    assert spent_s < 5


async def test_a_ping_between_fragments_is_answered() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.PING, b"!") + frame(Opcode.CONT, b"c"))
    assert await talk.heard() == [(Opcode.PONG, b"!"), (Opcode.TEXT, b"ac")]


async def test_a_whole_message_between_fragments_breaks_the_protocol() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.TEXT, b"a", fin=False))
    talk.receive(text(b"b"))
    assert [opcode for opcode, _ in await talk.heard()] == [Opcode.CLOSE]


async def test_what_looks_like_a_message_within_a_message_is_none() -> None:
    talk, inner = Talk(), text(b"inner")
    data = frame(Opcode.TEXT, b"")[:1] + bytes((0x80 | len(inner),)) + bytes(4)
    talk.receive(data)
    talk.receive(inner)
    assert await talk.texts() == [inner]


async def test_messages_after_fragments_take_the_short_way_again() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b") + text(b"c"))
    assert await talk.texts() == [b"ab", b"c"]


async def test_a_ping_is_answered_with_its_content() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.PING, b"there?"))
    assert await talk.heard() == [(Opcode.PONG, b"there?")]


async def test_a_pong_is_a_sign_of_life() -> None:
    talk = Talk()
    (connection,) = talk.bench.node.connections
    talk.bench.now += 5
    talk.receive(frame(Opcode.PONG, b""))
    assert connection.last_heard == talk.bench.now


async def test_a_binary_message_is_refused_and_the_connection_stays() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.BINARY, b"\0\1") + text(b"hello"))
    assert await talk.texts() == [b"frame/binary", b"hello"]


# --- too big ----------------------------------------------------------------------------------------------------------

BIG = b"x" * (MOST_BYTES + 1)


async def test_a_message_that_is_too_big_is_skipped_and_the_connection_stays() -> None:
    talk = Talk()
    talk.receive(text(BIG) + text(b"hello"))
    assert await talk.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_may_come_in_pieces() -> None:
    talk, data = Talk(), text(BIG) + text(b"hello")
    for at in range(0, len(data), 1_000):
        talk.receive(data[at : at + 1_000])
    assert await talk.texts() == [b"frame/too_big", b"hello"]


async def test_what_looks_like_a_message_within_one_that_is_too_big_is_none() -> None:
    talk, data = Talk(), text(BIG)
    talk.receive(data[:1_000])
    talk.receive(text(b"inner"))
    talk.receive(data[1_000 + len(text(b"inner")) :] + text(b"hello"))
    assert await talk.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_is_not_kept_in_memory() -> None:
    talk = Talk()
    talk.receive(text(BIG)[:-1])
    assert len(talk.protocol._rest) < 20


async def test_fragments_that_are_too_big_together_are_refused() -> None:
    talk, half = Talk(), b"x" * 40_000
    talk.receive(frame(Opcode.TEXT, half, fin=False) + frame(Opcode.CONT, half) + text(b"hello"))
    assert await talk.texts() == [b"frame/too_big", b"hello"]


@pytest.mark.parametrize("place", range(3))
async def test_one_fragment_that_is_too_big_alone_is_refused_and_the_connection_stays(place: int) -> None:
    talk = Talk()
    bodies = [BIG if number == place else b"small" for number in range(3)]
    data = frame(Opcode.TEXT, bodies[0], fin=False) + frame(Opcode.CONT, bodies[1], fin=False)
    talk.receive(data + frame(Opcode.CONT, bodies[2]) + text(b"hello"))
    assert await talk.texts() == [b"frame/too_big", b"hello"]


async def test_a_binary_message_that_is_too_big_is_refused_and_the_connection_stays() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.BINARY, BIG) + text(b"hello"))
    assert await talk.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_without_end_closes_the_connection() -> None:
    talk = Talk()
    talk.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask" + b"x" * 100)
    ((opcode, body),) = await talk.heard()
    assert (opcode, int.from_bytes(body[:2], "big")) == (Opcode.CLOSE, 1009)


async def test_nothing_is_read_after_a_message_without_end() -> None:
    talk = Talk()
    talk.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask")
    await talk.heard()
    talk.receive(text(b"hello"))
    assert await talk.texts() == []


# --- closing ----------------------------------------------------------------------------------------------------------


async def test_a_close_is_answered() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.CLOSE, (1000).to_bytes(2, "big")))
    assert [opcode for opcode, _ in await talk.heard()] == [Opcode.CLOSE]


async def test_nothing_is_heard_after_a_close() -> None:
    talk = Talk()
    talk.receive(frame(Opcode.CLOSE, (1000).to_bytes(2, "big")) + text(b"hello"))
    talk.receive(text(b"hello"))
    assert await talk.texts() == []


async def test_nothing_is_said_after_the_answer_to_a_close() -> None:
    talk = Talk()
    talk.receive(text(b"before") + frame(Opcode.CLOSE, (1000).to_bytes(2, "big")))
    (connection,) = talk.bench.node.connections
    connection._perform([b"after"])
    assert [opcode for opcode, _ in await talk.heard()] == [Opcode.TEXT, Opcode.CLOSE]


async def test_our_close_has_a_code_and_a_reason() -> None:
    talk = Talk()
    (connection,) = talk.bench.node.connections
    connection.close(BYE)
    assert await talk.heard() == [(Opcode.CLOSE, (1000).to_bytes(2, "big") + b"bye")]


async def test_what_was_said_before_a_close_is_sent_before_it() -> None:
    talk = Talk()
    (connection,) = talk.bench.node.connections
    connection._perform([b"last words"])
    connection.close(BYE)
    assert [opcode for opcode, _ in await talk.heard()] == [Opcode.TEXT, Opcode.CLOSE]


async def test_a_lost_connection_ends_its_session() -> None:
    talk = Talk()
    talk.protocol.connection_lost(None)
    assert len(talk.bench.node.connections) == 0


@pytest.mark.parametrize(
    "data",
    [
        bytes((0x81, 0x05)) + b"hello",
        bytes((0x89, 0x00)),
        bytes((0xF1, 0x80)) + bytes(4),
        bytes((0x83, 0x80)) + bytes(4),
        frame(Opcode.CONT, b"what?"),
    ],
    ids=("unmasked", "unmasked and empty", "reserved bits", "unknown opcode", "a continuation of nothing"),
)
async def test_what_breaks_the_protocol_closes_the_connection(data: bytes) -> None:
    talk = Talk()
    talk.receive(data)
    heard = await talk.heard()
    assert [(opcode, int.from_bytes(body[:2], "big")) for opcode, body in heard] == [(Opcode.CLOSE, 1002)]


async def test_several_messages_are_written_at_once() -> None:
    talk = Talk()
    talk.protocol.send([b"a", b"b" * 200, b"c" * 70_000])
    assert [len(body) for _, body in await talk.heard()] == [1, 200, 70_000]
