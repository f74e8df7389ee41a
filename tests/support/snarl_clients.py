"""Clients of the Snarl dialect at an in-memory cluster that plays Snarl alone."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from gateway.dialects.snarl import SnarlSettings, snarl_dialect
from shared.game import Table
from shared.games.snarl.events import Event
from shared.games.snarl.game import GAME
from shared.games.snarl.setup import Options
from shared.runtime.settings import GatewaySettings
from tests.support.memory_cluster import GATEWAY, MemoryClient, MemoryCluster

FIRST_ROOM = 1000
"""The number of the first table that a cluster opens; the next ones follow."""

Setup = Callable[[Table[Options]], tuple[Event, ...]]


def snarl_cluster(
    settings: SnarlSettings | None = None, *, setup: Setup = GAME.setup, gateway: GatewaySettings = GATEWAY
) -> MemoryCluster:
    """A cluster with these settings of the dialect, whose games begin as `setup` says."""
    dialect = snarl_dialect(settings or SnarlSettings())
    return MemoryCluster([dialect], games=[replace(GAME, setup=setup)], gateway=gateway)


def join(cluster: MemoryCluster, name: str, query: Mapping[str, str] | None = None) -> MemoryClient:
    """A client that has given its name; the welcome and the prompt for the name are already read."""
    client = cluster.connect("snarl", query)
    client.received()
    client.send_json(name)
    return client
