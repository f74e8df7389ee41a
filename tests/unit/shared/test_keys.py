"""The names of keys: a partition's keys share a slot, partitions share the slots."""

from binascii import crc_hqx

import pytest

from shared.bus.keys import SLOTS, Keys, all_keys
from shared.ids import GatewayId, Partition, RoomId


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
