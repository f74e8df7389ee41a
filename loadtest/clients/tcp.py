"""Client connections over TCP: JSON values, one per line."""

import asyncio
from collections.abc import Iterable
from typing import cast

from loadtest.clients.websocket import ConnectionHandler

DEFAULT_PORTS = {
    "snarl": 45678,
    "eriantys.events": 9999,
    "eriantys.prompts": 1234,
    "eriantys.status": 1235,
    "codex": 45679,
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
