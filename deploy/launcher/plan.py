"""The plan of a cluster on one machine: from options and settings to processes with their ports."""

import asyncio
import itertools
import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from deploy.errors import USAGE, CommandError
from deploy.launcher import cluster_set, embedded_store, ports, sentinel_set, store_users
from deploy.launcher.cluster_store import ClusterStore
from deploy.launcher.embedded_store import EmbeddedStore, StandaloneStore, StoreRequest, Topology
from deploy.launcher.process import ProcessSpec
from deploy.launcher.sentinel_store import SentinelStore
from shared.bus.address import TlsFiles
from shared.runtime.http_client import HttpClient
from shared.runtime.settings import (
    HIGHEST_PORT,
    EmbeddedStoreSettings,
    GatewaySettings,
    SettingError,
    WorkerSettings,
    from_env,
    to_env,
)

MOST_PROCESSES = 99
"""Limit for gateways and for workers: the ports of each kind are consecutive, within the ranges below."""
WORKER_PORTS = 100
VALKEY_PORT = 200
OPS_PORTS = 300
"""Offsets from the port that all gateways share."""
HTTP_LIMIT_S = 2.0
LISTENER = re.compile(r"(?P<name>[a-z][a-z0-9.-]*)=(?P<port>\d{1,5})(?:;[a-z_-]+(?:=[^;,\s]*)?)*")
LOCAL_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Addresses that mean all interfaces, and where a server that listens there is reached from this machine."""
APPENDFSYNC = {"fsync": "always", "applied": "everysec", "replicated": "always"}
REPLICAS = {
    Topology.STANDALONE: 0,
    Topology.SENTINEL: sentinel_set.SERVERS - 1,
    Topology.CLUSTER: cluster_set.REPLICAS,
}
"""Replicas of each primary in an embedded store."""


def http_url(host: str, port: int | None) -> str:
    """The address of a server of this machine."""
    local = LOCAL_ADDRESS.get(host, host)
    return f"http://{f'[{local}]' if ':' in local else local}:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """A cluster as it was asked for. `gateway.port` is the port that all gateways share."""

    data: Path
    gateways: int
    workers: int
    gateway: GatewaySettings
    worker: WorkerSettings
    embedded: bool
    store: EmbeddedStoreSettings = field(default_factory=EmbeddedStoreSettings)
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    # -P: a folder `gateway` or a file `worker.py` in the current folder must not be run in place of ours.
    gateway_command: tuple[str, ...] = (sys.executable, "-P", "-m", "gateway")
    worker_command: tuple[str, ...] = (sys.executable, "-P", "-m", "worker")

    @property
    def url(self) -> str:
        return http_url(self.gateway.host, self.gateway.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The processes of a cluster. The store is started first; gateways are stopped first."""

    redis_url: str
    """Address of the store, with the operator's login if it is embedded."""
    tls: TlsFiles
    embedded: EmbeddedStore | None
    store: tuple[ProcessSpec, ...]
    workers: tuple[ProcessSpec, ...]
    gateways: tuple[ProcessSpec, ...]

    def processes(self) -> tuple[ProcessSpec, ...]:
        return (*self.store, *self.gateways, *self.workers)


def plan_from_env(data: Path, gateways: int, workers: int, env: Mapping[str, str]) -> ClusterPlan:
    """Settings from `TAVOLATA_*`; without TAVOLATA_REDIS_URL the store is embedded. Raises `CommandError`."""
    try:
        gateway, worker = from_env(GatewaySettings, env), from_env(WorkerSettings, env)
        store = from_env(EmbeddedStoreSettings, env)
    except SettingError as error:
        raise CommandError(str(error), USAGE) from None
    if gateway.key_prefix and "TAVOLATA_REDIS_URL" not in env:
        # The users of the embedded store are limited to keys without a prefix.
        raise CommandError("TAVOLATA_KEY_PREFIX is for a store that clusters share: name the store with --redis", USAGE)
    if not 0 < gateway.port <= HIGHEST_PORT - gateways:
        raise CommandError(f"--port must be 1 to {HIGHEST_PORT - gateways}, not {gateway.port}", USAGE)
    for port in listener_ports(gateway.tcp):
        if gateway.port <= port <= gateway.port + gateways:
            raise CommandError(
                f"--tcp: port {port} is one of the gateways' own ({gateway.port} to {gateway.port + gateways})", USAGE
            )
    return ClusterPlan(
        data=data,
        gateways=gateways,
        workers=workers,
        gateway=gateway,
        worker=worker,
        embedded="TAVOLATA_REDIS_URL" not in env,
        store=store,
        env=env,
    )


def joined_listeners(values: Iterable[str]) -> str:
    """The values of repeated --tcp options as one, in the form of TAVOLATA_TCP."""
    return ",".join(part.strip() for value in values for part in value.split(",") if part.strip())


def listener_ports(text: str) -> list[int]:
    """The ports in the form NAME=PORT[;OPTION[=VALUE]...],...; raises `CommandError` for another form."""
    found: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        form = LISTENER.fullmatch(part)
        if form is None:
            raise CommandError(f"--tcp takes NAME=PORT[;OPTION[=VALUE]...], such as snarl=45678, not {part!r}", USAGE)
        port = int(form["port"])
        if not 0 < port <= HIGHEST_PORT:
            raise CommandError(f"--tcp: a port is 1 to {HIGHEST_PORT}, not {port}", USAGE)
        if port in found:
            raise CommandError(f"--tcp names port {port} twice: every dialect needs a port of its own", USAGE)
        found.append(port)
    return found


def lay_out(plan: ClusterPlan) -> Layout:
    """Give every process its ports; raises `CommandError` if a port that was asked for is taken."""
    host = plan.gateway.host
    for number in range(plan.gateways + 1):
        ports.require_free(plan.gateway.port + number, host, "--port")
    for port in listener_ports(plan.gateway.tcp):
        ports.require_free(port, host, "--tcp")
    tls = TlsFiles.named_in(plan.gateway)
    if not plan.embedded:
        return _layout(plan, tls, None, dict.fromkeys(store_users.CLIENTS, plan.gateway.redis_url))
    embedded = _embedded_store(plan)
    return _layout(plan, tls, embedded, {role: embedded.url(role) for role in store_users.CLIENTS})


def _layout(plan: ClusterPlan, tls: TlsFiles, embedded: EmbeddedStore | None, urls: Mapping[str, str]) -> Layout:
    try:
        store = embedded.processes() if embedded is not None else ()
    except FileNotFoundError as error:
        raise CommandError(f"there is no Valkey for this machine ({error}): name a store with --redis") from None
    return Layout(
        redis_url=urls[store_users.OPERATOR],
        tls=tls,
        embedded=embedded,
        store=store,
        workers=tuple(_workers(plan, urls[store_users.WORKER])),
        gateways=tuple(_gateways(plan, urls[store_users.GATEWAY])),
    )


def _embedded_store(plan: ClusterPlan) -> EmbeddedStore:
    request = StoreRequest(
        folder=plan.data.absolute() / "valkey",
        port=plan.gateway.port + VALKEY_PORT,
        appendfsync=APPENDFSYNC[plan.gateway.durability],
        maxmemory=plan.store.maxmemory,
        down_after_ms=plan.store.down_after_ms,
        env=plan.env,
    )
    topology = embedded_store.topology_in(request.folder, plan.store.topology)
    wanted, most = plan.worker.replicas, REPLICAS[topology]
    if plan.worker.durability == "replicated" and wanted > most:
        advice = f"set it to {most} or less" if most else "use --store sentinel or cluster"
        raise CommandError(
            f"durability replicated with TAVOLATA_REPLICAS={wanted}: a primary of --store {topology} has {most} "
            f"{'replica' if most == 1 else 'replicas'}; {advice}",
            USAGE,
        )
    match topology:
        case Topology.STANDALONE:
            return StandaloneStore.planned(request, ports.free_port(request.port))
        case Topology.SENTINEL:
            return SentinelStore.planned(request)
        case Topology.CLUSTER:
            return ClusterStore.planned(request)


def _workers(plan: ClusterPlan, redis_url: str) -> Iterator[ProcessSpec]:
    # A worker serves nothing to players, so its page is where the operators' pages are.
    host = plan.gateway.ops_host
    numbered = zip(range(1, plan.workers + 1), _ports_from(plan.gateway.port + WORKER_PORTS, host), strict=False)
    for number, port in numbered:
        settings = replace(plan.worker, redis_url=redis_url, host=host, port=port)
        yield ProcessSpec(
            role="worker",
            name=f"worker-{number}",
            command=plan.worker_command,
            env={**plan.env, **to_env(settings)},
            port=port,
            is_ready=partial(_responds, settings.host, port, "/healthz"),
        )


def _gateways(plan: ClusterPlan, redis_url: str) -> Iterator[ProcessSpec]:
    shared = plan.gateway.port
    numbered = zip(range(1, plan.gateways + 1), _ports_from(shared + OPS_PORTS, plan.gateway.ops_host), strict=False)
    for number, ops_port in numbered:
        settings = replace(
            plan.gateway, redis_url=redis_url, port=shared + number, shared_port=shared, ops_port=ops_port
        )
        yield ProcessSpec(
            role="gateway",
            name=f"gateway-{number}",
            command=plan.gateway_command,
            env={**plan.env, **to_env(settings)},
            port=settings.port,
            ops_port=ops_port,
            # All gateways stop together: waiting for games, as after SIGTERM, would be in vain.
            stop_signal=signal.SIGINT,
            # Without workers of this plan, no gateway is ready until workers are started by hand.
            is_ready=partial(_responds, settings.host, settings.port, "/readyz" if plan.workers else "/healthz"),
            stop_s=10 + settings.drain_ms / 1000,
        )


def _ports_from(before: int, host: str) -> Iterator[int]:
    """The ports after `before`; another free port in place of each one that is taken."""
    given: set[int] = set()
    for preferred in itertools.count(before + 1):
        port = ports.free_port(preferred, host)
        while port in given:
            port = ports.free_port(host=host)
        given.add(port)
        yield port


async def _responds(host: str, port: int, path: str) -> bool:
    """Whether GET answers 200."""
    client = HttpClient(LOCAL_ADDRESS.get(host, host), port)
    try:
        async with asyncio.timeout(HTTP_LIMIT_S):
            return (await client.get(path)).status == 200
    except (OSError, TimeoutError):
        return False
    finally:
        client.close()
