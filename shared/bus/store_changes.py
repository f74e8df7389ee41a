"""Changes of a store that an operator makes and the load tool makes as faults: a replica takes over, the slots of
partitions move to other nodes."""

import asyncio
import random
from dataclasses import replace
from itertools import pairwise

from shared.bus import cluster_changes, store_address
from shared.bus.address import Address
from shared.bus.cluster_changes import SlotTransfer
from shared.bus.operator_requests import ask
from shared.bus.sentinel import SentinelPrimary
from shared.bus.store import StoreDown, StoreError, StoreRefused
from shared.bus.store_address import ClusterAddress, SentinelAddress

LIMIT_S = 30.0
_POLL_S = 0.05
_GIVEN_UP_S = 10.0
"""Time after which a failover is ordered again. A Sentinel gives one up when the chosen replica is not promoted within
the failover timeout (5 s in the shipped files), as may happen if another Sentinel has just made it a replica."""
_PARTITIONS_MOVED = 8


def has_replicas(url: str) -> bool:
    """Whether another server can take over."""
    return isinstance(store_address.parse(url), SentinelAddress | ClusterAddress)


def has_slots(url: str) -> bool:
    """Whether keys can move between servers."""
    return isinstance(store_address.parse(url), ClusterAddress)


async def failover(url: str) -> str:
    """Have a replica take over; returns the address of the new primary when it has. Raises `StoreError`."""
    try:
        async with asyncio.timeout(LIMIT_S):
            match store_address.parse(url):
                case SentinelAddress() as address:
                    return str(await _sentinel_failover(address))
                case ClusterAddress() as address:
                    return str(await _cluster_failover(address))
                case Address():
                    raise StoreRefused("the store has no replica")
    except TimeoutError:
        raise StoreDown(f"no replica has taken over within {LIMIT_S:g} s") from None


async def _sentinel_failover(address: SentinelAddress) -> Address:
    primary = SentinelPrimary(address)
    await primary.start()
    try:
        before = await primary.find()
        clock = asyncio.get_running_loop().time
        order_at = clock()
        while True:
            try:
                if (now := await primary.find()) != before:
                    return now
                if clock() >= order_at and await _order_failover(address):
                    order_at = clock() + _GIVEN_UP_S
            except StoreDown:
                pass  # the Sentinels do not agree yet
            await asyncio.sleep(_POLL_S)
    finally:
        await primary.stop()


async def _order_failover(address: SentinelAddress) -> bool:
    """Whether a Sentinel has accepted the order. They are asked one after the other: right after a failover, some
    have no usable replica yet. The operator has the same login at Sentinels as at servers."""
    login = address.server
    for sentinel in address.sentinels:
        operator = replace(sentinel, username=login.username, password=login.password)
        try:
            await ask(operator, "SENTINEL", "FAILOVER", address.service)
            return True
        except StoreError as error:
            if "INPROG" in str(error):  # another Sentinel would begin a second one
                return False
    return False


async def _cluster_failover(cluster: ClusterAddress) -> Address:
    replicas = [node.address for node in await cluster_changes.nodes(cluster) if node.primary]
    if not replicas:
        raise StoreRefused("the Cluster has no replica")
    chosen = random.choice(replicas)
    await ask(chosen, "CLUSTER", "FAILOVER")
    while bytes((await ask(chosen, "ROLE"))[0]) != b"master":
        await asyncio.sleep(_POLL_S)
    return chosen


async def move_partitions(url: str, way: SlotTransfer) -> str:
    """Move the slots of eight partitions, the lobby's among them, to other nodes and back; returns their numbers.
    Raises `StoreError`."""
    cluster = _cluster(url)
    lobby, *others = await cluster_changes.partition_slots(cluster)
    slots = {lobby, *random.sample(others, min(len(others), _PARTITIONS_MOVED - 1))}
    owners = await cluster_changes.primaries(cluster)
    moves = [(owner, target, slots & set(owner.slots)) for owner, target in pairwise((*owners, owners[0]))]
    for _, target, some in moves:
        await cluster_changes.move(cluster, some, target, way)
    for source, _, some in moves:
        await cluster_changes.move(cluster, some, source, way)
    return ",".join(map(str, sorted(slots)))


async def ways_to_move(url: str) -> list[SlotTransfer]:
    """The ways in which the servers can move slots. Raises `StoreError`."""
    whole = await cluster_changes.can_move_whole(_cluster(url))
    return [SlotTransfer.KEY_BY_KEY, SlotTransfer.WHOLE] if whole else [SlotTransfer.KEY_BY_KEY]


def _cluster(url: str) -> ClusterAddress:
    cluster = store_address.parse(url)
    if not isinstance(cluster, ClusterAddress):
        raise StoreRefused("the store has no slots")
    return cluster
