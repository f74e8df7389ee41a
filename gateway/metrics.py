"""The metrics of a gateway, for Prometheus and for its status in the registry."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from shared.bus.store_counters import StoreCounters
from shared.ids import GameVersion
from shared.runtime.store_metrics import StoreConnectionMetrics

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
_RECENT = 1_000


class Latency(Collector):
    """A histogram that costs a move almost nothing: observations are only appended, and sorted into buckets later."""

    def __init__(self, name: str, text: str, registry: CollectorRegistry) -> None:
        self._name, self._text = name, text
        self._counts = [0] * (len(_SECONDS) + 1)
        self._sum = 0.0
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._new: list[float] = []
        """Observations that are not in a bucket yet; they are sorted in with every heartbeat."""
        self.observe = self._new.append
        registry.register(self)

    def _fill_buckets(self) -> None:
        for seconds in self._new:
            self._counts[bisect_left(_SECONDS, seconds)] += 1
        self._sum += sum(self._new)
        self._recent += self._new
        self._new.clear()

    def latest(self) -> tuple[int, list[float]]:
        """The number of observations, and the most recent ones, sorted."""
        self._fill_buckets()
        return sum(self._counts), sorted(self._recent)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        self._fill_buckets()
        limits = (*map(floatToGoString, _SECONDS), "+Inf")
        buckets = list(zip(limits, accumulate(self._counts), strict=True))
        yield HistogramMetricFamily(self._name, self._text, buckets=buckets, sum_value=self._sum)


class Metrics:
    """Counters of one gateway, in a registry of their own."""

    def __init__(self, store: StoreCounters | None = None) -> None:
        """`store` has the counts of the connections to the store."""
        self.registry = CollectorRegistry()
        self.store = store or StoreCounters()
        self.registry.register(StoreConnectionMetrics(self.store))
        self._connections = Gauge("tavolata_connections", "Open connections", ["dialect"], registry=self.registry)
        self._latency = Latency("tavolata_frame_to_ack_seconds", "From a frame to its answer", self.registry)
        self._gaps = Counter("tavolata_gaps_filled", "Losses of messages that were noticed", registry=self.registry)
        self._resumes = Counter("tavolata_resumes", "Players who came back", ["outcome"], registry=self.registry)
        self._rejections = Counter("tavolata_rejections", "Requests refused, by code", ["code"], registry=self.registry)
        self._admin_refusals = Counter(
            "tavolata_admin_refusals", "Requests of operators refused, by reason", ["reason"], registry=self.registry
        )
        self._rooms_without_worker = Gauge(
            "tavolata_rooms_without_worker",
            "Unfinished rooms whose game version no live worker plays",
            ["game"],
            registry=self.registry,
        )
        self._shed = Counter("tavolata_shed", "Clients asked to move to other gateways", registry=self.registry)
        self.outbox = Gauge("tavolata_outbox_bytes", "Bytes that clients have not read yet", registry=self.registry)
        self.pending = Gauge("tavolata_pending_commands", "Commands without an answer", registry=self.registry)
        self.answered = self._latency.observe
        """Called with the seconds from a frame to its answer."""
        self.gaps = self.resumes = 0
        self._open = 0

    def connected(self, dialect: str, by: int) -> None:
        self._open += by
        self._connections.labels(dialect).inc(by)

    def gap(self) -> None:
        """Deliveries were lost. Without connections there is nothing to miss, and it does not count."""
        if self._open:
            self.gaps += 1
            self._gaps.inc()

    def resumed(self, outcome: str) -> None:
        self.resumes += 1
        self._resumes.labels(outcome).inc()

    def shed(self, clients: int) -> None:
        self._shed.inc(clients)

    def rejected(self, code: str) -> None:
        self._rejections.labels(code).inc()

    def rooms_without_worker(self, rooms: Mapping[GameVersion, int], gone: Iterable[GameVersion]) -> None:
        """Set the number of rooms without a worker, by game version; `gone`: game versions that have one again."""
        for game in gone:
            self._rooms_without_worker.remove(game)
        for game, count in rooms.items():
            self._rooms_without_worker.labels(game).set(count)

    def admin_refused(self, reason: Literal["wrong", "throttled", "role"]) -> None:
        self._admin_refusals.labels(reason).inc()

    def status(self) -> dict[str, int | float]:
        """The figures that the gateway reports with every heartbeat; times are those of the most recent answers."""
        answers, recent = self._latency.latest()
        return {
            "answers": answers,
            "resumes": self.resumes,
            "gaps": self.gaps,
            "half_ms": _percentile_ms(recent, 0.5),
            "slow_ms": _percentile_ms(recent, 0.99),
        }


def _percentile_ms(recent: list[float], share: float) -> float:
    """The time in milliseconds within which this share of the answers came."""
    return round(1_000 * recent[int(share * (len(recent) - 1))], 2) if recent else 0.0
