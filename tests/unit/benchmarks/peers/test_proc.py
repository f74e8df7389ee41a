"""CPU time of the machine and of others."""

import pytest

from benchmarks.peers.proc import Sample, foreign_cpu_share, used_machine_s


def test_used_time_of_the_machine_includes_stolen_but_not_idle_time() -> None:
    used, total = used_machine_s("cpu  100 0 100 600 100 0 0 100 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n")
    assert used / total == pytest.approx(0.3)


def test_cpu_time_of_servers_and_client_is_not_foreign() -> None:
    before = Sample(0.0, {"node": 1.0}, {}, 1.0, 10.0, 100.0)
    after = Sample(5.0, {"node": 4.0}, {}, 3.0, 16.0, 110.0)
    assert foreign_cpu_share(before, after) == pytest.approx(0.1)
