"""The metrics of a worker that are not counted where they happen."""

from prometheus_client import generate_latest

from shared.bus.store_figures import StoreFigures
from worker.metrics import WorkerMetrics


def shown(metrics: WorkerMetrics) -> dict[str, float]:
    lines = generate_latest(metrics.registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_the_figures_of_a_store_with_several_servers_are_those_of_the_worst() -> None:
    metrics = WorkerMetrics(16)
    servers = [StoreFigures(300, 1_000, 5, (1, 7)), StoreFigures(200, 250, 6, (2,))]
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


def test_steps_are_counted_by_game() -> None:
    metrics = WorkerMetrics(16)
    metrics.committed(1, [], {"stones": 4, "codex": 1})
    assert shown(metrics)['tavolata_steps_total{game="stones"}'] == 4
    assert metrics.moves == 5
