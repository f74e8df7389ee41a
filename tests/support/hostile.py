"""Hostile clients on raw sockets: frames are made in advance and sent at once, answers are read only on demand."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from tests.support.cluster import HOST

ADDRESS = "127.0.0.9"
"""The address of attackers: limits per address must not reach the players of 127.0.0.1."""
TEXT, CONTINUATION, PING = 0x1, 0x0, 0x9
_CLOSE = 0x8
_PATIENCE_S = 20.0
_KEPT = 1024 * 1024
"""Handled bytes that are kept in the buffer: cutting each frame off would copy the rest every time."""
_NO_MASK = b"\0\0\0\0"
"""A masking key that leaves the payload as it is (RFC 6455 section 5.3 allows any key)."""


def frame(payload: bytes = b"", opcode: int = TEXT, *, last: bool = True) -> bytes:
    """A masked WebSocket frame."""
    first, size = opcode | (0x80 if last else 0), len(payload)
    if size < 126:
        head = struct.pack("!BB", first, 0x80 | size)
    elif size < 65_536:
        head = struct.pack("!BBH", first, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, size)
    return head + _NO_MASK + payload


def message(**fields: Any) -> bytes:
    """A text frame with a JSON object."""
    return frame(json.dumps(fields, separators=(",", ":")).encode())


class HostileClient:
    """One connection. All methods block: call them in a thread, beside the players of a test."""

    def __init__(self, port: int, *, address: str = ADDRESS, window: int = 0) -> None:
        """`window`: the size of the receive buffer, for a client that does not read."""
        self._socket = socket.socket()
        if window:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self._socket.bind((address, 0))
        self._socket.settimeout(_PATIENCE_S)
        self._socket.connect((HOST, port))
        self._received = bytearray()
        self._at = 0
        """The number of bytes of `_received` that were handled."""
        self.read = 0
        """Bytes that were read."""
        self.closed = False
        """The server has closed the connection, or has announced it with a Close frame."""

    def upgrade(self, path: str) -> Self:
        """The WebSocket handshake."""
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: {HOST}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        )
        self._socket.sendall("\r\n".join((*lines, "", "")).encode())
        while b"\r\n\r\n" not in self._received and not self.closed:
            self._read_more()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        assert b" 101 " in head, head
        return self

    def login(self, name: str) -> Self:
        """Begin a session of `play`."""
        self.upgrade("/ws/play")
        self.send(message(type="hello", name=name))
        welcome = self.next_message()
        assert welcome is not None, "the connection was closed"
        assert welcome["type"] == "welcome", welcome
        return self

    def send(self, data: bytes, limit_s: float = _PATIENCE_S) -> int:
        """Send until everything is sent, the server has closed, or the time is over; returns the bytes sent."""
        end = time.monotonic() + limit_s
        view, sent = memoryview(data), 0
        while sent < len(data) and (left := end - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                sent += self._socket.send(view[sent : sent + 1024 * 1024])
            except TimeoutError:
                break
            except OSError:
                self.closed = True
                break
        self._socket.settimeout(_PATIENCE_S)
        return sent

    def _read_more(self) -> None:
        try:
            data = self._socket.recv(64 * 1024)
        except TimeoutError:
            raise
        except OSError:
            data = b""
        self.read += len(data)
        self._received += data
        self.closed = self.closed or not data

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """The frames of the server, with their opcodes, until it closes the connection."""
        while True:
            while (found := self._cut_frame()) is None:
                if self.closed:
                    return
                self._read_more()
            yield found
            if found[0] == _CLOSE:
                self.closed = True
                return

    def received_frames(self) -> list[bytes]:
        """The payloads of the frames that were read and not handled yet."""
        found = iter(self._cut_frame, None)
        return [payload for _, payload in found]

    def _cut_frame(self) -> tuple[int, bytes] | None:
        data, at = self._received, self._at
        if len(data) < at + 2:
            return None
        first, size, start = data[at], data[at + 1], at + 2
        if size == 126:
            size, start = int.from_bytes(data[start : start + 2], "big"), start + 2
        elif size == 127:
            size, start = int.from_bytes(data[start : start + 8], "big"), start + 8
        if len(data) < start + size:
            return None
        payload = bytes(data[start : start + size])
        self._at = start + size
        if self._at > _KEPT:
            del data[: self._at]
            self._at = 0
        return first & 0xF, payload

    def next_message(self) -> Any:
        """The next text message, decoded; None if the server closes the connection instead."""
        return next((json.loads(payload) for opcode, payload in self.frames() if opcode == TEXT), None)

    def answers(self, first: int, last: int) -> list[Any]:
        """The answers to the requests `first` to `last` of `play`, in order of arrival; fewer if the server closes."""
        found: dict[int, Any] = {}
        while len(found) < last - first + 1 and (said := self.next_message()) is not None:
            if said["type"] != "update" and first <= said.get("id", 0) <= last:
                found.setdefault(said["id"], said)
        return list(found.values())

    def pause(self, seconds: float) -> bool:
        """Wait for the server to close the connection, for so long at most; whether it has."""
        end = time.monotonic() + seconds
        while not self.closed and (left := end - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                self._read_more()
            except TimeoutError:
                break
        self._socket.settimeout(_PATIENCE_S)
        return self.closed

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
