"""Changes of a Cluster that an operator makes while games go on: slots move, nodes join and leave.

The load tool makes them as faults. `python -m deploy.resize_cluster` makes them for operators.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from shared.bus import cluster_nodes, keys
from shared.bus.address import Address
from shared.bus.cluster_map import slot_of
from shared.bus.cluster_nodes import ClusterNode
from shared.bus.keys import SLOTS
from shared.bus.operator_requests import ask
from shared.bus.store import StoreDown, StoreError, StoreRefused
from shared.bus.store_address import ClusterAddress
from shared.ids import LOBBY, partition_of

_POLL_S = 0.05
_AGREE_S = 30.0
_MOVE_S = 120.0
_KEYS_AT_ONCE = 20
_MIGRATE_MS = "5000"


class SlotTransfer(StrEnum):
    """How the keys of a slot get to another node."""

    KEY_BY_KEY = "key by key"
    """By `MIGRATE`, after both nodes were notified. Every server can."""
    WHOLE = "whole"
    """By `CLUSTER MIGRATESLOTS`, of Valkey 9: the source sends a copy and what changes, then the slot itself."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node, as another one sees it."""

    id: str
    address: Address
    bus_port: int
    primary: str
    """The id of its primary; empty if it is one."""
    slots: tuple[int, ...]


async def nodes(cluster: ClusterAddress) -> list[Node]:
    """The nodes that are reachable, as one of them sees the Cluster. Raises `StoreDown`."""
    for seed in cluster.nodes:
        try:
            return await _view(cluster, seed)
        except StoreError:
            continue
    raise StoreDown("no node of the Cluster answers")


async def primaries(cluster: ClusterAddress) -> list[Node]:
    """The primaries that have slots."""
    return [node for node in await nodes(cluster) if not node.primary and node.slots]


async def partition_slots(cluster: ClusterAddress) -> list[int]:
    """The slots of all partitions, that of the lobby first. Raises `StoreRefused` if nothing was ever stored."""
    home = await _serving(cluster, slot_of(keys.META))
    found = await ask(home.address, "HGET", keys.META, "partitions")
    if found is None:
        raise StoreRefused("the Cluster has no partitions yet")
    count = int(found)
    lobby = partition_of(LOBBY, count)
    slots = [slot_of(one.owner) for one in keys.all_keys(count, sharded=True)]
    return [slots[lobby], *(slot for number, slot in enumerate(slots) if number != lobby)]


async def can_move_whole(cluster: ClusterAddress) -> bool:
    """Whether the servers have `CLUSTER MIGRATESLOTS`."""
    first = (await nodes(cluster))[0]
    described = await ask(first.address, "COMMAND", "INFO", "cluster|migrateslots")
    return bool(described and described[0])


async def move(cluster: ClusterAddress, slots: Iterable[int], target: Node, way: SlotTransfer) -> None:
    """Give slots to a primary. Raises `StoreError`."""
    wanted = set(slots)
    for source in await primaries(cluster):
        some = sorted(wanted & set(source.slots))
        if not some or source.id == target.id:
            continue
        if way is SlotTransfer.WHOLE:
            await _move_whole(source, target, some)
        else:
            for slot in some:
                await _move_by_keys(cluster, source, target, slot)
    await _until(partial(_all_see, cluster, wanted, target.id), _AGREE_S, "not all nodes report that slots have moved")


async def _move_whole(source: Node, target: Node, slots: Sequence[int]) -> None:
    ranges = [str(bound) for span in _spans(slots) for bound in span]
    await ask(source.address, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", *ranges, "NODE", target.id)

    async def over() -> bool:
        jobs = [_fields(job) for job in await ask(source.address, "CLUSTER", "GETSLOTMIGRATIONS")]
        job = max((one for one in jobs if one["operation"] == "EXPORT"), key=lambda one: int(one["create_time"]))
        if job["state"] in ("failed", "canceled"):
            raise StoreRefused(f"slots were not moved: {job['message']}")
        return job["state"] == "success"

    await _until(over, _MOVE_S, "slots are not moved")


async def _move_by_keys(cluster: ClusterAddress, source: Node, target: Node, slot: int) -> None:
    number = str(slot)
    await ask(target.address, "CLUSTER", "SETSLOT", number, "IMPORTING", source.id)
    await ask(source.address, "CLUSTER", "SETSLOT", number, "MIGRATING", target.id)
    login = ("AUTH2", source.address.username, source.address.password) if source.address.password else ()
    place = (target.address.host, str(target.address.port), "", "0", _MIGRATE_MS, *login)
    while found := await ask(source.address, "CLUSTER", "GETKEYSINSLOT", number, str(_KEYS_AT_ONCE)):
        await ask(source.address, "MIGRATE", *place, "KEYS", *(bytes(key).decode() for key in found))
    # The target first: if this is broken off, the slot has a node that serves it.
    others = [one for one in await primaries(cluster) if one.id not in (source.id, target.id)]
    for node in (target, source, *others):
        await ask(node.address, "CLUSTER", "SETSLOT", number, "NODE", target.id)


async def join(cluster: ClusterAddress, primary: Address, replicas: Sequence[Address], way: SlotTransfer) -> None:
    """Add an empty server with its replicas, and give it its share of the slots.

    The replicas come first: with durability `replicated`, moves in partitions of a primary without replicas wait."""
    for address in (primary, *replicas):
        await _meet(cluster, address)
    added = await _node_at(cluster, primary)
    for address in replicas:
        await ask(address, "CLUSTER", "REPLICATE", added.id)
        await _until(partial(_is_linked, address), _AGREE_S, f"{address} does not become a replica")
    owners = await primaries(cluster)
    share = SLOTS // (len(owners) + 1) // len(owners)
    await move(cluster, [slot for owner in owners for slot in owner.slots[-share:]], added, way)


async def leave(cluster: ClusterAddress, leaving: Address, way: SlotTransfer) -> None:
    """Give the slots of a primary to the others, and have them forget it and its replicas: then these servers can be
    stopped."""
    node = await _node_at(cluster, leaving)
    everyone = await nodes(cluster)
    gone = [one for one in everyone if node.id in (one.id, one.primary)]
    staying = [one for one in everyone if one not in gone]
    others = [one for one in staying if one.slots]
    for number, other in enumerate(others):
        begin, end = (len(node.slots) * at // len(others) for at in (number, number + 1))
        await move(cluster, node.slots[begin:end], other, way)
    for one in gone:
        # A primary that has lost its last slot may have become a replica of the node that got it, and so its replicas.
        await ask(one.address, "CLUSTER", "RESET")
    for remaining in staying:
        for one in gone:
            await ask(remaining.address, "CLUSTER", "FORGET", one.id)


# --- nodes ------------------------------------------------------------------------------------------------------------


async def _view(cluster: ClusterAddress, seed: Address) -> list[Node]:
    """The nodes as one of them sees the Cluster."""
    text = bytes(await ask(seed, "CLUSTER", "NODES")).decode()
    return [_node(cluster, one) for one in cluster_nodes.parse(text) if one.is_met and not one.is_dead]


def _node(cluster: ClusterAddress, one: ClusterNode) -> Node:
    spans = [span.partition("-") for span in one.slots]
    slots = tuple(slot for first, _, last in spans for slot in range(int(first), int(last or first) + 1))
    primary = "" if one.primary == "-" else one.primary
    return Node(one.id, cluster.at(one.hostname or one.host, one.port), one.bus_port, primary, slots)


async def _serving(cluster: ClusterAddress, slot: int) -> Node:
    for node in await primaries(cluster):
        if slot in node.slots:
            return node
    raise StoreDown(f"no node of the Cluster serves slot {slot}")


async def _node_at(cluster: ClusterAddress, address: Address) -> Node:
    for node in await nodes(cluster):
        if (node.address.host, node.address.port) == (address.host, address.port):
            return node
    raise StoreRefused(f"{address} is not a node of the Cluster")


async def _meet(cluster: ClusterAddress, address: Address) -> None:
    """Make a server known to all nodes, as soon as it answers."""
    await _until(partial(_answers, address), _AGREE_S, f"{address} does not answer")
    own = (await _view(cluster, address))[0]
    known = await nodes(cluster)
    await ask(known[0].address, "CLUSTER", "MEET", address.host, str(address.port), str(own.bus_port))

    async def met() -> bool:
        views = [await _view(cluster, one.address) for one in known]
        return all(own.id in {one.id for one in view} for view in views)

    await _until(met, _AGREE_S, f"not all nodes have met {address}")


async def _answers(address: Address) -> bool:
    try:
        await ask(address, "PING")
    except StoreError:
        return False
    return True


async def _is_linked(replica: Address) -> bool:
    return b"master_link_status:up" in bytes(await ask(replica, "INFO", "replication"))


async def _all_see(cluster: ClusterAddress, slots: set[int], owner: str) -> bool:
    """Whether every node reports that these slots are served by this node."""
    for node in await nodes(cluster):
        seen = {one.id: one.slots for one in await _view(cluster, node.address)}
        if not slots <= set(seen.get(owner, ())):
            return False
    return True


def _spans(slots: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted slots as spans of neighbors."""
    spans: list[tuple[int, int]] = []
    for slot in slots:
        if spans and spans[-1][1] == slot - 1:
            spans[-1] = (spans[-1][0], slot)
        else:
            spans.append((slot, slot))
    return spans


def _fields(row: Sequence[Any]) -> dict[str, str]:
    """A map in the form of the older protocol: names and values in turn."""
    words = [word.decode() if isinstance(word, bytes) else str(word) for word in row]
    return dict(zip(words[::2], words[1::2], strict=True))


async def _until(holds: Callable[[], Coroutine[Any, Any, bool]], limit_s: float, problem: str) -> None:
    try:
        async with asyncio.timeout(limit_s):
            while not await holds():
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise StoreDown(f"{problem} after {limit_s:g} s") from None
