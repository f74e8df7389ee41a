"""Dialects over plain TCP: cuts the byte stream into frames, with the dialect's framing."""

import asyncio
import socket
from collections import deque
from collections.abc import Mapping
from typing import cast

from gateway.connection import Connection
from gateway.connections import Connections
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.framing import Framing
from gateway.transports import proxy_header
from gateway.transports.close_codes import CloseCode
from gateway.transports.inflow import FRAMES_PER_TURN, Inflow
from shared.errors import ProtocolError

_CLOSE_S = 1.0
"""Time for the peer to read the rest and to close its side."""
_ABORT_S = 10.0
"""Time after which a peer that does not read the rest is cut off."""
_HEADER_S = 5.0
"""Time for a proxy to send its PROXY header."""
_CHUNK_BYTES = 8 * 1024
"""Bytes that a framing is given in one turn. Some framings look at every byte."""


def _keep_alive(transport: asyncio.BaseTransport) -> None:
    """Let the operating system find out about peers that are gone without closing the connection."""
    peer: socket.socket | None = transport.get_extra_info("socket")
    if peer is not None:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)


class TcpConnection(asyncio.Protocol):
    """One TCP connection: an asyncio protocol, and the transport that its `Connection` writes to."""

    def __init__(
        self, connections: Connections, dialect: Dialect, options: Mapping[str, str], *, proxied: bool = False
    ) -> None:
        self._connections = connections
        self._dialect = dialect
        self._options = options
        self._header: bytes | None = b"" if proxied else None
        """The part of the PROXY header that has come so far; None: the header is complete, or none is expected."""
        self._framing: Framing = dialect.framing(options)
        self._rest = b""
        """Received and not given to the framing yet."""
        self._frames: deque[bytes | ProtocolError] = deque()
        """Frames that wait for their turn."""
        self._transport: asyncio.Transport | None = None
        self._connection: Connection | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._waiting: deque[bytes] = deque()
        """Messages that wait for the pause after the last one, if the framing has a pause."""
        self._writer: asyncio.TimerHandle | None = None
        self._ending = False
        self._loop = asyncio.get_running_loop()
        self._inflow = Inflow(self._loop, self._go_on)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._inflow.opened(self._transport)
        self._transport.set_write_buffer_limits(high=self._connections.settings.outbox_bytes)
        _keep_alive(transport)
        if not self._connections.accepting:
            self._transport.close()
        elif self._header is None:
            self._begin(self._peer())
        else:
            self._idle = self._loop.call_later(_HEADER_S, self._transport.close)

    def _peer(self) -> str:
        assert self._transport is not None
        return str((self._transport.get_extra_info("peername") or ("local",))[0])

    def _begin(self, address: str) -> None:
        assert self._transport is not None
        host, port, *_ = self._transport.get_extra_info("sockname") or ("", 0)
        opening = Opening({}, self._connections.rooms, self._options, "tcp", (host, port))
        self._connection = self._connections.new(self, self._dialect, opening, address)
        if self._framing.preamble:
            self._transport.write(self._framing.preamble)
        self._connection.open()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._inflow.ended()
        for timer in (self._idle, self._writer):
            if timer is not None:
                timer.cancel()
        if self._connection is not None:
            self._connection.lost()

    def eof_received(self) -> None:
        """The peer sends no more. Returning None closes the transport: half-open connections are not served."""

    def pause_writing(self) -> None:
        self._inflow.pause_writing()
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._inflow.resume_writing()
        if self._connection is not None:
            self._connection.resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._header is not None:
            data = self._read_header(self._header + data)
            if not data:
                return
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        inflow = self._inflow
        inflow.bytes -= len(data)
        self._rest = self._rest + data if self._rest else data
        if not inflow.waiting:
            self._go_on()
        if inflow.bytes < 0:
            inflow.out_of_bytes()

    def _go_on(self) -> None:
        """Handle one chunk of the received bytes, or one turn's number of frames."""
        frames = self._frames
        if not frames and self._rest:
            chunk, self._rest = self._rest[:_CHUNK_BYTES], self._rest[_CHUNK_BYTES:]
            frames.extend(self._framing.feed(chunk))
        for _ in range(min(len(frames), FRAMES_PER_TURN)):
            self._pass_on(frames.popleft())
        if self._connection is None or self._connection.closed:
            self._rest = b""
            frames.clear()
        elif frames or self._rest:
            self._inflow.next_turn()
        elif self._framing.idle_ms and self._transport is not None:
            self._idle = self._loop.call_later(self._framing.idle_ms / 1_000, self._became_idle)

    def _read_header(self, data: bytes) -> bytes:
        """The bytes behind the PROXY header, once that is complete."""
        assert self._transport is not None
        header, end, rest = data.partition(b"\r\n")
        address = proxy_header.source_address(header) if end else None
        if address is not None and self._connections.accepting:
            self._header = None
            if self._idle is not None:
                self._idle.cancel()
                self._idle = None
            self._begin(address or self._peer())
            return rest
        self._header = data
        if end or len(data) >= proxy_header.MOST_BYTES:
            self._transport.close()
        return b""

    def _became_idle(self) -> None:
        self._idle = None
        for frame in self._framing.idle():
            self._pass_on(frame)

    def _pass_on(self, frame: bytes | ProtocolError) -> None:
        if self._connection is None or self._connection.closed:
            return
        if isinstance(frame, bytes):
            self._connection.receive(frame)
        else:
            self._connection.invalid_frame(frame.code)
            if frame.code == "frame/endless":
                self._connection.close(CloseCode(1009, str(frame)))

    # --- the transport of the connection ------------------------------------------------------------------------------

    def send(self, messages: list[bytes]) -> None:
        if self._transport is None:
            return
        framed = [self._framing.frame(message) for message in messages]
        if not self._framing.pause_ms:
            self._transport.write(b"".join(framed))
            return
        self._waiting.extend(framed)
        if self._writer is None:
            self._write_one()
        # Messages that wait for their pause count as unread: otherwise any number of them could gather here.
        slow = self.buffered() > self._connections.settings.outbox_bytes
        if slow and self._connection is not None and self._connection.slow_since is None:
            self._connection.pause_writing()

    def _write_one(self) -> None:
        """The framing has a minimum pause between messages: write one now, and the next after the pause."""
        self._writer = None
        if self._transport is None:
            return
        if self._waiting:
            self._transport.write(self._waiting.popleft())
            self._writer = self._loop.call_later(self._framing.pause_ms / 1_000, self._write_one)
        elif self._ending:
            self._end()

    def close(self, close_code: CloseCode) -> None:
        """Send the rest, shut the sending side, and a moment later the connection. TCP has no close codes."""
        self._ending = True
        if self._writer is None:
            self._end()

    def _end(self) -> None:
        transport = self._transport
        if transport is not None and not transport.is_closing():
            if transport.can_write_eof():
                transport.write_eof()
            self._loop.call_later(_CLOSE_S, transport.close)
            self._loop.call_later(_ABORT_S, transport.abort)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def ping(self) -> bool:
        """TCP has no pings, and a person at a terminal may be silent for long. Dialects have limits of their own."""
        return False

    def buffered(self) -> int:
        waiting = sum(map(len, self._waiting))
        return waiting + (self._transport.get_write_buffer_size() if self._transport is not None else 0)
