"""Every code that we close a WebSocket with; docs/protocols/play.md says who should come back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CloseCode:
    code: int
    reason: str


BYE = CloseCode(1000, "bye")
NONSENSE = CloseCode(1008, "too many malformed messages")
FLOOD = CloseCode(1008, "far too many messages")
TOO_BIG = CloseCode(1009, "a message is far beyond the limit")
SILENT = CloseCode(1011, "no sign of life")
BROKEN = CloseCode(1011, "something broke on our side, come back")
CROWDED = CloseCode(1013, "too many connections, try again later")
REPLACED = CloseCode(4001, "the session was opened somewhere else")
SLOW = CloseCode(4002, "you read too slowly, come back")
LOST_TRACK = CloseCode(4003, "you missed too much, come back")


def restart(after_ms: int) -> CloseCode:
    """This gateway stops: come back after a time that is different for everybody."""
    return CloseCode(1012, f"come back in {after_ms} ms")
