"""Every code that we close a WebSocket with; docs/protocols/play.md says who should come back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Closing:
    code: int
    reason: str


BYE = Closing(1000, "bye")
NONSENSE = Closing(1008, "too many malformed messages")
FLOOD = Closing(1008, "far too many messages")
TOO_BIG = Closing(1009, "a message is far beyond the limit")
SILENT = Closing(1011, "no sign of life")
BROKEN = Closing(1011, "something broke on our side, come back")
CROWDED = Closing(1013, "too many connections, try again later")
REPLACED = Closing(4001, "the session was opened somewhere else")
SLOW = Closing(4002, "you read too slowly, come back")
LOST_TRACK = Closing(4003, "you missed too much, come back")


def restart(after_ms: int) -> Closing:
    """This gateway stops: come back after a time that is different for everybody."""
    return Closing(1012, f"come back in {after_ms} ms")
