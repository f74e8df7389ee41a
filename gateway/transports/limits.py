"""Limits for clients: frames per second, connections in all and per address."""

from collections import Counter


class TokenBucket:
    """A token bucket: it is refilled at `rate` tokens per second, up to `burst`."""

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
    """Counts connections, in all and from each address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._addresses: Counter[str] = Counter()
        self.count = 0

    def enter(self, address: str) -> bool:
        """Count a new connection. False if that exceeds a limit; `leave` must be called in either case."""
        self.count += 1
        self._addresses[address] += 1
        return self.count <= self._most and self._addresses[address] <= self._most_per_address

    def leave(self, address: str) -> None:
        self.count -= 1
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]
