"""The slots of a Cluster: which key belongs to which slot, and which node serves which slot. Does no IO."""

from binascii import crc_hqx
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from shared.bus.keys import SLOTS
from shared.bus.store import RedisCommand
from shared.bus.store_counters import StoreCounters

_WITHOUT_KEY = frozenset(
    ("ASKING", "CLIENT", "CLUSTER", "CONFIG", "INFO", "PING", "PUBLISH", "ROLE", "SCRIPT", "TIME", "WAIT")
)
_FIRST_SCRIPT_KEY = 3

Place: TypeAlias = tuple[str, int]
"""Host and port of a node."""


def key_of(command: RedisCommand) -> str | None:
    """The first key of a command, or the channel of a sharded message; None if it has none. All keys of a command are
    in one slot."""
    name = command[0]
    if name == "EVALSHA":
        return str(command[_FIRST_SCRIPT_KEY])
    if name == "XREAD":
        return str(command[command.index("STREAMS") + 1])
    return None if name in _WITHOUT_KEY else str(command[1])


def slot_of(key: str) -> int:
    """The slot of a key, which its hash tag decides if it has one."""
    start = key.find("{")
    end = key.find("}", start + 2)
    return _hashed(key[start + 1 : end] if 0 <= start < end else key)


@lru_cache(maxsize=4_096)
def _hashed(text: str) -> int:
    return crc_hqx(text.encode(), 0) % SLOTS


@dataclass(frozen=True, slots=True)
class SlotRange:
    """Neighboring slots of one primary."""

    first: int
    last: int
    primary: Place
    replicas: tuple[Place, ...] = ()
    """Its replicas, reachable or not."""


def parse_slots(reply: Sequence[Any], asked: str) -> tuple[SlotRange, ...]:
    """The ranges in a reply to CLUSTER SLOTS. A node that reports no host for itself has the host that was asked."""
    found = []
    for first, last, *servers in reply:
        primary, *replicas = [(host.decode() if host else asked, int(port)) for host, port, *_ in servers]
        found.append(SlotRange(first, last, primary, tuple(replicas)))
    return tuple(sorted(found, key=lambda one: one.first))


@dataclass(slots=True)
class ClusterMap:
    """The primary of each slot, as far as it is known, and how often it has changed."""

    ranges: tuple[SlotRange, ...] = ()
    _places: list[Place | None] = field(default_factory=lambda: [None] * SLOTS)
    _changes: list[int] = field(default_factory=lambda: [0] * SLOTS)
    _replicas: frozenset[Place] = frozenset()
    """The replicas in the last report."""
    on_change: list[Callable[[], None]] = field(default_factory=list)
    """Called after each change."""
    counters: StoreCounters = field(default_factory=StoreCounters)

    def place_of(self, slot: int) -> Place | None:
        return self._places[slot]

    def changes_of(self, slot: int) -> int:
        """The number of times that the slot has moved: a node that gets a slot back may have lost writes meanwhile."""
        return self._changes[slot]

    def primaries(self) -> list[Place]:
        """In an order that does not change."""
        return sorted({place for place in self._places if place is not None})

    def learn(self, ranges: tuple[SlotRange, ...]) -> None:
        """Take over what a node has reported."""
        if ranges == self.ranges:
            return
        self.ranges = ranges
        changed = False
        for slot, place in _expanded(ranges):
            changed |= self._set(slot, place)
        self.counters.failovers += len({one.primary for one in ranges} & self._replicas)
        self._replicas = frozenset(replica for one in ranges for replica in one.replicas)
        if changed:
            self._notify()

    def moved(self, slot: int, place: Place) -> None:
        """Note that another node serves one slot."""
        if self._set(slot, place):
            self.ranges = ()  # so that the next report is compared slot by slot
            self._notify()

    def _set(self, slot: int, place: Place) -> bool:
        before = self._places[slot]
        if before == place:
            return False
        self._places[slot] = place
        self._changes[slot] += before is not None
        self.counters.slots_moved += before is not None and place not in self._replicas
        return True

    def _notify(self) -> None:
        for changed in self.on_change:
            changed()


def _expanded(ranges: Sequence[SlotRange]) -> Iterator[tuple[int, Place]]:
    for one in ranges:
        for slot in range(one.first, one.last + 1):
            yield slot, one.primary
