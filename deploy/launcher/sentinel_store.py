"""The embedded store with Sentinel: one primary, two replicas, three sentinels."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from deploy.errors import CommandError
from deploy.launcher import embedded_store, ports, private_files, replication
from deploy.launcher.embedded_store import StoreRequest, Topology
from deploy.launcher.failovers import Outlook, wait_for_failover
from deploy.launcher.process import ProcessSpec
from deploy.launcher.sentinel_set import SENTINELS, SERVERS, SentinelSet
from deploy.launcher.store_users import StoreUsers
from shared.bus.address import Address

SENTINEL_PORTS = 10
"""Offset from the port of the first server."""


@dataclass(frozen=True, slots=True)
class SentinelStore:
    config: SentinelSet
    primary: int
    """The number of the server that is the primary at the start."""
    env: Mapping[str, str]

    @staticmethod
    def planned(request: StoreRequest) -> "SentinelStore":
        """Raises `CommandError` if servers have data, but no sentinel says which of them was the primary."""
        servers = ports.consecutive(request.port, SERVERS)
        config = SentinelSet(
            folder=request.folder,
            users=StoreUsers.kept_in(request.folder / "users.acl"),
            servers=servers,
            sentinels=ports.consecutive(request.port + SENTINEL_PORTS, SENTINELS, besides=servers),
            appendfsync=request.appendfsync,
            maxmemory=request.maxmemory,
            down_after_ms=request.down_after_ms,
        )
        primary = config.last_primary()
        if primary is None and any(request.folder.glob("valkey-*/appendonlydir")):
            raise CommandError(
                f"the files of the sentinels in {request.folder} are missing: the primary of the store is not known"
            )
        return SentinelStore(config, primary or 0, request.env)

    def url(self, role: str) -> str:
        return self.config.url(role)

    def processes(self) -> tuple[ProcessSpec, ...]:
        return (*map(self._server, range(SERVERS)), *map(self._sentinel, range(SENTINELS)))

    def write_files(self) -> None:
        config = self.config
        for number in range(SERVERS):
            config.server_folder(number).mkdir(parents=True, exist_ok=True)
            self._write_server_file(number, self.primary)
        for number in range(SENTINELS):
            config.sentinel_folder(number).mkdir(exist_ok=True)
            file = config.sentinel_folder(number) / "sentinel.conf"
            private_files.replace_file(file, config.sentinel_file(number, self.primary).encode())
        private_files.replace_file(config.folder / "users.acl", config.users.acl_file().encode())
        embedded_store.keep_topology(config.folder, Topology.SENTINEL)

    def form(self) -> None:
        pass

    def _server(self, number: int) -> ProcessSpec:
        port = self.config.servers[number]
        return embedded_store.server_process(
            f"valkey-{number + 1}",
            self.config.server_command(number),
            port,
            self.env,
            partial(asyncio.to_thread, replication.is_in_place, self._address(port)),
            partial(self._prepare_return, number),
        )

    def _sentinel(self, number: int) -> ProcessSpec:
        port = self.config.sentinels[number]
        return ProcessSpec(
            role=embedded_store.SENTINEL,
            name=f"sentinel-{number + 1}",
            command=tuple(self.config.sentinel_command(number)),
            env=self.env,
            port=port,
            is_ready=partial(asyncio.to_thread, replication.has_quorum, self._address(port)),
        )

    async def _prepare_return(self, number: int) -> str:
        """Wait for the failover, if the server was the primary, and configure it for the role that it has then."""
        await wait_for_failover(partial(asyncio.to_thread, self._outlook, number))
        named = await asyncio.to_thread(self._named_primary)
        self._write_server_file(number, number if named is None else named)
        if named is None or named == number:
            return "returns as the primary: no other server has taken its place"
        return f"returns as a replica of valkey-{named + 1}"

    def _outlook(self, number: int) -> Outlook:
        named = self._named_primary()
        if named is not None and named != number:
            return Outlook.OVER
        others = (port for other, port in enumerate(self.config.servers) if other != number)
        answering = any(replication.state_of(self._address(port)) for port in others)
        return Outlook.EXPECTED if answering else Outlook.IMPOSSIBLE

    def _named_primary(self) -> int | None:
        port = replication.named_primary(self._address(sentinel) for sentinel in self.config.sentinels)
        return self.config.servers.index(port) if port in self.config.servers else None

    def _write_server_file(self, number: int, primary: int) -> None:
        file = self.config.server_folder(number) / "valkey.conf"
        private_files.replace_file(file, self.config.server_file(number, primary).encode())

    def _address(self, port: int) -> Address:
        return self.config.users.operator_at(port)
