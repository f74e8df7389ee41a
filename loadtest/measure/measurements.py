"""The measurements of a run: moves, latencies, pauses, errors. No IO; times are seconds of one monotonic clock."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram

from loadtest.measure.series import RunSeries

LONGEST_US = 600_000_000
PERCENTILES = (50.0, 99.0, 99.9)


@dataclass(slots=True)
class Measurements:
    """Counts since the start, and since `mark`: the measured part begins when all tables are playing."""

    started: float
    moves: int = 0
    games: int = 0
    playing: int = 0
    """Tables that are in a game."""
    connections: int = 0
    reconnects: int = 0
    longest_wait: float = 0.0
    """The longest time between a move and its acknowledgement, in seconds."""
    longest_silence: float = 0.0
    """The longest time in which no move of any table was acknowledged, in seconds."""
    errors: Counter[str] = field(default_factory=Counter)
    counted: Counter[str] = field(default_factory=Counter)
    """Occurrences that the clients of dialects count, such as refusals by code."""
    series: RunSeries = field(init=False)
    _marked: float = 0.0
    _marked_moves: int = 0
    _last_ack: float = 0.0
    _ended: float = 0.0
    _latencies: Any = field(default_factory=lambda: HdrHistogram(1, LONGEST_US, 3))

    def __post_init__(self) -> None:
        self.series = RunSeries(self.started)

    def mark(self, now: float) -> None:
        """Measure from now on."""
        self.series = RunSeries(now)
        self._marked, self._marked_moves = now, self.moves
        self._latencies.reset()
        self._last_ack = now
        self.longest_wait = self.longest_silence = 0.0

    def end(self, now: float) -> None:
        """End the measured part."""
        self._ended = now

    def acked(self, sent: float, now: float) -> None:
        """A move that was sent at `sent` is acknowledged at `now`."""
        self.moves += 1
        wait = now - sent
        if wait > self.longest_wait:
            self.longest_wait = wait
        if self._last_ack and now - self._last_ack > self.longest_silence:
            self.longest_silence = now - self._last_ack
        self._last_ack = 0.0 if self._ended else now
        # Moves that are answered after the end count for the pause of the last fault.
        self.series.acked(sent, now)
        if not self._ended:
            self._latencies.record_value(min(LONGEST_US, int(wait * 1e6) + 1))

    def measured(self, now: float) -> tuple[int, float]:
        """Moves and seconds of the measured part."""
        return self.moves - self._marked_moves, max(1e-9, (self._ended or now) - (self._marked or self.started))

    def latencies_ms(self) -> dict[str, float]:
        if not self._latencies.get_total_count():
            return {}
        values = self._latencies.get_percentile_to_value_dict(list(PERCENTILES))
        found = {f"p{percentile:g}": values[percentile] / 1000 for percentile in PERCENTILES}
        return {**found, "max": self._latencies.get_max_value() / 1000}
