"""How messages are delimited in a TCP stream; one line per message unless a dialect says otherwise."""

from typing import Protocol

from shared.errors import ErrorCode, ProtocolError

MOST_BYTES = 64 * 1024
"""Of a frame or line, in any dialect."""


class Framing(Protocol):
    """How a dialect's messages lie in a TCP stream."""

    idle_ms: int
    """When nothing has come for so long, `idle` is called; 0: never."""
    pause_ms: int
    """Least time between two messages to the client."""

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        """Bytes came: the frames that are complete now, and an error in the place of each that cannot be one.
        An error is handed to `Conversation.invalid_frame`; one with the code `frame/endless` ends the connection."""

    def idle(self) -> list[bytes | ProtocolError]: ...

    def frame(self, message: bytes) -> bytes:
        """The message as it is written to the stream."""


def fault_of(why: str) -> ErrorCode:
    """The code for a message that could not be decoded, from what the decoder said."""
    return "frame/unknown_type" if "Invalid value" in why and "$.type" in why else "frame/malformed"


class Lines:
    """One message per line: the framing of all dialects that name no other."""

    idle_ms = 0
    pause_ms = 0

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        frames: list[bytes | ProtocolError] = []
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False
            elif len(line) > self._most:
                frames.append(ProtocolError("frame/too_big"))
            elif line.strip():
                frames.append(line.rstrip(b"\r"))
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
