"""The metrics of a worker, for Prometheus and for the status that it registers."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from shared.bus.commits import AnyOutcome, CommitOutcome
from shared.results import Result

_FAILURES: dict[AnyOutcome, str] = {CommitOutcome.FENCED: "fenced", CommitOutcome.FULL: "full"}


class WorkerMetrics:
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

    def committed(self, batches: int, results: Sequence[Result], steps: int) -> None:
        """Count batches that were committed together, one for each partition. There is a result for every command."""
        commands = len(results)
        codes = [result.reply.code for result in results if result.reply is not None and result.reply.code]
        for code in codes:
            self._rejections.labels(code).inc()
        self._refused.inc(len(codes))
        self._accepted.inc(commands - len(codes))
        self._batch.observe(commands)
        self._ok.inc(batches)
        self._steps.inc(steps)
        self.moves += steps

    def lagged(self, by_ms: int) -> None:
        self.lag_ms = by_ms
        self._lag.set(by_ms / 1_000)

    def commit_failed(self, outcome: AnyOutcome) -> None:
        """Count a batch that was refused, or whose outcome is unknown."""
        self._commits.labels(_FAILURES.get(outcome, "uncertain")).inc()
