"""How much one client may ask for: messages per second, connections per address."""

from collections import Counter
from functools import cache


class TokenBucket:
    """A token bucket: `rate` per second, `burst` at once."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> bool:
        tokens = self._tokens + (now - self._at) * self._rate
        self._at = now
        if tokens > self._burst:
            tokens = self._burst
        if tokens < 1:
            self._tokens = tokens
            return False
        self._tokens = tokens - 1
        return True


class ConnectionLimiter:
    """How many connections there are, in all and from each address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._addresses: Counter[str] = Counter()
        self.count = 0

    def enter(self, address: str) -> bool:
        """Count another one. False if it is one too many; it must leave all the same."""
        self.count += 1
        self._addresses[address] += 1
        return self.count <= self._most and self._addresses[address] <= self._most_per_address

    def leave(self, address: str) -> None:
        self.count -= 1
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]


@cache
def listed(setting: str) -> frozenset[str]:
    """The parts of a setting that are separated by commas."""
    return frozenset(filter(None, (part.strip() for part in setting.split(","))))


def client_address(peer: str, forwarded: str, trusted: frozenset[str]) -> str:
    """Who is really there: the peer, or whoever a trusted proxy says it speaks for, which it adds to the end of what
    was forwarded to it."""
    if forwarded and ("*" in trusted or peer in trusted):
        return forwarded.split(",")[-1].strip() or peer
    return peer
