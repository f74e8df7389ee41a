"""Counts of what the connections of a process to the store went through: metrics, and the operators' page. Does no
IO."""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from shared.bus.refusals import RefusalKind

WAIT_LIMITS_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
"""Upper limits of the buckets of waiting times; there is one more, without a limit."""
REDIRECTIONS = (RefusalKind.MOVED, RefusalKind.ASK, RefusalKind.TRYAGAIN)


@dataclass(slots=True)
class StoreCounters:
    """Counts since the process was started."""

    reconnects: int = 0
    """Connections to servers that were lost and made again."""
    failovers: int = 0
    """Replicas that were seen to take the place of their primary."""
    slots_moved: int = 0
    """Slots that were seen to move to another node, without those of a failover."""
    redirections: Counter[RefusalKind] = field(default_factory=Counter)
    """Commands that a node of a Cluster has refused because of their slot, each time that they were."""
    waits: list[int] = field(default_factory=lambda: [0] * (len(WAIT_LIMITS_S) + 1))
    """Writes that waited for replicas, by bucket of their time."""
    waited_s: float = 0.0
    unconfirmed: int = 0
    """Waits that ended without enough replicas."""

    def redirected(self, kind: RefusalKind) -> None:
        if kind in REDIRECTIONS:
            self.redirections[kind] += 1

    def waited(self, seconds: float, *, confirmed: bool) -> None:
        """Count a write, from its sending until replicas have confirmed it or the wait has ended."""
        self.waits[bisect_left(WAIT_LIMITS_S, seconds)] += 1
        self.waited_s += seconds
        self.unconfirmed += not confirmed
