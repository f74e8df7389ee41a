"""Client connections over TCP: JSON values, one per line, or in the framing of an original program."""

import asyncio
from collections.abc import Iterable
from typing import cast

from gateway.dialects.framing import Framing
from loadtest.clients.websocket import ConnectionHandler

DEFAULT_PORTS = {
    "snarl": 45678,
    "eriantys.events": 9999,
    "eriantys.prompts": 1234,
    "eriantys.status": 1235,
    "codex": 45679,
    "eriantys.am28": 1236,
    "eriantys.am24": 1237,
    "eriantys.group3": 1238,
}
"""The ports that `--tcp` without an address uses."""


class JsonLines(asyncio.Protocol):
    """One client connection over TCP."""

    def __init__(self, handler: ConnectionHandler) -> None:
        self._handler = handler
        self._transport: asyncio.WriteTransport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._handler.connected(self)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        frames = [line for line in lines if line.strip()]
        if frames:
            self._handler.receive(frames)

    def send(self, frames: Iterable[bytes]) -> None:
        if self._transport is not None:
            self._transport.write(b"".join([frame + b"\n" for frame in frames]))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._handler.lost(1006, "")


class FramedStream(asyncio.Protocol):
    """One connection of an original program."""

    def __init__(self, handler: ConnectionHandler, framing: Framing) -> None:
        self._handler = handler
        self._framing = framing
        self._transport: asyncio.WriteTransport | None = None
        self._unreadable = ""
        """Why the program cannot read the stream any more."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        if self._framing.preamble:
            self._transport.write(self._framing.preamble)
        self._handler.connected(self)

    def data_received(self, data: bytes) -> None:
        frames = []
        for frame in self._framing.feed(data):
            if isinstance(frame, bytes):
                frames.append(frame)
            else:
                self._unreadable = str(frame)
        if frames:
            self._handler.receive(frames)
        if self._unreadable:
            self.close()

    def send(self, frames: Iterable[bytes]) -> None:
        if self._transport is not None:
            self._transport.write(b"".join([self._framing.frame(frame) for frame in frames]))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        # A stream that the program cannot read is a fault of the server, and no reason to come back.
        self._handler.lost(1008 if self._unreadable else 1006, self._unreadable)
