"""Moves that cost much CPU time, up to a quarter of a lease each: a worker keeps its leases, and no command is lost or
doubled."""

import pytest

from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.simulation import LEASE_MS, PARTITIONS, Simulation
from worker.partitions.consumer import TurnBudget
from worker.partitions.ownership import Ownership
from worker.partitions.partition import OwnedPartition

SEEDS = 4


@pytest.fixture(scope="module")
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The partitions that workers have lost."""
    numbers: list[int] = []
    drop = Ownership.drop

    def noting(ownership: Ownership, partition: OwnedPartition) -> None:
        numbers.append(partition.partition)
        drop(ownership, partition)

    monkeypatch.setattr(Ownership, "drop", noting)
    return numbers


def live_with_expensive_moves(
    seed: int,
    server: FakeServer,
    *,
    decide_ms: float = LEASE_MS / 4,
    players: int = 16,
    workers: int = 1,
    faults: int = 0,
) -> None:
    simulation = Simulation(seed, server, players=players, workers=workers, decide_ms=decide_ms)
    simulation.run(faults)
    with simulation.time.installed():
        assert promise.check(server, PARTITIONS, simulation.visits)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_expensive_moves_cost_a_worker_no_lease(seed: int, server: FakeServer, dropped: list[int]) -> None:
    live_with_expensive_moves(seed, server)
    assert dropped == []


def test_without_a_budget_for_a_turn_they_would(
    server: FakeServer, dropped: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TurnBudget, "is_spent", lambda _budget: False)
    for seed in range(SEEDS):
        live_with_expensive_moves(seed, server)
    assert dropped


@pytest.mark.parametrize("seed", range(2))
def test_expensive_moves_and_faults_together_lose_and_double_nothing(seed: int, server: FakeServer) -> None:
    live_with_expensive_moves(seed, server, decide_ms=LEASE_MS / 20, players=8, workers=2, faults=400)
