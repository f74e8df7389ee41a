"""A light WebSocket client: small whole text messages on a short path, everything else through `websockets`.

The load tool shares its machine with the servers, so what a frame costs here matters.
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


class Owner(Protocol):
    """Who uses a connection. `receive` gets all messages of one read at once."""

    def connected(self, wire: "Wire") -> None: ...
    def receive(self, frames: list[bytes]) -> None: ...
    def lost(self, code: int, reason: str) -> None: ...


class Wire(Protocol):
    """A connection, whatever the transport."""

    def send(self, frames: Iterable[bytes]) -> None: ...
    def close(self) -> None: ...


def masked(payload: bytes) -> bytes:
    """A whole text message as a client must frame it."""
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
    """One client connection. Tells its owner once that it is connected and once that it is lost."""

    def __init__(self, url: str, owner: Owner) -> None:
        self._owner = owner
        self._sans = ClientProtocol(parse_uri(url), max_size=MOST_BYTES)
        self._transport: asyncio.WriteTransport | None = None
        self._rest = b""
        self._open = False
        self._parts: list[bytes] = []
        self._refusal = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._sans.send_request(self._sans.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        if not self._open:
            self._shake_hands(data)
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
                messages += self._unusual(data[at:after])
            at = after
        self._rest = data[at:]
        if messages:
            self._owner.receive(messages)

    def _shake_hands(self, data: bytes) -> None:
        """Feed the handshake only up to the end of its head: what follows is for the short path."""
        head, end, rest = (self._rest + data).partition(b"\r\n\r\n")
        self._rest = b"" if end else head
        if not end:
            return
        if not head.startswith(b"HTTP/1.1 101"):
            self._fail(head.partition(b"\r\n")[0].decode("latin-1"))
            return
        self._sans.receive_data(head + end)
        self._sans.events_received()
        if self._sans.handshake_exc is not None:
            self._fail(str(self._sans.handshake_exc))
            return
        self._open = True
        self._owner.connected(self)
        if rest:
            self.data_received(rest)

    def _fail(self, reason: str) -> None:
        self._refusal = reason
        self._abort()

    def _unusual(self, frame: bytes) -> list[bytes]:
        """Control frames and parts of messages."""
        self._sans.receive_data(frame)
        whole: list[bytes] = []
        for event in self._sans.events_received():
            if not isinstance(event, Frame) or event.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                continue
            self._parts.append(bytes(event.data))
            if event.fin:
                whole.append(b"".join(self._parts))
                self._parts = []
        self._flush()
        if self._sans.state is not State.OPEN:
            self._abort()
        return whole

    def _flush(self) -> None:
        data = b"".join(self._sans.data_to_send())
        if data and self._transport is not None:
            self._transport.write(data)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def send(self, frames: Iterable[bytes]) -> None:
        """All in one write."""
        if self._transport is not None:
            self._transport.write(b"".join([masked(frame) for frame in frames]))

    def close(self) -> None:
        if self._open and self._sans.state is State.OPEN:
            self._sans.send_close(1000)
            self._flush()
        self._abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        close = self._sans.close_rcvd
        self._owner.lost(1006 if close is None else close.code, self._refusal if close is None else close.reason)
