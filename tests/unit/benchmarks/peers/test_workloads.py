"""Names of workloads."""

import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.workloads import parse_workload


def test_workloads_are_read_from_their_names() -> None:
    closed, paced, idle = (parse_workload(name) for name in ("1000x4", "rate", "idle"))
    assert closed.rooms == 1000
    assert closed.players == 4
    assert paced.title == "100 rooms x 2 players, about 500 moves/s"
    assert idle.idle


@pytest.mark.parametrize("name", ["", "200", "0x2", "10x1", "fast"])
def test_unknown_workloads_are_refused(name: str) -> None:
    with pytest.raises(BenchmarkError, match="unknown workload"):
        parse_workload(name)
