"""The store as operators see it: its topology, its primaries with their replicas, and what this gateway noticed of
it."""

from collections import Counter
from typing import Any

from gateway.node import GatewayNode
from shared.bus import store_figures
from shared.bus.store import StoreError
from shared.bus.store_address import topology_name
from shared.bus.store_figures import StoreFigures


async def report(node: GatewayNode) -> dict[str, Any]:
    """While a server does not answer, `error` says so in place of the servers."""
    counts = node.metrics.store
    found: dict[str, Any] = {
        "topology": topology_name(node.settings.redis_url),
        "durability": node.settings.durability,
        "replicas_wanted": node.settings.needed_replicas,
        "reconnects": counts.reconnects,
        "failovers": counts.failovers,
        "slots_moved": counts.slots_moved,
        "redirections": counts.redirections.total(),
        "servers": [],
        "error": "",
    }
    try:
        servers = await store_figures.read(node.store)
    except StoreError as error:
        return {**found, "error": str(error)}
    partitions = Counter(node.store.server_of(one.owner).partition(" ")[0] for one in node.partitions)
    return {**found, "servers": [_server(server, partitions[server.address]) for server in servers]}


def _server(server: StoreFigures, partitions: int) -> dict[str, Any]:
    return {
        "address": server.address,
        "partitions": partitions,
        "memory": server.memory,
        "memory_limit": server.limit,
        "clients": server.clients,
        "replicas": [{"address": one.address, "lag_s": one.lag_s, "behind": one.behind} for one in server.replicas],
    }
