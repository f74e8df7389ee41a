"""The counts of a process's connections to the store, for Prometheus."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from shared.bus.store_counters import REDIRECTIONS, WAIT_LIMITS_S, StoreCounters


class StoreConnectionMetrics(Collector):
    """Metrics of gateways and workers alike."""

    def __init__(self, counters: StoreCounters) -> None:
        self._counters = counters

    def collect(self) -> Iterator[Metric]:
        counts = self._counters
        yield CounterMetricFamily(
            "tavolata_store_reconnects", "Connections to the store that were lost and made again", counts.reconnects
        )
        yield CounterMetricFamily(
            "tavolata_store_failovers", "Replicas seen to take the place of their primary", counts.failovers
        )
        yield CounterMetricFamily("tavolata_store_slots_moved", "Slots seen to move between nodes", counts.slots_moved)
        redirections = CounterMetricFamily(
            "tavolata_store_redirections", "Commands refused because of their slot, by reply", labels=["reply"]
        )
        for kind in REDIRECTIONS:
            redirections.add_metric([kind.value], counts.redirections[kind])
        yield redirections


class ReplicaWaitMetrics(Collector):
    """Metrics of workers, whose commits wait for replicas."""

    def __init__(self, counters: StoreCounters) -> None:
        self._counters = counters

    def collect(self) -> Iterator[Metric]:
        counts = self._counters
        limits = (*map(floatToGoString, WAIT_LIMITS_S), "+Inf")
        yield HistogramMetricFamily(
            "tavolata_replica_wait_seconds",
            "From the sending of a write until replicas have it",
            buckets=list(zip(limits, accumulate(counts.waits), strict=True)),
            sum_value=counts.waited_s,
        )
        yield CounterMetricFamily(
            "tavolata_replica_waits_failed", "Waits that ended without enough replicas", counts.unconfirmed
        )
