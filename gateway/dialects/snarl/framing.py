"""The framing of Snarl over TCP: JSON values, with or without white space between them, and names without quotes."""

import re
from enum import Enum, auto
from typing import Final

from gateway.dialects.framing import MOST_BYTES
from gateway.dialects.snarl.listener_options import ListenerOptions
from gateway.dialects.snarl.messages import ASK_NAME
from gateway.dialects.snarl.scanner import Scan, Scanner
from shared.errors import ProtocolError

IDLE_MS: Final = 250
"""The pause that ends a name without quotes or line end, and the rest of a malformed value."""

_BLANK: Final = frozenset(b" \t\r\n")
_NOT_BLANK: Final = re.compile(rb"[^ \t\r\n]")
_NEWLINE: Final = ord("\n")
_QUOTE: Final = ord('"')


class _Mode(Enum):
    BETWEEN = auto()
    """Between two values."""
    JSON = auto()
    TEXT = auto()
    """A name without quotes: everything up to the end of the line."""
    MALFORMED = auto()
    """After a syntax error: everything up to the end of the line counts as one malformed answer."""
    ENDED = auto()
    """A value was too long: the connection is being closed, and all further bytes are dropped."""


class SnarlFraming:
    """One connection's stream. A name is expected after the server's prompt for one, which passes through `frame`."""

    idle_ms = IDLE_MS
    preamble = b""

    def __init__(self, options: ListenerOptions) -> None:
        self.pause_ms = options.pause_ms
        self._separator = options.separator
        self._unquoted_names = options.unquoted_names
        self._mode = _Mode.BETWEEN
        self._name_expected = True
        self._value = bytearray()
        self._scanner = Scanner()

    def frame(self, message: bytes) -> bytes:
        self._name_expected = message == ASK_NAME
        return message + self._separator

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        found: list[bytes | ProtocolError] = []
        at, end = 0, len(data)
        while at < end and self._mode is not _Mode.ENDED:
            if self._mode is _Mode.BETWEEN:
                # Blanks between values are skipped at the speed of C: a client may send nothing else.
                value = _NOT_BLANK.search(data, at)
                if value is None:
                    break
                at = value.start()
            self._take(data[at], found)
            at += 1
        return found

    def idle(self) -> list[bytes | ProtocolError]:
        found: list[bytes | ProtocolError] = []
        if self._mode is _Mode.TEXT or (self._mode is _Mode.JSON and self._scanner.complete):
            self._finish(found)
        elif self._mode is _Mode.MALFORMED:
            self._reject(found)
        return found

    def _take(self, byte: int, found: list[bytes | ProtocolError]) -> None:
        if self._mode is _Mode.BETWEEN:
            self._begin(byte)
        scan = self._scanner.feed(byte) if self._mode is _Mode.JSON else Scan.MORE
        if scan is Scan.DONE_BEFORE:
            self._finish(found)
            if byte not in _BLANK:
                self._take(byte, found)
            return
        self._value.append(byte)
        if len(self._value) > MOST_BYTES:
            self._mode = _Mode.ENDED
            found.append(ProtocolError("frame/endless"))
        elif scan is Scan.DONE or (self._mode is _Mode.TEXT and byte == _NEWLINE):
            self._finish(found)
        elif scan is Scan.BAD or self._mode is _Mode.MALFORMED:
            self._mode = _Mode.MALFORMED
            if byte == _NEWLINE:
                self._reject(found)

    def _begin(self, byte: int) -> None:
        as_text = self._name_expected and self._unquoted_names and byte != _QUOTE
        self._mode = _Mode.TEXT if as_text else _Mode.JSON
        self._scanner = Scanner()

    def _finish(self, found: list[bytes | ProtocolError]) -> None:
        found.append(bytes(self._value).strip())
        self._reset()

    def _reject(self, found: list[bytes | ProtocolError]) -> None:
        found.append(ProtocolError("frame/malformed"))
        self._reset()

    def _reset(self) -> None:
        self._value.clear()
        self._mode = _Mode.BETWEEN
