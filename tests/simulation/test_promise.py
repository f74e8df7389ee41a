"""Kill any process at any moment: no acknowledged move is lost, none is applied twice, and the game goes on.

Each seed is a cluster that runs through a time of faults. TAVOLATA_SIMULATIONS sets how many seeds are run (`make
verify` runs 500), TAVOLATA_SIMULATION_SEED is the first of them.
"""

import os
from collections import Counter

import pytest

from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.simulation import PARTITIONS, Simulation

SEEDS = int(os.environ.get("TAVOLATA_SIMULATIONS", "24"))
GROUPS = min(6, SEEDS)
"""Tests that the seeds are divided among, so that they run on several cores."""
FIRST = int(os.environ.get("TAVOLATA_SIMULATION_SEED", "0"))


@pytest.fixture(scope="module")
def server() -> FakeServer:
    return FakeServer()


def kept(simulation: Simulation, server: FakeServer) -> int:
    """The number of acknowledged commands that were found at the place that was acknowledged."""
    with simulation.time.installed():
        return promise.check(server, PARTITIONS, simulation.visits, simulation.undone)


def live_through(seed: int, server: FakeServer) -> Simulation:
    simulation = Simulation(seed, server)
    try:
        simulation.run()
        kept(simulation, server)
    except BaseException as error:
        error.add_note(f"TAVOLATA_SIMULATION_SEED={seed} TAVOLATA_SIMULATIONS=1 shows it again")
        raise
    return simulation


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("group", range(GROUPS))
def test_no_fault_breaks_the_promise(group: int, server: FakeServer) -> None:
    acked = 0
    for seed in range(FIRST + group, FIRST + SEEDS, GROUPS):
        acked += sum(len(visit.acked) for visit in live_through(seed, server).visits)
    assert acked


def test_the_simulation_knows_every_fault(server: FakeServer) -> None:
    faults: Counter[str] = Counter()
    for seed in range(15):
        faults += live_through(seed, server).faults
    assert len(faults) == len(Simulation.FAULTS)


def test_a_stale_owner_tries_to_write_in_the_simulation(server: FakeServer) -> None:
    def fenced(seed: int) -> int:
        simulation = Simulation(seed, server, kinds=("worker_pauses_in_a_commit", "time_flies"))
        simulation.run()
        return simulation.fenced

    assert any(fenced(seed) for seed in range(10))


def test_a_seed_always_gives_the_same_story(server: FakeServer) -> None:
    stories = [[(visit.room, visit.seat, visit.seen) for visit in live_through(3, server).visits] for _ in range(2)]
    assert stories[0] == stories[1]


def test_an_acknowledgement_that_is_not_true_would_be_noticed(server: FakeServer) -> None:
    simulation = Simulation(1, server, kinds=Simulation.WITHOUT_LOSS)
    simulation.run()
    visit = next(visit for visit in simulation.visits if visit.acked)
    number, (epoch, offset) = next(iter(visit.acked.items()))
    visit.acked[number] = (epoch, offset + 1)
    with pytest.raises(promise.Broken):
        kept(simulation, server)


def test_the_store_loses_steps_in_the_simulation_and_players_are_told(server: FakeServer) -> None:
    simulations = (live_through(seed, server) for seed in range(100))
    assert any(player.rewound for simulation in simulations if simulation.undone for player in simulation.players)
