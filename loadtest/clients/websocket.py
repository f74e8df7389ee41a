"""A light WebSocket client: whole text messages take a short path, everything else goes through `websockets`.

The load tool shares its machine with the servers, so the cost of a frame in the client matters.
"""

import asyncio
import random
from collections.abc import Iterable
from typing import Protocol, cast

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.speedups import apply_mask
from websockets.uri import parse_uri

TEXT = 0x81
MOST_BYTES = 16 * 1024 * 1024


class ConnectionHandler(Protocol):
    """The user of a connection. `receive` gets all messages of one read at once."""

    def connected(self, connection: "Connection") -> None: ...
    def receive(self, frames: list[bytes]) -> None: ...
    def lost(self, code: int, reason: str) -> None: ...


class Connection(Protocol):
    """A client connection over any transport."""

    def send(self, frames: Iterable[bytes]) -> None: ...
    def close(self) -> None: ...


def masked(payload: bytes) -> bytes:
    """The frame of a whole text message; clients must mask their frames (RFC 6455, section 5.3)."""
    key = random.getrandbits(32).to_bytes(4, "big")
    length = len(payload)
    if length < 126:
        head = bytes((TEXT, 0x80 | length))
    elif length < 65536:
        head = b"\x81\xfe" + length.to_bytes(2, "big")
    else:
        head = b"\x81\xff" + length.to_bytes(8, "big")
    return head + key + apply_mask(payload, key)


class WebSocket(asyncio.Protocol):
    """One client connection. It calls `connected` and `lost` of its handler once each."""

    def __init__(self, url: str, handler: ConnectionHandler) -> None:
        self._handler = handler
        self._protocol = ClientProtocol(parse_uri(url), max_size=MOST_BYTES)
        self._transport: asyncio.WriteTransport | None = None
        self._rest = b""
        self._open = False
        self._parts: list[bytes] = []
        self._refusal = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        if not self._open:
            self._handshake(data)
            return
        if self._rest:
            data = self._rest + data
        messages: list[bytes] = []
        at, end = 0, len(data)
        while end - at >= 2:
            length = data[at + 1]
            head = 2
            if length == 126:
                head = 4
                length = int.from_bytes(data[at + 2 : at + 4], "big")
            elif length == 127:
                head = 10
                length = int.from_bytes(data[at + 2 : at + 10], "big")
            after = at + head + length
            if after > end:
                break
            if data[at] == TEXT and not self._parts:
                messages.append(data[at + head : after])
            else:
                messages += self._slow_path(data[at:after])
            at = after
        self._rest = data[at:]
        if messages:
            self._handler.receive(messages)

    def _handshake(self, data: bytes) -> None:
        """Pass the response up to the end of its head to `websockets`. Bytes after it are for the short path."""
        head, end, rest = (self._rest + data).partition(b"\r\n\r\n")
        self._rest = b"" if end else head
        if not end:
            return
        if not head.startswith(b"HTTP/1.1 101"):
            self._fail(head.partition(b"\r\n")[0].decode("latin-1"))
            return
        self._protocol.receive_data(head + end)
        self._protocol.events_received()
        if self._protocol.handshake_exc is not None:
            self._fail(str(self._protocol.handshake_exc))
            return
        self._open = True
        self._handler.connected(self)
        if rest:
            self.data_received(rest)

    def _fail(self, reason: str) -> None:
        self._refusal = reason
        self._abort()

    def _slow_path(self, frame: bytes) -> list[bytes]:
        """Control frames and fragments of messages."""
        self._protocol.receive_data(frame)
        whole: list[bytes] = []
        for event in self._protocol.events_received():
            if not isinstance(event, Frame) or event.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                continue
            self._parts.append(bytes(event.data))
            if event.fin:
                whole.append(b"".join(self._parts))
                self._parts = []
        self._flush()
        if self._protocol.state is not State.OPEN:
            self._abort()
        return whole

    def _flush(self) -> None:
        data = b"".join(self._protocol.data_to_send())
        if data and self._transport is not None:
            self._transport.write(data)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def send(self, frames: Iterable[bytes]) -> None:
        """Send all frames in one write."""
        if self._transport is not None:
            self._transport.write(b"".join([masked(frame) for frame in frames]))

    def close(self) -> None:
        if self._open and self._protocol.state is State.OPEN:
            self._protocol.send_close(1000)
            self._flush()
        self._abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        close = self._protocol.close_rcvd
        self._handler.lost(1006 if close is None else close.code, self._refusal if close is None else close.reason)
