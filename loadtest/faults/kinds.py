"""The kinds of faults, and the plan of a run with faults: which ones, and how often. No IO."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class FaultKind(StrEnum):
    KILL_WORKER = "kill-worker"
    KILL_GATEWAY = "kill-gateway"
    KILL_STORE = "kill-store"
    FREEZE_WORKER = "freeze-worker"
    FREEZE_GATEWAY = "freeze-gateway"
    FREEZE_STORE = "freeze-store"
    STOP_WORKER = "stop-worker"
    STOP_GATEWAY = "stop-gateway"
    FAILOVER = "failover"
    MOVE_SLOTS = "move-slots"
    RESIZE_STORE = "resize-store"
    CUT_PUBSUB = "cut-pubsub"
    SLOW_READERS = "slow-readers"
    RECONNECT_STORM = "reconnect-storm"


ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    kinds: tuple[FaultKind, ...]
    every_s: float = 5.0
    """Time between the beginnings of two faults. A fault begins later if the one before it has not ended."""
    seed: int = 0
    overlap: bool = False
    """Begin a fault although the process that the one before has ended is not replaced yet."""
    spare_first: bool = False
    """Never end the first process of a role, so that one of each lives through the whole run."""


@dataclass(slots=True)
class FaultMark:
    """A fault that has been made. Times are seconds of the clock of the measurements."""

    kind: FaultKind
    begun: float
    target: str = ""
    ended: float | None = None
    """The time at which the process ran again, or the connections were free again."""
    pause: float = 0.0
    """The longest wait of a move that the fault may have delayed."""


def schedule(kinds: Sequence[FaultKind], dice: Random) -> Iterator[FaultKind]:
    """All kinds in random order, again and again: every kind occurs equally often."""
    while True:
        yield from dice.sample(list(kinds), len(kinds))
