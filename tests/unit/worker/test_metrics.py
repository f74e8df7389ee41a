"""The metrics of a worker that are not counted where they happen."""

from prometheus_client import generate_latest

from shared.bus.commits import Commit
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.store_counters import StoreCounters
from shared.bus.store_figures import ReplicaFigures, StoreFigures
from shared.ids import Epoch, Partition
from shared.results import FiledRecord
from worker.metrics import WorkerMetrics


def shown(metrics: WorkerMetrics) -> dict[str, float]:
    lines = generate_latest(metrics.registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_the_figures_of_a_store_with_several_servers_are_those_of_the_worst() -> None:
    metrics = WorkerMetrics(16)
    servers = [
        StoreFigures("a:1", 300, 1_000, 5, (ReplicaFigures("a:2", 1, 0), ReplicaFigures("a:3", 7, 0))),
        StoreFigures("b:1", 200, 250, 6, (ReplicaFigures("b:2", 2, 0),)),
    ]
    metrics.store_measured(servers, replicas_wanted=1)
    found = shown(metrics)
    assert found["tavolata_store_memory_bytes"] == 200
    assert found["tavolata_store_memory_limit_bytes"] == 250
    assert found["tavolata_store_clients"] == 11
    assert found["tavolata_store_replicas"] == 1
    assert found["tavolata_store_replicas_wanted"] == 1
    assert found["tavolata_store_replica_lag_seconds"] == 7


def test_a_game_without_rooms_in_memory_is_shown_with_none() -> None:
    metrics = WorkerMetrics(16)
    metrics.rooms_counted({"stones": 3, "codex": 1})
    metrics.rooms_counted({"stones": 2})
    found = shown(metrics)
    assert found['tavolata_rooms_loaded{game="stones"}'] == 2
    assert found['tavolata_rooms_loaded{game="codex"}'] == 0


def commit_of(*filed: FiledRecord) -> Commit:
    return Commit(Keys(Partition(0), 1), Lease(Epoch(1), "t", "0-0", 0), "0-0", "1-0", (), filed=filed)


def test_steps_are_counted_by_game() -> None:
    metrics = WorkerMetrics(16)
    step, other, refusal = FiledRecord(game="stones"), FiledRecord(game="codex"), FiledRecord()
    metrics.committed([commit_of(step, step, other), commit_of(step, refusal, step)])
    assert shown(metrics)['tavolata_steps_total{game="stones"}'] == 4
    assert metrics.moves == 5


def test_waits_for_replicas_are_counted_by_their_time() -> None:
    counters = StoreCounters()
    metrics = WorkerMetrics(16, counters)
    counters.waited(0.003, confirmed=True)
    counters.waited(1.5, confirmed=False)
    found = shown(metrics)
    assert found['tavolata_replica_wait_seconds_bucket{le="0.002"}'] == 0
    assert found['tavolata_replica_wait_seconds_bucket{le="0.005"}'] == 1
    assert found["tavolata_replica_wait_seconds_count"] == 2
    assert found["tavolata_replica_wait_seconds_sum"] == 1.503
    assert found["tavolata_replica_waits_failed_total"] == 1
