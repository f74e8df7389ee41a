"""Keys and scripts on a Cluster."""

from shared.bus import commits, keys
from shared.bus.commits import Commit
from shared.bus.keys import Keys
from shared.ids import (
    GatewayId,
    Partition,
)
from tests.support.bus import ROOM, P, linked, taken


async def test_all_keys_of_a_partition_live_in_one_slot(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    everything = (
        P.commands,
        P.owner,
        P.directory,
        P.deadlines,
        P.gateways,
        P.quarantine,
        P.games,
        P.parked,
        P.outages,
        P.journal_log,
        P.updates_log,
    )
    rooms = (P.journal(ROOM), P.updates(ROOM), P.snapshot(ROOM), P.at(GatewayId("g-1")))
    slots = await link.pipe([("CLUSTER", "KEYSLOT", key) for key in (*everything, *rooms)])
    await link.stop()
    assert len(set(slots)) == 1


async def test_partitions_spread_over_the_slots(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    slots = await link.pipe([("CLUSTER", "KEYSLOT", one.owner) for one in keys.all_keys(64)])
    await link.stop()
    assert [slot * 64 // keys.SLOTS for slot in slots] == list(range(64))


async def test_a_cluster_refuses_a_commit_with_a_key_of_another_slot(valkey_cluster_url: str) -> None:
    link = await linked(valkey_cluster_url)
    mine = await taken(link)
    foreign = Keys(Partition(3), 4).directory
    (outcome,) = await commits.commit(link, [Commit(P, mine, "0-0", "5-0", (("HSET", foreign, "a", "b"),))])
    await link.stop()
    assert "same slot" in outcome
