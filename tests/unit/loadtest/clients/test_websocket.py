"""The WebSocket client, with bytes split at any place."""

import asyncio
from collections.abc import Iterable

import pytest
from websockets.frames import Close, Frame, Opcode
from websockets.server import ServerProtocol

from loadtest.clients.websocket import Connection, WebSocket, masked


class Handler:
    def __init__(self) -> None:
        self.connection: Connection | None = None
        self.received: list[bytes] = []
        self.batches: list[int] = []
        self.ends: list[tuple[int, str]] = []

    def connected(self, connection: Connection) -> None:
        self.connection = connection

    def receive(self, frames: list[bytes]) -> None:
        self.received += frames
        self.batches.append(len(frames))

    def lost(self, code: int, reason: str) -> None:
        self.ends.append((code, reason))


class Pipe(asyncio.WriteTransport):
    """A transport that records all writes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.closed = True


class Pair:
    """The client and a server of `websockets` without IO."""

    def __init__(self) -> None:
        self.handler, self.pipe, self.server = Handler(), Pipe(), ServerProtocol()
        self.client = WebSocket("ws://127.0.0.1:8000/ws/play", self.handler)
        self.client.connection_made(self.pipe)
        self.server.receive_data(self.pipe.writes.pop())
        (request,) = self.server.events_received()
        self.server.send_response(self.server.accept(request))  # type: ignore[arg-type]
        self.handshake = b"".join(self.server.data_to_send())

    def complete_handshake(self) -> "Pair":
        self.client.data_received(self.handshake)
        return self

    def server_receives(self) -> list[Frame]:
        for data in self.pipe.writes:
            self.server.receive_data(data)
        self.pipe.writes.clear()
        return [event for event in self.server.events_received() if isinstance(event, Frame)]


def serialized(*frames: Frame) -> bytes:
    return b"".join(frame.serialize(mask=False) for frame in frames)


def text(payload: bytes, fin: bool = True) -> Frame:
    return Frame(Opcode.TEXT, payload, fin)


SIZES = (0, 1, 125, 126, 127, 65535, 65536, 70000)


@pytest.mark.parametrize("size", SIZES)
def test_messages_of_every_size_arrive(size: int) -> None:
    pair = Pair().complete_handshake()
    pair.client.data_received(serialized(text(b"x" * size)))
    assert pair.handler.received == [b"x" * size]


@pytest.mark.parametrize("size", SIZES)
def test_messages_of_every_size_are_received_by_a_server(size: int) -> None:
    pair = Pair().complete_handshake()
    pair.client.send([b"y" * size])
    assert [bytes(frame.data) for frame in pair.server_receives()] == [b"y" * size]


def test_several_messages_are_one_write() -> None:
    pair = Pair().complete_handshake()
    pair.client.send([b"one", b"two"])
    assert len(pair.pipe.writes) == 1
    assert [bytes(frame.data) for frame in pair.server_receives()] == [b"one", b"two"]


def test_two_masks_differ() -> None:
    assert len({masked(b"same") for _ in range(8)}) > 1


def mixed() -> bytes:
    return serialized(
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
        assert pair.handler.received == [b"first", b"second!", b"z" * 300], cut
        assert [frame.opcode for frame in pair.server_receives()] == [Opcode.PONG, Opcode.PONG], cut


def test_bytes_may_come_one_by_one() -> None:
    pair = Pair()
    for byte in pair.handshake + mixed():
        pair.client.data_received(bytes((byte,)))
    assert pair.handler.received == [b"first", b"second!", b"z" * 300]


def test_messages_of_one_read_are_handled_together() -> None:
    pair = Pair().complete_handshake()
    pair.client.data_received(serialized(text(b"a"), text(b"b"), text(b"c")))
    assert pair.handler.batches == [3]


@pytest.mark.parametrize(("code", "reason"), [(1012, "come back in 250 ms"), (4001, ""), (1000, "bye")])
def test_a_close_is_answered_and_reported(code: int, reason: str) -> None:
    pair = Pair().complete_handshake()
    pair.client.data_received(serialized(text(b"last"), Frame(Opcode.CLOSE, Close(code, reason).serialize())))
    assert pair.handler.received == [b"last"]
    assert [frame.opcode for frame in pair.server_receives()] == [Opcode.CLOSE]
    assert pair.pipe.closed
    pair.client.connection_lost(None)
    assert pair.handler.ends == [(code, reason)]


def test_a_connection_that_ends_without_a_close_frame_is_1006() -> None:
    pair = Pair().complete_handshake()
    pair.client.connection_lost(ConnectionResetError())
    assert pair.handler.ends == [(1006, "")]


def test_a_client_that_closes_sends_a_close_frame() -> None:
    pair = Pair().complete_handshake()
    pair.client.close()
    assert [frame.opcode for frame in pair.server_receives()] == [Opcode.CLOSE]
    assert pair.pipe.closed


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: wrong\r\n\r\n",
    ],
)
def test_a_refused_handshake_is_reported_with_its_reason(answer: bytes) -> None:
    pair = Pair()
    pair.client.data_received(answer)
    assert pair.handler.connection is None
    assert pair.pipe.closed
    pair.client.connection_lost(None)
    ((code, reason),) = pair.handler.ends
    assert code == 1006
    assert reason


def sends(frames: Iterable[bytes]) -> list[bytes]:
    pair = Pair().complete_handshake()
    pair.client.send(frames)
    return [bytes(frame.data) for frame in pair.server_receives()]


def test_text_keeps_its_bytes() -> None:
    assert sends(['{"name": "Zoë"}'.encode()]) == ['{"name": "Zoë"}'.encode()]
