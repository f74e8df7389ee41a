"""Keys and scripts on a Cluster."""

from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.scripts import script
from shared.ids import (
    GatewayId,
    Partition,
)
from tests.support.bus import ROOM, P, linked, taken


async def test_all_keys_of_a_partition_live_in_one_slot(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    everything = (P.commands, P.owner, P.directory, P.deadlines, P.gateways, P.quarantine)
    rooms = (P.journal(ROOM), P.updates(ROOM), P.snapshot(ROOM), P.at(GatewayId("g-1")))
    slots = await link.pipe([("CLUSTER", "KEYSLOT", key) for key in (*everything, *rooms)])
    await link.stop()
    assert len(set(slots)) == 1


async def test_partitions_spread_over_the_slots(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    slots = await link.pipe([("CLUSTER", "KEYSLOT", one.owner) for one in keys.all_keys(64)])
    await link.stop()
    assert [slot * 64 // keys.SLOTS for slot in slots] == list(range(64))


async def test_a_cluster_refuses_a_script_that_touches_keys_it_did_not_declare(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    mine = await taken(link)
    foreign = Keys(Partition(3), 4).directory
    undeclared = script("commit", (P.owner,), (mine.token, "0-0", "5-0", 1, 5, 0, 4, "HSET", foreign, "a", "b"))
    (outcome,) = await link.call(*undeclared)
    await link.stop()
    assert outcome not in (b"OK", b"DONE", b"FENCED")
