"""Java object streams as framings of a TCP listener: each frame is a JSON message in UTF-8.

The framings know no dialect. A stream error ends the connection, because nothing in an object stream marks where the
next object begins; an object that is no message only counts as one malformed frame.
"""

from functools import lru_cache
from typing import Final

import msgspec

from gateway.transports.java_stream.constants import HEADER
from gateway.transports.java_stream.limits import DEFAULT_LIMITS, Limits
from gateway.transports.java_stream.plain import from_plain, to_plain
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import ClassTable, JavaValue
from gateway.transports.java_stream.writer import ObjectWriter
from shared.errors import ProtocolError

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict).decode

STRINGS: Final = ClassTable(())
"""No classes: strings are the only messages."""


def _fatal(error: ProtocolError) -> ProtocolError:
    """The error with the code that ends a TCP connection."""
    return ProtocolError("frame/endless", str(error))


@lru_cache(maxsize=1024)
def _self_contained(message: bytes, table: ClassTable) -> bytes:
    """A message that begins with a reset has the same bytes on every connection. Most messages of a game go to several
    players and recur, for example a student that moves from the bag to a cloud, and encoding one takes 50 us."""
    return ObjectWriter().write(from_plain(_decode(message), table))


class StringFraming:
    """Each message is one Java string that holds JSON (AM24)."""

    idle_ms = 0
    pause_ms = 0
    preamble = HEADER
    """The peer's constructor of an ObjectInputStream blocks until it has read these bytes."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._reader = ObjectReader(STRINGS, limits)
        self._writer = ObjectWriter()

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        return [self._frame(value) for value in self._reader.feed(data)]

    def _frame(self, value: JavaValue | ProtocolError) -> bytes | ProtocolError:
        match value:
            case ProtocolError():
                return _fatal(value)
            case str():
                return value.encode()
            case _:
                return ProtocolError("frame/malformed")

    def idle(self) -> list[bytes | ProtocolError]:
        return []

    def frame(self, message: bytes) -> bytes:
        return self._writer.write(message.decode())


class ObjectFraming:
    """Each message is one object of a class table (Group 3), in the JSON form of `plain`."""

    idle_ms = 0
    pause_ms = 0
    preamble = HEADER
    """As in `StringFraming`."""

    def __init__(
        self, reads: ClassTable, writes: ClassTable, *, resets: bool = True, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._reads = reads
        self._writes = writes
        self._reader = ObjectReader(reads, limits)
        self._writer = None if resets else ObjectWriter(resets=False)

    def feed(self, data: bytes) -> list[bytes | ProtocolError]:
        return [self._frame(value) for value in self._reader.feed(data)]

    def _frame(self, value: JavaValue | ProtocolError) -> bytes | ProtocolError:
        if isinstance(value, ProtocolError):
            return _fatal(value)
        try:
            return _encode(to_plain(value, self._reads))
        except ProtocolError as error:
            return error

    def idle(self) -> list[bytes | ProtocolError]:
        return []

    def frame(self, message: bytes) -> bytes:
        """Raises `ValueError` for a message that the table does not have: that is a mistake of ours."""
        if self._writer is None:
            return _self_contained(message, self._writes)
        return self._writer.write(from_plain(_decode(message), self._writes))
