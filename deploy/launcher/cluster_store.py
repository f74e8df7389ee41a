"""The embedded store as a Cluster: three primaries with a replica each."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from redis import RedisError

from deploy import form_cluster
from deploy.launcher import embedded_store, ports, private_files, store, valkey
from deploy.launcher.cluster_set import PRIMARIES, REPLICAS, ClusterSet
from deploy.launcher.embedded_store import StoreRequest, Topology
from deploy.launcher.failovers import Outlook, wait_for_failover
from deploy.launcher.process import ProcessSpec
from deploy.launcher.store_users import StoreUsers
from shared.bus import cluster_nodes
from shared.bus.address import Address
from shared.bus.cluster_nodes import ClusterNode

SERVERS = PRIMARIES * (1 + REPLICAS)


@dataclass(frozen=True, slots=True)
class ClusterStore:
    config: ClusterSet
    env: Mapping[str, str]

    @staticmethod
    def planned(request: StoreRequest) -> "ClusterStore":
        config = ClusterSet(
            folder=request.folder,
            users=StoreUsers.kept_in(request.folder / "users.acl"),
            servers=ports.consecutive(request.port, SERVERS, second=valkey.cluster_port),
            appendfsync=request.appendfsync,
            maxmemory=request.maxmemory,
            # A server of a Cluster is asked only twice within that time, and a sentinel asks every second.
            down_after_ms=2 * request.down_after_ms,
        )
        return ClusterStore(config, request.env)

    def url(self, role: str) -> str:
        return self.config.url(role)

    def processes(self) -> tuple[ProcessSpec, ...]:
        return tuple(map(self._server, range(SERVERS)))

    def write_files(self) -> None:
        config = self.config
        for number in range(SERVERS):
            config.server_folder(number).mkdir(parents=True, exist_ok=True)
            file = config.server_folder(number) / "valkey.conf"
            private_files.replace_file(file, config.server_file(number).encode())
        private_files.replace_file(config.folder / "users.acl", config.users.acl_file().encode())
        embedded_store.keep_topology(config.folder, Topology.CLUSTER)

    def form(self) -> None:
        form_cluster.form([self._address(port) for port in self.config.servers], PRIMARIES)

    def _server(self, number: int) -> ProcessSpec:
        port = self.config.servers[number]
        return embedded_store.server_process(
            f"valkey-{number + 1}",
            self.config.server_command(number),
            port,
            self.env,
            partial(asyncio.to_thread, store.answers_at, self._address(port)),
            partial(self._prepare_return, port),
        )

    async def _prepare_return(self, port: int) -> str:
        """Wait for the failover, if the server was a primary. It gets its role from the others when it is back."""
        await wait_for_failover(partial(asyncio.to_thread, self._outlook, port))
        return "returns"

    def _outlook(self, port: int) -> Outlook:
        return outlook(port, [view for view in self._views(port) if view])

    def _views(self, port: int) -> Iterator[list[ClusterNode]]:
        """CLUSTER NODES of every other server that answers."""
        for other in self.config.servers:
            if other != port:
                try:
                    with store.client_at(self._address(other)) as client:
                        yield cluster_nodes.parse(client.execute_command("CLUSTER", "NODES"))
                except (RedisError, OSError):
                    continue

    def _address(self, port: int) -> Address:
        return self.config.users.operator_at(port)


def outlook(port: int, views: list[list[ClusterNode]]) -> Outlook:
    """The outlook for the server at a port. It is still a primary if one of the others says so in its view."""
    for view in views:
        server = next((node for node in view if node.port == port), None)
        if server is None or not server.slots:
            continue
        replicas = [node for node in view if node.primary == server.id]
        if replicas and not all(replica.is_dead for replica in replicas):
            return Outlook.EXPECTED
        return Outlook.IMPOSSIBLE
    return Outlook.OVER
