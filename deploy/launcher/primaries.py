"""The servers of a store that hold its data: one, the primary that Sentinels name, or all primaries of a Cluster."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from redis import Redis, RedisCluster, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from deploy.errors import CommandError
from shared.bus import cluster_nodes
from shared.bus.address import Address, TlsFiles
from shared.bus.store_address import ClusterAddress, SentinelAddress, StoreAddress

_LIMIT_S = 60.0
"""Time for one reply: large values take a while."""


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """A store, and the files with which its servers are reached over TLS. Clients have bytes as keys and values; they
    are not typed, because redis-py types replies for its asyncio client, too."""

    address: StoreAddress
    tls: TlsFiles = TlsFiles()

    def primaries(self) -> list[Address]:
        """Raises `CommandError`."""
        match self.address:
            case Address():
                return [self.address]
            case SentinelAddress():
                return [self._named_by_sentinels(self.address)]
            case ClusterAddress():
                return self._of_cluster(self.address)

    def client_of(self, server: Address) -> Any:
        if server.path:
            return Redis(unix_socket_path=server.path, **self._options(server))
        return Redis(host=server.host, port=server.port, db=server.db, **self._options(server))

    def writer(self) -> Any:
        """A client that takes every key. Raises `CommandError`."""
        if not isinstance(self.address, ClusterAddress):
            return self.client_of(self.primaries()[0])
        live = self.primaries()[0]
        return RedisCluster(host=live.host, port=live.port, **self._options(live))

    def _options(self, server: Address) -> dict[str, Any]:
        login = {"username": server.username or None, "password": server.password or None}
        limits = {"socket_timeout": _LIMIT_S, "retry": Retry(NoBackoff(), 0)}
        files = {"ssl_ca_certs": self.tls.ca, "ssl_certfile": self.tls.cert, "ssl_keyfile": self.tls.key}
        used = {"ssl": True, **{name: path for name, path in files.items() if path}} if server.tls else {}
        return {**login, **limits, **used}

    def _named_by_sentinels(self, store: SentinelAddress) -> Address:
        for sentinel in store.sentinels:
            with suppress(RedisError, OSError), self.client_of(sentinel) as client:
                client.response_callbacks.clear()  # redis-py would change the reply
                found = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", store.service)
                if found:
                    return store.at(found[0].decode(), int(found[1]))
        raise CommandError(f"no Sentinel names a primary of {store}")

    def _of_cluster(self, store: ClusterAddress) -> list[Address]:
        for server in store.nodes:
            with suppress(RedisError, OSError), self.client_of(server) as client:
                client.response_callbacks.clear()  # redis-py would parse the reply into dictionaries
                nodes = cluster_nodes.parse(client.execute_command("CLUSTER", "NODES").decode())
                owners = [node for node in nodes if node.is_primary and node.slots]
                return [store.at(node.host or server.host, node.port) for node in owners]
        raise CommandError(f"no node of the Cluster at {store} answers")
