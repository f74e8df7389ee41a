"""A WebSocket client that writes bytes of its own making, and the frames that it sends."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from websockets.frames import Frame, Opcode

from gateway.transports.websocket import WebSocket
from tests.support.gateway_bench import PARROT, GatewayBench, settle

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
