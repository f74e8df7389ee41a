"""Delays before a client tries again, and the closes after which it must not."""

import re

FIRST_DELAY_S = 0.05
LONGEST_DELAY_S = 5.0
CROWDED_DELAY_S = 1.0
CROWDED = 1013
BUSY_DELAY_S = 0.1
LONGEST_BUSY_DELAY_S = 2.0
UPDATE_CLIENT = "use the client library of the cluster's release"
FINAL = {
    1000: "the session was closed",
    1002: "the server saw a violation of the WebSocket protocol",
    1007: "the server received text that is not UTF-8",
    1008: "too many malformed or too many messages",
    1009: "a message was too long",
    4001: "the session was opened on another connection; use one connection per session",
    4004: "the session was revoked",
    4006: f"the server speaks another version of the protocol; {UPDATE_CLIENT}",
}
"""Close codes after which the server will not serve the session again at once, each with its meaning."""
_COME_BACK = re.compile(r"come back in (\d+) ms")


def reconnect_delay(code: int, reason: str, losses: int, jitter: float) -> float:
    """Seconds to wait before the next connection. `losses` counts the losses in a row; `jitter` is random, 0 to 1.

    A gateway that stops names a delay, which spreads its clients over time."""
    named = _COME_BACK.search(reason)
    if named is not None:
        return int(named[1]) / 1000
    longest = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(losses, 10))
    shortest = CROWDED_DELAY_S if code == CROWDED else FIRST_DELAY_S
    return shortest + jitter * longest


def busy_delay(tries: int, jitter: float) -> float:
    """Seconds to wait before a request that was refused as busy for the `tries`th time in a row is sent again."""
    return min(LONGEST_BUSY_DELAY_S, BUSY_DELAY_S * 2.0 ** min(tries - 1, 10)) * (0.5 + jitter / 2)
