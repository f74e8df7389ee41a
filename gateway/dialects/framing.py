"""Framing: how messages are delimited in a TCP stream. The default is one line per message."""

from typing import Protocol

from shared.errors import ErrorCode, ProtocolError

MOST_BYTES = 64 * 1024
"""The largest frame or line that is accepted, in every dialect."""


class Framing(Protocol):
    """The delimiting of a dialect's messages in one TCP connection, in both directions."""

    idle_ms: int
    """`idle` is called when no byte has arrived for this long; 0: never."""
    pause_ms: int
    """The minimum time between two messages to the client."""
    preamble: bytes
    """The bytes that are written as soon as the connection is open; usually none."""

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        """Take received bytes; return the frames that are complete now, with an error in place of each invalid one.
        Errors go to `Conversation.invalid_frame`; an error with the code `frame/endless` ends the connection."""

    def idle(self) -> list[bytes | ProtocolError]:
        """Return the frames that the pause of `idle_ms` has completed."""

    def frame(self, message: bytes) -> bytes:
        """Return the message as it is written to the stream, with its delimiter."""


def fault_of(why: str) -> ErrorCode:
    """The error code for a message that could not be decoded, from the text of msgspec's error."""
    # msgspec raises the same ValidationError for an unknown tag as for any other invalid field; only its text tells the
    # two apart ("Invalid value 'x' - at `$.type`"). A change of this text would turn `frame/unknown_type` into
    # `frame/malformed`, which the tests of the dialects notice.
    return "frame/unknown_type" if "Invalid value" in why and "$.type" in why else "frame/malformed"


class Lines:
    """One message per line. A line that is too long is reported once, as soon as it exceeds the limit."""

    idle_ms = 0
    pause_ms = 0
    preamble = b""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        frames: list[bytes | ProtocolError] = []
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._skipping and lines:
            self._skipping = False
            del lines[0]
        for line in filter(bytes.strip, lines):  # blank lines are skipped at the speed of C: a client may send many
            frames.append(ProtocolError("frame/too_big") if len(line) > self._most else line.rstrip(b"\r"))
        if len(self._rest) > self._most:
            self._rest = b""
            if not self._skipping:
                frames.append(ProtocolError("frame/too_big"))
            self._skipping = True
        return frames

    def idle(self) -> list[bytes | ProtocolError]:
        return []

    def frame(self, message: bytes) -> bytes:
        return message + b"\n"
