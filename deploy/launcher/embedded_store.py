"""The embedded store of a cluster: the choice of its topology, and the store that is one server."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from deploy.errors import USAGE, CommandError
from deploy.launcher import private_files, store, valkey
from deploy.launcher.process import ProcessSpec
from deploy.launcher.store_users import OPERATOR, StoreUsers
from deploy.launcher.valkey import ValkeyConfig

SERVER, REPLICA, SENTINEL = "valkey", "valkey-replica", "sentinel"
"""Roles of the processes of a store. A process is started as a server; which servers are replicas changes."""
STOP_S = 30.0
_TOPOLOGY_FILE = "topology"


class Topology(StrEnum):
    STANDALONE = "standalone"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRequest:
    """The settings that all embedded stores have in common."""

    folder: Path
    port: int
    """The preferred port of the first server; those of others follow."""
    appendfsync: str
    maxmemory: int
    down_after_ms: int
    env: Mapping[str, str]


class EmbeddedStore(Protocol):
    """The servers of a store that the supervisor runs."""

    def url(self, role: str) -> str:
        """The address of the store with the login of a role."""

    def processes(self) -> tuple[ProcessSpec, ...]:
        """Servers and sentinels. Sentinels are started when the servers are ready: a replica that has no data yet must
        not be promoted. Raises `FileNotFoundError` if there is no program for this machine."""

    def write_files(self) -> None:
        """Write the configuration files of all processes; called before their first start. Raises `OSError`."""

    def form(self) -> None:
        """Make one store out of the servers, which are ready. Blocks. Raises `CommandError`."""


def topology_in(folder: Path, wanted: str) -> Topology:
    """The topology of the store in a folder, or else the wanted one; raises `CommandError` if they differ."""
    kept = _kept_topology(folder)
    if wanted == "auto":
        return kept or Topology.STANDALONE
    if kept is not None and kept != wanted:
        raise CommandError(
            f"the store in {folder} was started with --store {kept}: use that, or another --data for {wanted}", USAGE
        )
    return Topology(wanted)


def keep_topology(folder: Path, topology: Topology) -> None:
    private_files.replace_file(folder / _TOPOLOGY_FILE, f"{topology}\n".encode())


def _kept_topology(folder: Path) -> Topology | None:
    try:
        return Topology((folder / _TOPOLOGY_FILE).read_text().strip())
    except FileNotFoundError:
        # A store of an earlier release is one server.
        return Topology.STANDALONE if (folder / "valkey.conf").exists() else None
    except ValueError as error:
        raise CommandError(f"{folder / _TOPOLOGY_FILE} cannot be used: {error}") from None


def server_process(
    name: str,
    command: Sequence[str],
    port: int,
    env: Mapping[str, str],
    is_ready: Callable[[], Awaitable[bool]],
    before_restart: Callable[[], Awaitable[str]] | None = None,
) -> ProcessSpec:
    """One server of a store. Stopping it takes a while: it saves its data."""
    return ProcessSpec(
        role=SERVER,
        name=name,
        command=tuple(command),
        env={**valkey.ENV, **env},
        port=port,
        is_ready=is_ready,
        before_restart=before_restart,
        stop_s=STOP_S,
    )


@dataclass(frozen=True, slots=True)
class StandaloneStore:
    """One server. Its users are in its configuration file, which nothing rewrites."""

    config: ValkeyConfig
    users: StoreUsers
    env: Mapping[str, str]

    @staticmethod
    def planned(request: StoreRequest, port: int) -> "StandaloneStore":
        file = request.folder / "valkey.conf"
        config = ValkeyConfig(
            port=port,
            directory=request.folder,
            appendfsync=request.appendfsync,
            users_file=file,
            maxmemory=request.maxmemory,
        )
        return StandaloneStore(config, StoreUsers.kept_in(file), request.env)

    def url(self, role: str) -> str:
        return self.users.url(role, self.config.host, self.config.port)

    def processes(self) -> tuple[ProcessSpec, ...]:
        async def is_ready() -> bool:
            return await asyncio.to_thread(store.answers, self.url(OPERATOR))

        return (server_process("valkey", valkey.command(self.config), self.config.port, self.env, is_ready),)

    def write_files(self) -> None:
        self.config.directory.mkdir(exist_ok=True)
        private_files.replace_file(self.config.directory / "valkey.conf", self.users.config().encode())

    def form(self) -> None:
        pass
