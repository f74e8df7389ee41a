"""The simulation notices bugs that are planted in the loops of the programs."""

from collections.abc import Iterable

import pytest

from gateway.cluster.room_directory import RoomDirectory
from shared.room_views import Listing
from tests.support.fake_store import FakeServer
from tests.support.simulation import Simulation

SEEDS = 60


def test_a_gateway_that_drops_changes_published_while_it_reads_the_directory_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apply = RoomDirectory.gathered

    def without_collected(rooms: RoomDirectory, listings: Iterable[Listing], _collected: object = ()) -> None:
        apply(rooms, listings)

    monkeypatch.setattr(RoomDirectory, "gathered", without_collected)
    with pytest.raises(AssertionError, match="the room directory of"):
        _run_simulations()


def _run_simulations() -> None:
    server = FakeServer()
    for seed in range(SEEDS):
        Simulation(seed, server).run()
