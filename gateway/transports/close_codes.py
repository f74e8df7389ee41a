"""Every code that a WebSocket is closed with: its number, its reason, and whether the client should reconnect."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CloseCode:
    """RFC 6455 section 7.4: 1000 to 2999 are defined by the protocol, 4000 to 4999 by the application."""

    code: int
    reason: str
    reconnect: bool = False
    """Whether a client that comes back at once, or after a moment, will be served."""


BYE = CloseCode(1000, "bye")
PROTOCOL_ERROR = CloseCode(1002, "a frame violates the WebSocket protocol")
INVALID_UTF8 = CloseCode(1007, "a text message is not valid UTF-8")
MALFORMED = CloseCode(1008, "too many malformed messages")
FLOOD = CloseCode(1008, "far too many messages")
TOO_BIG = CloseCode(1009, "a message is far beyond the limit")
SILENT = CloseCode(1011, "no sign of life", reconnect=True)
BROKEN = CloseCode(1011, "something broke on our side, come back", reconnect=True)
CROWDED = CloseCode(1013, "too many connections, try again later", reconnect=True)
REPLACED = CloseCode(4001, "the session was opened somewhere else")
SLOW = CloseCode(4002, "you read too slowly, come back", reconnect=True)
POSITION_LOST = CloseCode(4003, "you missed too much, come back", reconnect=True)
REVOKED = CloseCode(4004, "the session was ended")
REMOVED = CloseCode(4005, "an operator has removed you from the table")
OTHER_VERSION = CloseCode(4006, "the protocol has another version here")


def restart(after_ms: int) -> CloseCode:
    """The gateway stops. The delay differs per client, so that they do not come back all at once."""
    return CloseCode(1012, f"come back in {after_ms} ms", reconnect=True)
