"""The transports that ship, over a socket in memory: bytes go in as a client would send them, in any pieces."""

import asyncio
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from gateway.transports.tcp import TcpConnection
from gateway.transports.websocket import WebSocket
from tests.support.memory_cluster import MemoryCluster

HANDSHAKE = (
    b"GET %s HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_PAUSE_MS = 500
_MOST_PAUSES = 400
"""A client that is slowed down for longer than this is given up: its rest is not sent."""


class WireSocket:
    """The transport that a protocol writes to. It notes what was written, and whether the protocol reads."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.reading = True
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written += data

    def writelines(self, parts: list[bytes]) -> None:
        self.written += b"".join(parts)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str) -> Any:
        return ("127.0.0.1", 5) if name in ("peername", "sockname") else None


class Wire:
    """A client's end of a real transport in the in-memory cluster."""

    def __init__(self, cluster: MemoryCluster, dialect: str, *, tcp: bool) -> None:
        self._cluster = cluster
        self.socket = WireSocket()
        spoken, connections = cluster.dialects[dialect], cluster.gateway.node.connections
        made: list[TcpConnection | WebSocket] = []

        def make() -> None:
            if tcp:
                made.append(TcpConnection(connections, spoken, {}))
            else:
                state = SimpleNamespace(connections=set())
                made.append(WebSocket(connections, {spoken.path: spoken}, server_state=state))
            made[0].connection_made(cast(asyncio.Transport, self.socket))

        cluster.do(make)
        self._protocol = made[0]
        if not tcp:
            self._do(lambda: self._protocol.data_received(HANDSHAKE % spoken.path.encode()))
            assert b" 101 " in self.socket.written
            self.socket.written.clear()

    def _do(self, call: Callable[[], object]) -> None:
        self._cluster.do(call)

    def send(self, pieces: list[bytes]) -> None:
        """Send the pieces, as far and as fast as the server reads."""
        pauses = 0
        for piece in pieces:
            while not self.socket.reading and pauses < _MOST_PAUSES:
                self._cluster.advance(_PAUSE_MS)
                pauses += 1
            if self.socket.closed or not self.socket.reading:
                break
            self._do(lambda data=piece: self._protocol.data_received(data))  # type: ignore[misc]
        self._cluster.advance(_PAUSE_MS)

    def end(self) -> None:
        self._do(lambda: self._protocol.connection_lost(None))


def cut(dice: Random, stream: bytes) -> list[bytes]:
    """The stream in pieces; the sizes differ from stream to stream."""
    sizes = dice.choice(((1, 2, 7, 100), (100, 1_400), (70_000, 200_000)))
    pieces, at = [], 0
    while at < len(stream):
        size = dice.choice(sizes)
        pieces.append(stream[at : at + size])
        at += size
    return pieces
