"""Workers that know different versions of a game come and go: rooms wait for one that knows theirs, and go on."""

import os

import pytest

from shared.bus import keys
from tests.support import promise
from tests.support.fake_store import FakeServer
from tests.support.simulation import PARTITIONS, Simulation
from worker.partitions.partition import OwnedPartition

SEEDS = max(1, int(os.environ.get("TAVOLATA_SIMULATIONS", "24")) // 6)
FIRST = int(os.environ.get("TAVOLATA_SIMULATION_SEED", "0"))
FAULTS = ("worker_of_another_version_starts", "worker_crashes", "worker_hands_over", "time_flies")


@pytest.fixture(scope="module")
def server() -> FakeServer:
    return FakeServer()


def live_through(seed: int, server: FakeServer) -> None:
    """A cluster with faults, whose workers know one or both of two versions."""
    simulation = Simulation(seed, server, kinds=FAULTS, rate=0.006)
    simulation.run(1_500)
    with simulation.time.installed():
        assert promise.check(server, PARTITIONS, simulation.visits)


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("group", range(2))
def test_no_room_is_lost_to_a_worker_that_does_not_know_its_version(group: int, server: FakeServer) -> None:
    for seed in range(FIRST + group, FIRST + SEEDS, 2):
        live_through(seed, server)
        for partition in keys.all_keys(PARTITIONS):
            assert server.run(("HLEN", partition.quarantine)) == 0
            assert server.run(("HLEN", partition.parked)) == 0


def test_the_simulation_parks_commands(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    parked: list[int] = []
    park = OwnedPartition._park

    def noting(partition: OwnedPartition, *arguments: object) -> object:
        parked.append(partition.partition)
        return park(partition, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(OwnedPartition, "_park", noting)
    for seed in range(40):  # about one seed in eight parks commands
        live_through(seed, server)
        if parked:
            return
    raise AssertionError("no worker got a command to a room that it could not play")
