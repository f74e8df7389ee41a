"""The order in which faults are made."""

from collections import Counter
from itertools import islice
from random import Random

from loadtest.faults.kinds import FaultKind, schedule


def test_every_kind_of_fault_occurs_equally_often() -> None:
    kinds = [FaultKind.KILL_WORKER, FaultKind.KILL_GATEWAY, FaultKind.CUT_PUBSUB]
    made = Counter(islice(schedule(kinds, Random(1)), 12))
    assert made == dict.fromkeys(kinds, 4)


def test_a_seed_always_gives_the_same_order() -> None:
    orders = [list(islice(schedule(list(FaultKind), Random(7)), 30)) for _ in range(2)]
    assert orders[0] == orders[1]
