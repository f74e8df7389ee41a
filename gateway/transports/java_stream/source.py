"""Bytes of a stream that arrive in any chunks, taken in the chunks that a parser asks for."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

from gateway.transports.java_stream.limits import Limits
from shared.errors import ProtocolError

_T = TypeVar("_T")

Parsing: TypeAlias = Generator[None, None, _T]
"""A parser that is suspended whenever bytes are missing. It goes on where it stopped, so that parsing takes time
linear in the bytes, whatever the chunks; parsing a message anew with each chunk would be quadratic."""


class Source:
    """The buffer between the connection and the parser, and the bounds on the bytes it lets pass."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._at = 0
        self._message_bytes = 0
        self._kept_bytes = 0

    def append(self, data: bytes) -> None:
        del self._buffer[: self._at]
        self._at = 0
        self._buffer += data

    def clear(self) -> None:
        self._buffer.clear()
        self._at = 0

    def begin_message(self) -> None:
        self._message_bytes = 0

    def forget_kept(self) -> None:
        """The peer has reset its handles."""
        self._kept_bytes = 0

    def take(self, count: int) -> Parsing[bytes]:
        """The next bytes. A count beyond the bounds is refused at once, not when that many bytes have arrived."""
        self._message_bytes += count
        self._kept_bytes += count
        self.check_remaining(0)
        if self._kept_bytes > self._limits.kept_bytes:
            raise ProtocolError("frame/too_big", f"the stream has no reset in {self._limits.kept_bytes} bytes")
        while len(self._buffer) - self._at < count:
            yield
        start = self._at
        self._at += count
        return bytes(self._buffer[start : self._at])

    def check_remaining(self, count: int) -> None:
        """Raise unless the message may have at least so many bytes more."""
        if self._message_bytes + count > self._limits.message_bytes:
            raise ProtocolError("frame/too_big")
