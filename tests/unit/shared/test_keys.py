"""The names of keys: a partition's keys share a slot, partitions share the slots."""

from binascii import crc_hqx
from collections.abc import Iterator

import pytest

from shared.bus import keys as bus_keys
from shared.bus.keys import SLOTS, Keys, all_keys
from shared.bus.registry import WORKERS
from shared.ids import GatewayId, Partition, RoomId, SessionId


def slot(key: str) -> int:
    tag = key[key.index("{") + 1 : key.index("}")]
    return crc_hqx(tag.encode(), 0) % SLOTS


@pytest.mark.parametrize("partitions", [1, 2, 3, 64, 100])
def test_partitions_divide_the_slots_evenly(partitions: int) -> None:
    for number, held in enumerate(all_keys(partitions)):
        assert number * SLOTS // partitions <= slot(held.owner) < (number + 1) * SLOTS // partitions


def test_all_keys_of_a_partition_have_its_tag() -> None:
    held, room, gateway = Keys(Partition(17), 64), RoomId(1041), GatewayId("g")
    keys = (held.commands, held.owner, held.directory, held.deadlines, held.gateways, held.quarantine)
    more = (held.journal(room), held.updates(room), held.snapshot(room), held.at(gateway))
    assert len({key[: key.index("}") + 1] for key in (*keys, *more)}) == 1


def test_no_two_keys_are_the_same() -> None:
    keys = [key for held in all_keys(64) for key in (held.commands, held.journal(RoomId(5)), held.updates(RoomId(5)))]
    assert len(set(keys)) == len(keys)


def test_the_keys_never_change() -> None:
    held = Keys(Partition(3), 64)
    assert (held.commands, held.journal(RoomId(1003))) == ("{p3.103}:commands", "{p3.103}:room:1003:journal")


@pytest.fixture
def prefixed() -> Iterator[None]:
    bus_keys.use_prefix("shop:")
    yield
    bus_keys.use_prefix("")


def test_a_prefix_stands_before_every_key_and_channel(prefixed: None) -> None:
    held, room, gateway = Keys(Partition(3), 64), RoomId(1041), GatewayId("g")
    of_partition = (held.owner, held.commands, held.journal(room), held.updates(room), held.at(gateway))
    of_cluster = (bus_keys.META, bus_keys.DRAIN, bus_keys.name("Ann"), bus_keys.revoked(SessionId("s")))
    channels = (bus_keys.LISTINGS, bus_keys.OWNERSHIP, bus_keys.out(gateway), bus_keys.control(gateway))
    unprefixed = [one for one in (*of_partition, *of_cluster, *channels) if not one.startswith("shop:")]
    assert unprefixed == []


def test_the_registries_follow_the_prefix(prefixed: None) -> None:
    assert WORKERS.keys() == ("shop:tavolata:{workers}", "shop:tavolata:{workers}:status")


def test_a_prefix_changes_no_slot(prefixed: None) -> None:
    assert slot(Keys(Partition(3), 64).owner) == slot("{p3.103}:owner")


def test_without_a_prefix_the_names_are_as_before(prefixed: None) -> None:
    bus_keys.use_prefix("")
    assert bus_keys.META == "tavolata:meta"
