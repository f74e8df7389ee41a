"""The course of a run: moves, latencies and CPU time of every second, the faults, and the size of every process. No
IO; times are seconds of one monotonic clock."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from loadtest.faults.kinds import FaultMark


@dataclass(frozen=True, slots=True)
class Second:
    """Measurements between two samples, about one second."""

    at_s: float
    """The end of the interval, since the start of the series."""
    moves_per_s: float
    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    """None: no move was acknowledged."""
    cores: dict[str, float]
    """CPU time by role, in cores."""


@dataclass(frozen=True, slots=True)
class ProcessSize:
    """Memory and open files of one process."""

    at_s: float
    role: str
    port: int | None
    pid: int
    rss_bytes: int
    files: int


def percentile(ordered: "array[float] | list[float]", share: float) -> float:
    """The value of a sorted sequence below which this share of the values lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass(slots=True)
class RunSeries:
    """Collects the waits of moves between two calls of `sample`."""

    started: float
    seconds: list[Second] = field(default_factory=list)
    faults: list[FaultMark] = field(default_factory=list)
    sizes: list[ProcessSize] = field(default_factory=list)
    _waits: "array[float]" = field(default_factory=lambda: array("d"))
    _last: float = 0.0
    _last_cpu: Mapping[str, float] = field(default_factory=dict)

    def acked(self, sent: float, now: float) -> None:
        """A move that was sent at `sent` is acknowledged at `now`."""
        wait = now - sent
        self._waits.append(wait)
        if self.faults:
            mark = self._delayed_by(sent, now)
            if mark is not None and wait > mark.pause:
                mark.pause = wait

    def _delayed_by(self, sent: float, now: float) -> FaultMark | None:
        """The fault that was under way when the move was sent; or the first one that began while it waited; or else
        the last one before it."""
        found: FaultMark | None = None
        for mark in reversed(self.faults):
            if mark.begun <= now:
                if mark.begun <= sent:
                    under_way = mark.ended is None or mark.ended > sent
                    return mark if under_way else found or mark
                found = mark
        return found

    def sample(self, now: float, cpu_s: Mapping[str, float]) -> None:
        """End an interval. `cpu_s` is the CPU time by role since the start."""
        seconds = now - (self._last or self.started)
        waits, self._waits = sorted(self._waits), array("d")
        cores = {role: max(0.0, used - self._last_cpu.get(role, 0.0)) / seconds for role, used in cpu_s.items()}
        self._last, self._last_cpu = now, dict(cpu_s)
        p50, p99, longest = (percentile(waits, share) * 1000 if waits else None for share in (0.5, 0.99, 1.0))
        self.seconds.append(Second(now - self.started, len(waits) / seconds, p50, p99, longest, cores))
