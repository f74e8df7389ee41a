"""What a worker counts, for Prometheus and for its own status line."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from shared.bus.command_streams import StreamEntry
from worker.room.batch import Batch


class Metrics:
    """Counters of one worker, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._commands = Counter("tavolata_commands", "Commands handled", ["outcome"], registry=self.registry)
        self._accepted = self._commands.labels("accepted")
        self._refused = self._commands.labels("refused")
        self._rejections = Counter("tavolata_rejections", "Commands refused, by code", ["code"], registry=self.registry)
        self._commits = Counter("tavolata_commits", "Batches, by outcome", ["outcome"], registry=self.registry)
        self._ok = self._commits.labels("ok")
        self._steps = Counter("tavolata_steps", "Steps of rooms", registry=self.registry)
        self._batch = Histogram(
            "tavolata_batch_commands",
            "Commands committed together",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000),
            registry=self.registry,
        )
        self.partitions = Gauge("tavolata_partitions_held", "Partitions held", registry=self.registry)
        self.rooms = Gauge("tavolata_rooms_loaded", "Rooms in memory", registry=self.registry)
        self._lag = Gauge(
            "tavolata_lag_seconds", "How long the oldest command of the last batch had waited", registry=self.registry
        )
        self.moves = self.lag_ms = 0

    def committed(self, handled: Sequence[tuple[Sequence[StreamEntry], Batch]]) -> None:
        """What was committed together, one batch for each partition."""
        total = sum(len(envelopes) for entries, _ in handled for _, envelopes in entries)
        steps = sum(len(batch.told) for _, batch in handled)
        codes = [reply.code for _, batch in handled for reply, _ in batch.replies if reply.code]
        for code in codes:
            self._rejections.labels(code).inc()
        self._refused.inc(len(codes))
        self._accepted.inc(total - len(codes))
        self._batch.observe(total)
        self._ok.inc(len(handled))
        self._steps.inc(steps)
        self.moves += steps

    def lagged(self, by_ms: int) -> None:
        self.lag_ms = by_ms
        self._lag.set(by_ms / 1_000)

    def refused_commit(self, outcome: str) -> None:
        self._commits.labels("fenced" if outcome == "FENCED" else "uncertain").inc()
