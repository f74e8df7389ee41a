"""What a run measures: moves, latencies, pauses, errors. No IO; times are seconds of one monotonic clock."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram

LONGEST_US = 600_000_000
PERCENTILES = (50.0, 99.0, 99.9)


@dataclass(slots=True)
class Measurements:
    """Counts since the start, and since `mark`: the measured part begins when all tables play."""

    started: float
    moves: int = 0
    games: int = 0
    playing: int = 0
    """Tables in a game now."""
    connections: int = 0
    reconnects: int = 0
    longest_wait: float = 0.0
    """Between a move and its acknowledgement."""
    longest_silence: float = 0.0
    """In which no acknowledgement at all arrived, while somebody was playing."""
    errors: Counter[str] = field(default_factory=Counter)
    counted: Counter[str] = field(default_factory=Counter)
    """What the players found worth counting."""
    _marked: float = 0.0
    _marked_moves: int = 0
    _last_ack: float = 0.0
    _ended: float = 0.0
    _latencies: Any = field(default_factory=lambda: HdrHistogram(1, LONGEST_US, 3))

    def mark(self, now: float) -> None:
        """Measure from here on."""
        self._marked, self._marked_moves = now, self.moves
        self._latencies.reset()
        self._last_ack = now
        self.longest_wait = self.longest_silence = 0.0

    def end(self, now: float) -> None:
        """Measure no further."""
        self._ended = now

    def acked(self, sent: float, now: float) -> None:
        """A move that was sent then is acknowledged now."""
        self.moves += 1
        wait = now - sent
        if wait > self.longest_wait:
            self.longest_wait = wait
        if self._last_ack and now - self._last_ack > self.longest_silence:
            self.longest_silence = now - self._last_ack
        self._last_ack = 0.0 if self._ended else now
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
