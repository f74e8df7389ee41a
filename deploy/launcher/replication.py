"""The roles of servers and how far replicas are behind, as INFO and Sentinel report them. Uses redis-py, unlike the
cluster."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from redis import RedisError

from deploy.launcher import store
from deploy.launcher.sentinel_set import SERVICE
from shared.bus.address import Address


@dataclass(frozen=True, slots=True)
class ServerState:
    """The part of a server in the replication."""

    primary_port: int | None
    """Port of its primary; None if it is a primary itself."""
    linked: bool
    """Whether it has the data of its primary and receives what follows."""
    offset: int
    """Bytes of the replication stream that it has."""
    replicas: int
    """Replicas that are connected to it."""


def state_of(server: Address) -> ServerState | None:
    """None if the server does not answer, or still loads its data."""
    try:
        with store.client_at(server) as client:
            info = client.info("replication")
    except (RedisError, OSError):
        return None
    if info["role"] == "master":
        return ServerState(None, True, info["master_repl_offset"], info["connected_slaves"])
    linked = info["master_link_status"] == "up"
    return ServerState(info["master_port"], linked, info["slave_repl_offset"], info["connected_slaves"])


def is_in_place(server: Address) -> bool:
    """Whether the server is a primary, or a replica with the data of its primary."""
    state = state_of(server)
    return state is not None and state.linked


def named_primary(sentinels: Iterable[Address]) -> int | None:
    """The port of the primary that more than half of the sentinels name."""
    asked = list(sentinels)
    votes = Counter(port for port in map(_named_by, asked) if port is not None)
    port, count = max(votes.items(), key=lambda vote: vote[1], default=(None, 0))
    return port if count > len(asked) / 2 else None


def has_quorum(sentinel: Address) -> bool:
    """Whether the sentinel reaches the primary and enough others for a failover."""
    try:
        with store.client_at(sentinel) as client:
            return str(client.execute_command("SENTINEL", "CKQUORUM", SERVICE)).startswith("OK")
    except (RedisError, OSError):
        return False


def _named_by(sentinel: Address) -> int | None:
    try:
        with store.client_at(sentinel) as client:
            found = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
    except (RedisError, OSError):
        return None
    return int(found[1]) if found else None
