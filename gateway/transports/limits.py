"""Limits for clients: frames per second, connections in all and per address."""

from collections import Counter

_ROUNDING = 0.001
"""Part of a request that clients of a `RateLimit` get for nothing: sums of many intervals are not exact."""


class TokenBucket:
    """A token bucket: it is refilled at `rate` tokens per second, up to `burst`."""

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now

    def refill(self, now: float) -> float:
        """Add the tokens of the time since the last call; returns their number now."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return self._tokens

    def is_full(self, now: float) -> bool:
        return self.refill(now) >= self._burst

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


class RateLimit:
    """The same limit for any number of clients: `burst` requests at once, `rate` per second. As a token bucket, but all
    that is kept for a client is one number, the time until which its requests so far use the rate up. It starts at any
    time that is over. (In the literature: the generic cell rate algorithm.)"""

    __slots__ = ("_interval_s", "_most_ahead_s")

    def __init__(self, rate: float, burst: float) -> None:
        self._interval_s = 1 / rate
        self._most_ahead_s = (burst - 1 + _ROUNDING) / rate
        """How far the number of a client whose next request is allowed may lie ahead of the clock."""

    def take(self, used_until: float, now: float) -> float | None:
        """Count a request. Returns the client's new number; None: the client has exceeded the rate."""
        if used_until <= now:
            return now + self._interval_s
        if used_until - now > self._most_ahead_s:
            return None
        return used_until + self._interval_s


class ConnectionLimiter:
    """Counts connections, in all and from each address."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_address = most_per_address
        self._addresses: Counter[str] = Counter()
        self.count = 0

    def enter(self, address: str, spare: int = 0) -> bool:
        """Count a new connection. False if that exceeds a limit; `leave` must be called in either case. The empty
        address stands for clients of a proxy whose addresses are not known yet: they are counted in all only. `spare`
        is the number of connections of this kind that are accepted beyond the limits."""
        self.count += 1
        self._addresses[address] += 1
        few = not address or self._addresses[address] <= self._most_per_address + spare
        return few and self.count <= self._most + spare

    def leave(self, address: str) -> None:
        self.count -= 1
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]
