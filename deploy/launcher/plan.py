"""What a cluster on one machine consists of: from options and settings to programs with their ports."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from deploy.errors import USAGE, CommandError
from deploy.launcher import listeners, ports, valkey
from deploy.launcher.http_probe import is_well, reachable
from deploy.launcher.process import ProcessSpec
from deploy.launcher.valkey import ValkeyConfig
from shared.runtime.settings import GatewaySettings, SettingError, WorkerSettings, from_env, to_env

MOST = 99
"""Of gateways and of workers: their ports follow each other."""
WORKERS_FROM = 100
VALKEY_AT = 200
APPENDFSYNC = {"fsync": "always", "applied": "everysec", "replicated": "always"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """What the operator wants. `gateway.port` is the port that all gateways share."""

    data: Path
    gateways: int
    workers: int
    gateway: GatewaySettings
    worker: WorkerSettings
    embedded: bool
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    gateway_command: tuple[str, ...] = (sys.executable, "-m", "gateway")
    worker_command: tuple[str, ...] = (sys.executable, "-m", "worker")

    @property
    def url(self) -> str:
        host = reachable(self.gateway.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.gateway.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The programs of a cluster, in groups that are started in this order and stopped in the opposite one."""

    redis_url: str
    store: tuple[ProcessSpec, ...]
    workers: tuple[ProcessSpec, ...]
    gateways: tuple[ProcessSpec, ...]

    def programs(self) -> tuple[ProcessSpec, ...]:
        return (*self.store, *self.gateways, *self.workers)


def plan_from_env(data: Path, gateways: int, workers: int, env: Mapping[str, str]) -> ClusterPlan:
    """Settings from `TAVOLATA_*`; without TAVOLATA_REDIS_URL the store is embedded. Raises `Trouble`."""
    try:
        gateway, worker = from_env(GatewaySettings, env), from_env(WorkerSettings, env)
    except SettingError as error:
        raise CommandError(str(error), USAGE) from None
    if not 0 < gateway.port <= ports.HIGHEST - gateways:
        raise CommandError(f"--port must be 1 to {ports.HIGHEST - gateways}, not {gateway.port}", USAGE)
    for port in listeners.ports(gateway.tcp):
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
        env=env,
    )


def lay_out(plan: ClusterPlan) -> Layout:
    """Give every program its ports; raises `Trouble` if one that must be is taken."""
    host = plan.gateway.host
    for number in range(plan.gateways + 1):
        ports.demand(plan.gateway.port + number, host, "--port")
    for port in listeners.ports(plan.gateway.tcp):
        ports.demand(port, host, "--tcp")
    config = ValkeyConfig(
        port=ports.free_port(plan.gateway.port + VALKEY_AT),
        directory=plan.data.absolute() / "valkey",
        appendfsync=APPENDFSYNC[plan.gateway.durability],
    )
    redis_url = config.url if plan.embedded else plan.gateway.redis_url
    return Layout(
        redis_url=redis_url,
        store=(_valkey(config, plan),) if plan.embedded else (),
        workers=tuple(_workers(plan, redis_url)),
        gateways=tuple(_gateways(plan, redis_url)),
    )


def _valkey(config: ValkeyConfig, plan: ClusterPlan) -> ProcessSpec:
    try:
        command = tuple(valkey.command(config))
    except FileNotFoundError as error:
        raise CommandError(f"no Valkey for this machine ({error}): name a store with --redis") from None

    async def is_ready() -> bool:
        return valkey.answers(config.port)

    return ProcessSpec(
        role="valkey",
        name="valkey",
        command=command,
        env={**valkey.ENV, **plan.env},
        port=config.port,
        is_ready=is_ready,
        stop_s=30,
    )


def _workers(plan: ClusterPlan, redis_url: str) -> Iterator[ProcessSpec]:
    taken: set[int] = set()
    for number in range(1, plan.workers + 1):
        port = ports.free_port(plan.gateway.port + WORKERS_FROM + number, plan.worker.host)
        while port in taken:
            port = ports.free_port()
        taken.add(port)
        settings = replace(plan.worker, redis_url=redis_url, port=port)
        yield ProcessSpec(
            role="worker",
            name=f"worker-{number}",
            command=plan.worker_command,
            env={**plan.env, **to_env(settings)},
            port=port,
            is_ready=partial(is_well, settings.host, port, "/healthz"),
        )


def _gateways(plan: ClusterPlan, redis_url: str) -> Iterator[ProcessSpec]:
    shared = plan.gateway.port
    for number in range(1, plan.gateways + 1):
        settings = replace(plan.gateway, redis_url=redis_url, port=shared + number, shared_port=shared)
        yield ProcessSpec(
            role="gateway",
            name=f"gateway-{number}",
            command=plan.gateway_command,
            env={**plan.env, **to_env(settings)},
            port=settings.port,
            is_ready=partial(is_well, settings.host, settings.port, "/readyz"),
            stop_s=10 + settings.drain_ms / 1000,
        )
