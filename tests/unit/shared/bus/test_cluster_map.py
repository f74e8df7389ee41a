"""The slots of a Cluster, without a Cluster."""

import pytest

from shared.bus import keys
from shared.bus.cluster_map import ClusterMap, SlotRange, key_of, parse_slots, slot_of
from shared.bus.scripts import script
from shared.bus.store import RedisCommand

A, B = ("a", 1), ("b", 2)


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("GET", "k"), "k"),
        (script("take", ("{p1}:owner",), ("w",)), "{p1}:owner"),
        (("XREAD", "COUNT", 5, "BLOCK", 9, "STREAMS", "{p1}:commands", "0-0"), "{p1}:commands"),
        (("SPUBLISH", "{p1}:out:g", "m"), "{p1}:out:g"),
        (("PUBLISH", "{p1}:out:g", "m"), None),
        (("TIME",), None),
    ],
)
def test_the_first_key_of_a_command_is_found(command: RedisCommand, key: str | None) -> None:
    assert key_of(command) == key


def test_slots_are_those_of_redis() -> None:
    assert slot_of("123456789") == 12739  # the example of the Cluster specification
    assert slot_of("{user1000}.following") == slot_of("{user1000}.followers")


def test_an_empty_tag_is_no_tag() -> None:
    assert slot_of("foo{}{bar}") != slot_of("bar")


def test_a_partition_is_in_the_slot_of_its_tag() -> None:
    partition = keys.all_keys(4, sharded=True)[2]
    assert slot_of(partition.owner) == slot_of(partition.commands)


def test_a_node_without_a_host_is_at_the_host_that_was_asked() -> None:
    reply = [[0, 99, [b"", 7000, b"id"], [b"r", 7001, b"id"]], [100, 199, [None, 7002, b"id"]]]
    found = parse_slots(reply, "seed")
    assert found == (SlotRange(0, 99, ("seed", 7000), (("r", 7001),)), SlotRange(100, 199, ("seed", 7002)))


def test_a_report_is_followed_slot_by_slot() -> None:
    found = ClusterMap()
    found.learn((SlotRange(0, 9, A), SlotRange(10, 19, B)))
    assert [found.place_of(slot) for slot in (9, 10, 20)] == [A, B, None]
    assert found.primaries() == [A, B]


def test_a_slot_that_moves_and_comes_back_has_changed_twice() -> None:
    found = ClusterMap()
    found.learn((SlotRange(0, 9, A),))
    found.moved(3, B)
    found.moved(3, A)
    assert found.changes_of(3) == 2
    assert found.changes_of(4) == 0


def test_a_report_corrects_a_redirection() -> None:
    report = (SlotRange(0, 9, A),)
    found = ClusterMap()
    found.learn(report)
    found.moved(3, B)
    found.learn(report)
    assert found.place_of(3) == A


def test_a_change_is_told_once_and_a_repetition_not_at_all() -> None:
    seen: list[str] = []
    found = ClusterMap()
    found.on_change.append(lambda: seen.append("moved"))
    found.learn((SlotRange(0, 9, A),))
    found.learn((SlotRange(0, 9, A, replicas=(B,)),))
    found.moved(3, A)
    assert seen == ["moved"]


def test_a_promoted_replica_counts_as_one_failover_and_not_as_moved_slots() -> None:
    found = ClusterMap()
    found.learn((SlotRange(0, 9, A, replicas=(B,)),))
    found.moved(3, B)
    found.learn((SlotRange(0, 9, B, replicas=(A,)),))
    assert found.counters.failovers == 1
    assert found.counters.slots_moved == 0


def test_moved_slots_are_counted_each_and_not_as_a_failover() -> None:
    found = ClusterMap()
    found.learn((SlotRange(0, 9, A), SlotRange(10, 19, B)))
    found.learn((SlotRange(0, 7, A), SlotRange(8, 19, B)))
    assert found.counters.failovers == 0
    assert found.counters.slots_moved == 2
