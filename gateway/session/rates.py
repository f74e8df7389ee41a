"""The rates of requests: per session, and for all sessions and HTTP requests of one address at this gateway.

Moves pass none of these buckets: frames have a rate of their own (gateway/connection.py).
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from gateway.dialects.requests import (
    AttendRequest,
    ConfigureRequest,
    CreateRequest,
    ListRoomsRequest,
    MatchRequest,
    Output,
    RematchRequest,
    SayRequest,
)
from gateway.transports.limits import TokenBucket


class Meter(Enum):
    """The kinds of requests that are counted apart."""

    CREATE = auto()
    """Opening a room, also as a rematch, and configuring it."""
    MATCH = auto()
    SAY = auto()
    VIEW = auto()
    """Views of a room, and beginning to watch one."""
    RESUME = auto()
    LIST = auto()
    MISS = auto()
    """Answers that a room does not exist, which let a client guess the numbers of private rooms."""
    HTTP = auto()
    REPLAY = auto()


class Rate(NamedTuple):
    per_s: float
    burst: int


SESSION_RATES: Final[Mapping[Meter, Rate]] = {
    Meter.CREATE: Rate(10, 20),
    Meter.MATCH: Rate(10, 20),
    Meter.SAY: Rate(2, 20),
    Meter.VIEW: Rate(20, 100),
    Meter.RESUME: Rate(5, 50),
    Meter.LIST: Rate(5, 20),
    Meter.MISS: Rate(20 / 60, 20),
}
ADDRESS_RATES: Final[Mapping[Meter, Rate]] = {
    Meter.CREATE: Rate(200, 5_000),
    Meter.MATCH: Rate(200, 5_000),
    Meter.SAY: Rate(500, 5_000),
    Meter.VIEW: Rate(500, 10_000),
    Meter.LIST: Rate(100, 5_000),
    Meter.MISS: Rate(200 / 60, 200),
    Meter.HTTP: Rate(500, 5_000),
    Meter.REPLAY: Rate(5, 30),
}
"""Resumes have no rate here: the players of a dead gateway, who may share an address, return together."""
_MOST_BUCKETS = 100_000
_LEAST_SWEPT = 1_000


def meter_of(output: Output) -> Meter | None:
    """The meter that counts this output of a conversation; None: it has no rate of its own."""
    match output:
        case CreateRequest() | RematchRequest() | ConfigureRequest():
            return Meter.CREATE
        case MatchRequest():
            return Meter.MATCH
        case SayRequest():
            return Meter.SAY
        case AttendRequest(after=None):
            return Meter.VIEW
        case AttendRequest():
            return Meter.RESUME
        case ListRoomsRequest():
            return Meter.LIST
    return None


class AddressMeters:
    """The buckets of all addresses that were active lately. A full bucket says nothing, so it is forgotten."""

    def __init__(self, clock: Callable[[], float], most: int = _MOST_BUCKETS) -> None:
        self._clock = clock
        self._most = most
        self._buckets: dict[tuple[str, Meter], TokenBucket] = {}
        self._sweep_at = _LEAST_SWEPT

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, address: str, meter: Meter) -> bool:
        """Count a request. False: the address has exceeded its rate."""
        if meter not in ADDRESS_RATES:
            return True
        now = self._clock()
        bucket = self._buckets.get((address, meter))
        if bucket is None:
            self._make_room(now)
            rate = ADDRESS_RATES[meter]
            bucket = self._buckets[address, meter] = TokenBucket(rate.per_s, rate.burst, now)
        return bucket.take(now)

    def allows(self, address: str, meter: Meter) -> bool:
        """Whether `take` would return True."""
        bucket = self._buckets.get((address, meter))
        return bucket is None or bucket.refill(self._clock()) >= 1

    def _make_room(self, now: float) -> None:
        if len(self._buckets) < self._sweep_at:
            return
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full(now)}
        while len(self._buckets) >= self._most:
            del self._buckets[next(iter(self._buckets))]
        self._sweep_at = min(self._most, max(_LEAST_SWEPT, 2 * len(self._buckets)))


class RequestRates:
    """The buckets of one session. A bucket is made by the first request that needs it."""

    __slots__ = ("_address", "_addresses", "_buckets", "_clock")

    def __init__(self, clock: Callable[[], float], addresses: AddressMeters, address: str) -> None:
        self._clock = clock
        self._addresses = addresses
        self._address = address
        self._buckets: dict[Meter, TokenBucket] | None = None

    def take(self, meter: Meter) -> bool:
        """Count a request. False: the session or its address has exceeded its rate."""
        return self._bucket(meter).take(self._clock()) and self._addresses.take(self._address, meter)

    def may_guess(self, *, resuming: bool = False) -> bool:
        """Whether the client may name a room that perhaps does not exist."""
        own = self._buckets is None or self._bucket(Meter.MISS).refill(self._clock()) >= 1
        return own and (resuming or self._addresses.allows(self._address, Meter.MISS))

    def missed(self) -> None:
        """The client has named a room that does not exist."""
        self._bucket(Meter.MISS).take(self._clock())
        self._addresses.take(self._address, Meter.MISS)

    def _bucket(self, meter: Meter) -> TokenBucket:
        if self._buckets is None:
            self._buckets = {}
        bucket = self._buckets.get(meter)
        if bucket is None:
            rate = SESSION_RATES[meter]
            bucket = self._buckets[meter] = TokenBucket(rate.per_s, rate.burst, self._clock())
        return bucket
