"""Bounds on what one peer's object stream may cost the reader."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """All bounds are checked before memory is allocated."""

    message_bytes: int = 64 * 1024
    """Bytes of one message, as for every other frame. The bound holds for the bytes in the stream, and again for the
    contents with each reference written out: otherwise a few nested references would stand for gigabytes of JSON."""
    depth: int = 32
    """Objects, arrays and superclasses within each other."""
    handles: int = 32 * 1024
    """Handles since the last reset. A client that never resets uses one or two for each message, which is enough for
    hundreds of games on one connection; they take about 5 MiB."""
    kept_bytes: int = 2 * 1024 * 1024
    """Bytes of the stream since the last reset, which bounds the strings that the handles keep."""


DEFAULT_LIMITS: Final = Limits()
