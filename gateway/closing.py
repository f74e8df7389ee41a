"""Every code that we close a WebSocket with, and whether the client should come back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Closing:
    code: int
    reason: str
    come_back: bool


BYE = Closing(1000, "bye", come_back=False)
NONSENSE = Closing(1008, "too many malformed messages", come_back=False)
FLOOD = Closing(1008, "far too many messages", come_back=False)
TOO_BIG = Closing(1009, "a message is far beyond the limit", come_back=False)
SILENT = Closing(1011, "no sign of life", come_back=True)
BROKEN = Closing(1011, "something broke on our side, come back", come_back=True)
CROWDED = Closing(1013, "too many connections, try again later", come_back=True)
REPLACED = Closing(4001, "the session was opened somewhere else", come_back=False)
SLOW = Closing(4002, "you read too slowly, come back", come_back=True)
LOST_TRACK = Closing(4003, "you missed too much, come back", come_back=True)


def restart(after_ms: int) -> Closing:
    """This gateway stops: come back after a time that is different for everybody."""
    return Closing(1012, f"come back in {after_ms} ms", come_back=True)
