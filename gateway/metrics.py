"""What a gateway counts, for Prometheus and for its own status line."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


class Metrics:
    """Counters of one gateway, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._connections = Gauge("tavolata_connections", "Open connections", ["dialect"], registry=self.registry)
        self._latency = Histogram(
            "tavolata_frame_to_ack_seconds", "From a frame to its answer", buckets=_SECONDS, registry=self.registry
        )
        self.gaps = Counter("tavolata_gaps_filled", "Losses of messages that were noticed", registry=self.registry)
        self._resumes = Counter("tavolata_resumes", "Players who came back", ["outcome"], registry=self.registry)
        self._rejections = Counter("tavolata_rejections", "Requests refused, by code", ["code"], registry=self.registry)
        self.outbox = Gauge("tavolata_outbox_bytes", "Bytes that clients have not read yet", registry=self.registry)
        self.pending = Gauge("tavolata_pending_commands", "Commands without an answer", registry=self.registry)
        self.answers = 0

    def connected(self, dialect: str, by: int) -> None:
        self._connections.labels(dialect).inc(by)

    def answered(self, seconds: float) -> None:
        self.answers += 1
        self._latency.observe(seconds)

    def resumed(self, outcome: str) -> None:
        self._resumes.labels(outcome).inc()

    def rejected(self, code: str) -> None:
        self._rejections.labels(code).inc()
