"""WebSocket frames, however they are cut, and whatever is in them."""

import asyncio
import os
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from gateway.dialects.framing import MOST_BYTES
from gateway.transports.close_codes import BYE
from gateway.transports.inflow import BURST_CONTROLS, FRAMES_PER_TURN
from gateway.transports.websocket import WebSocket
from shared.runtime.settings import GatewaySettings
from tests.support.examples import fewer_examples
from tests.support.gateway_bench import PARROT, PARTITIONS, GatewayBench, settle

HANDSHAKE = (
    b"GET %s HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n"
)


class Socket:
    """The transport of a connection: keeps the bytes that were written, and whether it was closed."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False
        self.aborted = False
        self._reading = True
        self.unread = 0

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True

    def is_reading(self) -> bool:
        return self._reading

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
        return self.unread

    def get_extra_info(self, name: str) -> Any:
        return ("10.1.2.3", 5) if name == "peername" else None


class RawClient:
    """A client that has completed the handshake, and writes bytes of its own making."""

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

    async def received(self) -> list[tuple[Opcode, bytes]]:
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
        return [body for opcode, body in await self.received() if opcode is Opcode.TEXT]


def frame(opcode: Opcode, body: bytes, *, fin: bool = True) -> bytes:
    return Frame(opcode, body, fin).serialize(mask=True)


def text(body: bytes) -> bytes:
    return frame(Opcode.TEXT, body)


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


# --- UTF-8 (RFC 6455 section 8.1) -------------------------------------------------------------------------------------

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


# --- budgets and turns ------------------------------------------------------------------------------------------------


async def test_many_messages_of_one_read_are_handled_in_turns_and_in_order() -> None:
    client, other = RawClient(), RawClient()
    bodies = [b"%d" % number for number in range(10 * FRAMES_PER_TURN)]
    client.receive(b"".join(map(text, bodies)))
    other.receive(text(b"me, too"))
    assert not client.socket.is_reading()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await other.texts() == [b"me, too"]
    received = await client.texts()
    assert received == bodies
    assert client.socket.is_reading()


async def test_frames_that_come_while_others_wait_for_their_turn_are_handled_after_them() -> None:
    client = RawClient()
    bodies = [b"%d" % number for number in range(3 * FRAMES_PER_TURN)]
    client.receive(b"".join(map(text, bodies)))
    later = text(b"later")
    client.receive(later[:3])
    client.receive(later[3:])
    assert await client.texts() == [*bodies, b"later"]


async def test_many_pings_of_one_read_do_not_stop_the_others() -> None:
    client, other = RawClient(), RawClient()
    client.receive(frame(Opcode.PING, b"") * 40_000)
    answered = 0
    for _ in range(3):
        other.receive(text(b"me, too"))
        assert await other.texts() == [b"me, too"]
        answered += len(await client.received())
    assert not client.socket.is_reading()
    assert answered < 2 * BURST_CONTROLS


async def test_many_fragments_of_one_read_do_not_stop_the_others() -> None:
    client, other = RawClient(), RawClient()
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"", fin=False) * 40_000)
    other.receive(text(b"me, too"))
    assert await other.texts() == [b"me, too"]
    assert not client.socket.is_reading()


async def test_a_message_in_several_hundred_fragments_is_put_together() -> None:
    client, pieces = RawClient(), BURST_CONTROLS - 10
    client.receive(frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.CONT, b"b", fin=False) * pieces)
    client.receive(frame(Opcode.CONT, b"c"))
    assert await client.texts() == [b"a" + b"b" * pieces + b"c"]


async def test_a_client_that_does_not_read_is_not_read_and_its_messages_wait() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.protocol.pause_writing()
    assert not client.socket.is_reading()
    assert connection.slow_since is not None
    client.receive(text(b"x" * 200) * 2)
    assert await client.texts() == []
    client.protocol.resume_writing()
    assert await client.texts() == [b"x" * 200] * 2
    assert client.socket.is_reading()
    assert connection.slow_since is None


async def test_a_client_that_does_not_read_is_closed_as_slow_although_it_is_not_read() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.socket.unread = 300_000
    client.protocol.pause_writing()
    client.bench.now += client.bench.node.settings.write_ms / 1_000 + 1
    connection.check_liveness(client.bench.now)
    ((opcode, body),) = await client.received()
    assert opcode is Opcode.CLOSE
    assert int.from_bytes(body[:2], "big") == 4002


# --- too big ----------------------------------------------------------------------------------------------------------

BIG = b"x" * (MOST_BYTES + 1)


async def test_a_message_that_is_too_big_is_skipped_and_the_connection_stays() -> None:
    client = RawClient()
    client.receive(text(BIG) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_may_come_in_pieces() -> None:
    client, data = RawClient(), text(BIG) + text(b"hello")
    for at in range(0, len(data), 1_000):
        client.receive(data[at : at + 1_000])
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_bytes_of_a_skipped_payload_that_look_like_a_frame_are_not_one() -> None:
    client, data = RawClient(), text(BIG)
    client.receive(data[:1_000])
    client.receive(text(b"inner"))
    client.receive(data[1_000 + len(text(b"inner")) :] + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_that_is_too_big_is_not_kept_in_memory() -> None:
    client = RawClient()
    client.receive(text(BIG)[:-1])
    assert len(client.protocol._rest) < 20


async def test_fragments_that_are_too_big_together_are_refused() -> None:
    client, half = RawClient(), b"x" * 40_000
    client.receive(frame(Opcode.TEXT, half, fin=False) + frame(Opcode.CONT, half) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


@pytest.mark.parametrize("place", range(3))
async def test_one_fragment_that_is_too_big_alone_is_refused_and_the_connection_stays(place: int) -> None:
    client = RawClient()
    bodies = [BIG if number == place else b"small" for number in range(3)]
    data = frame(Opcode.TEXT, bodies[0], fin=False) + frame(Opcode.CONT, bodies[1], fin=False)
    client.receive(data + frame(Opcode.CONT, bodies[2]) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_binary_message_that_is_too_big_is_refused_and_the_connection_stays() -> None:
    client = RawClient()
    client.receive(frame(Opcode.BINARY, BIG) + text(b"hello"))
    assert await client.texts() == [b"frame/too_big", b"hello"]


async def test_a_message_without_end_closes_the_connection() -> None:
    client = RawClient()
    client.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask" + b"x" * 100)
    ((opcode, body),) = await client.received()
    assert (opcode, int.from_bytes(body[:2], "big")) == (Opcode.CLOSE, 1009)


async def test_nothing_is_read_after_a_message_without_end() -> None:
    client = RawClient()
    client.receive(bytes((0x81, 0xFF)) + (1 << 40).to_bytes(8, "big") + b"mask")
    await client.received()
    client.receive(text(b"hello"))
    assert await client.texts() == []


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
