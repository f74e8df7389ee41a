"""The light WebSocket client against bytes in any pieces."""

import asyncio
from collections.abc import Iterable

import pytest
from websockets.frames import Close, Frame, Opcode
from websockets.server import ServerProtocol

from loadtest.clients.websocket import WebSocket, Wire, masked


class Owner:
    def __init__(self) -> None:
        self.wire: Wire | None = None
        self.heard: list[bytes] = []
        self.batches: list[int] = []
        self.ends: list[tuple[int, str]] = []

    def connected(self, wire: Wire) -> None:
        self.wire = wire

    def receive(self, frames: list[bytes]) -> None:
        self.heard += frames
        self.batches.append(len(frames))

    def lost(self, code: int, reason: str) -> None:
        self.ends.append((code, reason))


class Pipe(asyncio.WriteTransport):
    """A transport that keeps what is written, in the order of the writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.closed = True


class Pair:
    """Our client, and a real server without IO at the other end."""

    def __init__(self) -> None:
        self.owner, self.pipe, self.server = Owner(), Pipe(), ServerProtocol()
        self.client = WebSocket("ws://127.0.0.1:8000/ws/play", self.owner)
        self.client.connection_made(self.pipe)
        self.server.receive_data(self.pipe.writes.pop())
        (request,) = self.server.events_received()
        self.server.send_response(self.server.accept(request))  # type: ignore[arg-type]
        self.handshake = b"".join(self.server.data_to_send())

    def shake_hands(self) -> "Pair":
        self.client.data_received(self.handshake)
        return self

    def server_hears(self) -> list[Frame]:
        for data in self.pipe.writes:
            self.server.receive_data(data)
        self.pipe.writes.clear()
        return [event for event in self.server.events_received() if isinstance(event, Frame)]


def wire(*frames: Frame) -> bytes:
    return b"".join(frame.serialize(mask=False) for frame in frames)


def text(payload: bytes, fin: bool = True) -> Frame:
    return Frame(Opcode.TEXT, payload, fin)


SIZES = (0, 1, 125, 126, 127, 65535, 65536, 70000)


@pytest.mark.parametrize("size", SIZES)
def test_messages_of_every_size_arrive(size: int) -> None:
    pair = Pair().shake_hands()
    pair.client.data_received(wire(text(b"x" * size)))
    assert pair.owner.heard == [b"x" * size]


@pytest.mark.parametrize("size", SIZES)
def test_messages_of_every_size_are_understood_by_a_server(size: int) -> None:
    pair = Pair().shake_hands()
    pair.client.send([b"y" * size])
    assert [bytes(frame.data) for frame in pair.server_hears()] == [b"y" * size]


def test_several_messages_are_one_write() -> None:
    pair = Pair().shake_hands()
    pair.client.send([b"one", b"two"])
    assert len(pair.pipe.writes) == 1
    assert [bytes(frame.data) for frame in pair.server_hears()] == [b"one", b"two"]


def test_two_masks_differ() -> None:
    assert len({masked(b"same") for _ in range(8)}) > 1


def mixed() -> bytes:
    return wire(
        text(b"first"),
        Frame(Opcode.PING, b"p"),
        text(b"sec", fin=False),
        Frame(Opcode.CONT, b"ond", fin=False),
        Frame(Opcode.PING, b"q"),
        Frame(Opcode.CONT, b"!", fin=True),
        text(b"z" * 300),
    )


def test_bytes_may_be_split_anywhere() -> None:
    whole = Pair().handshake + mixed()
    for cut in range(len(whole)):
        pair = Pair()
        data = pair.handshake + mixed()
        pair.client.data_received(data[:cut])
        pair.client.data_received(data[cut:])
        assert pair.owner.heard == [b"first", b"second!", b"z" * 300], cut
        assert [frame.opcode for frame in pair.server_hears()] == [Opcode.PONG, Opcode.PONG], cut


def test_bytes_may_come_one_by_one() -> None:
    pair = Pair()
    for byte in pair.handshake + mixed():
        pair.client.data_received(bytes((byte,)))
    assert pair.owner.heard == [b"first", b"second!", b"z" * 300]


def test_messages_of_one_read_come_together() -> None:
    pair = Pair().shake_hands()
    pair.client.data_received(wire(text(b"a"), text(b"b"), text(b"c")))
    assert pair.owner.batches == [3]


@pytest.mark.parametrize(("code", "reason"), [(1012, "come back in 250 ms"), (4001, ""), (1000, "bye")])
def test_a_close_is_answered_and_told(code: int, reason: str) -> None:
    pair = Pair().shake_hands()
    pair.client.data_received(wire(text(b"last"), Frame(Opcode.CLOSE, Close(code, reason).serialize())))
    assert pair.owner.heard == [b"last"]
    assert [frame.opcode for frame in pair.server_hears()] == [Opcode.CLOSE]
    assert pair.pipe.closed
    pair.client.connection_lost(None)
    assert pair.owner.ends == [(code, reason)]


def test_a_connection_that_dies_without_a_word_is_1006() -> None:
    pair = Pair().shake_hands()
    pair.client.connection_lost(ConnectionResetError())
    assert pair.owner.ends == [(1006, "")]


def test_a_client_that_closes_says_so() -> None:
    pair = Pair().shake_hands()
    pair.client.close()
    assert [frame.opcode for frame in pair.server_hears()] == [Opcode.CLOSE]
    assert pair.pipe.closed


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: wrong\r\n\r\n",
    ],
)
def test_a_refused_handshake_is_told_with_its_reason(answer: bytes) -> None:
    pair = Pair()
    pair.client.data_received(answer)
    assert pair.owner.wire is None
    assert pair.pipe.closed
    pair.client.connection_lost(None)
    ((code, reason),) = pair.owner.ends
    assert code == 1006
    assert reason


def sends(frames: Iterable[bytes]) -> list[bytes]:
    pair = Pair().shake_hands()
    pair.client.send(frames)
    return [bytes(frame.data) for frame in pair.server_hears()]


def test_text_keeps_its_bytes() -> None:
    assert sends(['{"name": "Zoë"}'.encode()]) == ['{"name": "Zoë"}'.encode()]
