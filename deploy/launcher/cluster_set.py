"""A Valkey Cluster on one machine: its servers and their configuration files. Does no IO.

The servers keep roles, slots and each other's addresses in `nodes.conf`. `form_cluster` gives them their first roles,
and makes them known to each other again after ports have changed.
"""

from dataclasses import dataclass
from pathlib import Path

from deploy.launcher import valkey
from deploy.launcher.ports import LOOPBACK
from deploy.launcher.sentinel_set import replication
from deploy.launcher.store_users import StoreUsers
from deploy.launcher.valkey import ValkeyConfig

PRIMARIES, REPLICAS = 3, 1
"""The servers that have slots at first, and the replicas of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSet:
    """The ports of the servers; all files are below `folder`."""

    folder: Path
    users: StoreUsers
    servers: tuple[int, ...]
    appendfsync: str = "always"
    maxmemory: int = 0
    down_after_ms: int = 2_000

    def url(self, role: str) -> str:
        servers = ",".join(f"{LOOPBACK}:{port}" for port in self.servers)
        return f"redis+cluster://{role}:{self.users.passwords[role]}@{servers}"

    def server_folder(self, number: int) -> Path:
        return self.folder / f"valkey-{number + 1}"

    def server_command(self, number: int) -> list[str]:
        return [str(valkey.binary()), str(self.server_folder(number) / "valkey.conf")]

    def server_file(self, number: int) -> str:
        config = ValkeyConfig(
            port=self.servers[number],
            directory=self.server_folder(number),
            appendfsync=self.appendfsync,
            maxmemory=self.maxmemory,
            cluster=True,
            node_timeout_ms=self.down_after_ms,
        )
        # The partitions of the other servers go on while one primary is missing.
        coverage = {"cluster-require-full-coverage": "no"}
        return valkey.file_text(valkey.options(config) | replication(self.folder, self.users) | coverage)
