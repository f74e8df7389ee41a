"""Changes of a store that an operator makes: a replica takes over, a slot moves to another node. The load tool makes
them as faults."""

import asyncio
import random
from dataclasses import dataclass, replace

from shared.bus import store_address
from shared.bus.address import Address
from shared.bus.operator_requests import ask
from shared.bus.sentinel import SentinelPrimary
from shared.bus.store import StoreDown, StoreError, StoreRefused
from shared.bus.store_address import ClusterAddress, SentinelAddress

LIMIT_S = 30.0
_POLL_S = 0.05
_KEYS_AT_ONCE = 20
_MIGRATE_MS = "5000"


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
        await _begin_failover(address)
        while True:
            try:
                if (now := await primary.find()) != before:
                    return now
            except StoreDown:
                pass  # the Sentinels do not agree yet
            await asyncio.sleep(_POLL_S)
    finally:
        await primary.stop()


async def _begin_failover(address: SentinelAddress) -> None:
    """Ask one Sentinel after the other: right after a failover, some do not know a usable replica yet. The operator has
    the same login at Sentinels as at servers."""
    login = address.server
    while True:
        for sentinel in address.sentinels:
            operator = replace(sentinel, username=login.username, password=login.password)
            try:
                await ask(operator, "SENTINEL", "FAILOVER", address.service)
                return
            except StoreError:
                await asyncio.sleep(_POLL_S)


@dataclass(frozen=True, slots=True)
class _Node:
    id: str
    address: Address
    replica: bool


async def _nodes(cluster: ClusterAddress) -> list[_Node]:
    """The nodes that are reachable, as one of them sees the Cluster."""
    for seed in cluster.nodes:
        try:
            text = bytes(await ask(seed, "CLUSTER", "NODES")).decode()
        except StoreError:
            continue
        rows = [line.split() for line in text.splitlines() if "fail" not in line.split()[2]]
        return [_Node(row[0], _address(cluster, row[1]), "slave" in row[2]) for row in rows]
    raise StoreDown("no node of the Cluster answers")


def _address(cluster: ClusterAddress, place: str) -> Address:
    host, _, port = place.partition("@")[0].rpartition(":")
    return cluster.at(host, int(port))


async def _cluster_failover(cluster: ClusterAddress) -> Address:
    replicas = [node.address for node in await _nodes(cluster) if node.replica]
    if not replicas:
        raise StoreRefused("the Cluster has no replica")
    chosen = random.choice(replicas)
    await ask(chosen, "CLUSTER", "FAILOVER")
    while bytes((await ask(chosen, "ROLE"))[0]) != b"master":
        await asyncio.sleep(_POLL_S)
    return chosen


async def move_slot(url: str) -> str:
    """Move a slot that has keys from one node to another, key by key; returns its number. Raises `StoreError`."""
    cluster = store_address.parse(url)
    if not isinstance(cluster, ClusterAddress):
        raise StoreRefused("the store has no slots")
    primaries = [node for node in await _nodes(cluster) if not node.replica]
    random.shuffle(primaries)
    for source in primaries:
        key = await ask(source.address, "RANDOMKEY")
        if key is not None:
            break
    else:
        raise StoreRefused("the Cluster has no keys")
    target = next(node for node in primaries if node is not source)
    slot = str(await ask(source.address, "CLUSTER", "KEYSLOT", bytes(key).decode()))
    await ask(target.address, "CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
    await ask(source.address, "CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
    await _move_keys(source.address, target.address, slot)
    for node in (target, source, *(one for one in primaries if one not in (target, source))):
        await ask(node.address, "CLUSTER", "SETSLOT", slot, "NODE", target.id)
    return slot


async def _move_keys(source: Address, target: Address, slot: str) -> None:
    login = ("AUTH2", source.username, source.password) if source.password else ()
    while keys := await ask(source, "CLUSTER", "GETKEYSINSLOT", slot, str(_KEYS_AT_ONCE)):
        names = [bytes(key).decode() for key in keys]
        await ask(source, "MIGRATE", target.host, str(target.port), "", "0", _MIGRATE_MS, *login, "KEYS", *names)
