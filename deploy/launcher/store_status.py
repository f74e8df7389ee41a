"""The place of every server of a replicated store at this moment, for `tavolata ps` and the supervisor."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from msgspec import structs
from redis import RedisError

from deploy.launcher import replication, store
from deploy.launcher.cluster_file import SUPERVISOR, RunningCluster, RunningProcess
from deploy.launcher.embedded_store import REPLICA, SENTINEL, SERVER
from deploy.launcher.replication import ServerState
from shared.bus import cluster_nodes
from shared.bus.address import Address

ORDER = (SUPERVISOR, SERVER, REPLICA, SENTINEL)
"""Roles in the order of the list; all others follow."""
MOST_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A process of the store."""

    role: str
    detail: str = ""


def roles(operator: Address, ports: Iterable[int]) -> dict[int, str]:
    """Port -> `valkey` or `valkey-replica`, for each server that answers."""
    states = _states(operator, ports)
    return {port: _role(state) for port, state in states.items() if state is not None}


def observed(cluster: RunningCluster) -> tuple[RunningCluster, dict[int, str]]:
    """The cluster with the present roles of its servers, primaries first, and details of each by pid."""
    servers = [process for process in cluster.processes if process.role in (SERVER, REPLICA)]
    sentinels = [process for process in cluster.processes if process.role == SENTINEL]
    if len(servers) < 2:
        return cluster, {}
    found = statuses(cluster.redis_url, _ports(servers), _ports(sentinels))
    renamed = [_renamed(process, found) for process in cluster.processes]
    details = {process.pid: found[process.port].detail for process in renamed if process.port in found}
    shown = sorted(renamed, key=lambda process: ORDER.index(process.role) if process.role in ORDER else len(ORDER))
    return structs.replace(cluster, processes=tuple(shown)), details


def _ports(processes: Sequence[RunningProcess]) -> list[int]:
    return [process.port for process in processes if process.port is not None]


def _renamed(process: RunningProcess, found: Mapping[int, StoreStatus]) -> RunningProcess:
    status = found.get(process.port) if process.port is not None else None
    return process if status is None else structs.replace(process, role=status.role)


def statuses(redis_url: str, servers: Iterable[int], sentinels: Iterable[int]) -> dict[int, StoreStatus]:
    """The status of each process by its port. A server that does not answer is left out."""
    operator = operator_of(redis_url)
    states = _states(operator, servers)
    found = {port: _server_status(state, states) for port, state in states.items() if state is not None}
    if redis_url.startswith("redis+cluster:"):
        primaries = [port for port, status in found.items() if status.role == SERVER]
        with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
            slots = pool.map(lambda port: _slots(_at(operator, port)), primaries)
        found |= {
            port: StoreStatus(SERVER, f"{text} {found[port].detail}".strip())
            for port, text in zip(primaries, slots, strict=True)
        }
    for port in sentinels:
        named = replication.named_primary([_at(operator, port)])
        found[port] = StoreStatus(SENTINEL, f"primary={named or '-'}")
    return found


def operator_of(redis_url: str) -> Address:
    """The operator's login, as the embedded stores give it in their URLs."""
    parts = urlsplit(redis_url)
    return Address(username=unquote(parts.username or ""), password=unquote(parts.password or ""))


def _states(operator: Address, ports: Iterable[int]) -> dict[int, ServerState | None]:
    asked = list(ports)
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        states = pool.map(lambda port: replication.state_of(_at(operator, port)), asked)
    return dict(zip(asked, states, strict=True))


def _role(state: ServerState) -> str:
    return SERVER if state.primary_port is None else REPLICA


def _server_status(state: ServerState, states: Mapping[int, ServerState | None]) -> StoreStatus:
    if state.primary_port is None:
        return StoreStatus(SERVER, f"replicas={state.replicas}")
    primary = states.get(state.primary_port)
    if not state.linked or primary is None:
        return StoreStatus(REPLICA, f"of={state.primary_port} link=down")
    # The primary may have been asked a moment before its replica.
    return StoreStatus(REPLICA, f"of={state.primary_port} lag={max(0, primary.offset - state.offset)}B")


def _slots(server: Address) -> str:
    try:
        with store.client_at(server) as client:
            own = cluster_nodes.myself(cluster_nodes.parse(client.execute_command("CLUSTER", "NODES")))
    except (RedisError, OSError):
        return ""
    return f"slots={','.join(own.slots) or '-'}"


def _at(operator: Address, port: int) -> Address:
    return Address(port=port, username=operator.username, password=operator.password)
