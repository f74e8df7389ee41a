"""A store with Sentinel on one machine: its servers, sentinels and their configuration files. Does no IO but reading
the files of an earlier start.

Sentinels and servers rewrite their files after a failover. The launcher writes all of them anew at each start of the
cluster, because ports may have changed, with the primary that the sentinels had agreed on last.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.launcher import valkey
from deploy.launcher.ports import LOOPBACK
from deploy.launcher.store_users import REPLICA, SENTINEL, StoreUsers
from deploy.launcher.valkey import ValkeyConfig

SERVICE = "tavolata"
"""The name of the monitored servers in the configuration of the sentinels."""
SERVERS, SENTINELS = 3, 3
_MONITOR = re.compile(rf"^sentinel monitor {SERVICE} \S+ (\d+) ", re.MULTILINE)
_EPOCH = re.compile(rf"^sentinel config-epoch {SERVICE} (\d+)", re.MULTILINE)
_PORT = re.compile(r'^port "?(\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelSet:
    """The ports of a primary, its replicas and the sentinels; all files are below `folder`."""

    folder: Path
    users: StoreUsers
    servers: tuple[int, ...]
    """Ports, as those of the sentinels."""
    sentinels: tuple[int, ...]
    appendfsync: str = "always"
    maxmemory: int = 0
    down_after_ms: int = 1_000
    failover_timeout_ms: int = 5_000

    def url(self, role: str) -> str:
        """A client's own password is one of those that sentinels accept for look-ups."""
        password = self.users.passwords[role]
        sentinels = ",".join(f"{LOOPBACK}:{port}" for port in self.sentinels)
        return f"redis+sentinel://{role}:{password}@{sentinels}/{SERVICE}?sentinel_password={password}"

    def server_folder(self, number: int) -> Path:
        return self.folder / f"valkey-{number + 1}"

    def sentinel_folder(self, number: int) -> Path:
        return self.folder / f"sentinel-{number + 1}"

    def server_command(self, number: int) -> list[str]:
        return [str(valkey.binary()), str(self.server_folder(number) / "valkey.conf")]

    def sentinel_command(self, number: int) -> list[str]:
        return [str(valkey.binary()), str(self.sentinel_folder(number) / "sentinel.conf"), "--sentinel"]

    def server_file(self, number: int, primary: int) -> str:
        """The configuration of a server while the server with the number `primary` is the primary."""
        config = ValkeyConfig(
            port=self.servers[number],
            directory=self.server_folder(number),
            appendfsync=self.appendfsync,
            maxmemory=self.maxmemory,
        )
        text = valkey.file_text(valkey.options(config) | replication(self.folder, self.users))
        return text if number == primary else f"{text}replicaof {LOOPBACK} {self.servers[primary]}\n"

    def sentinel_file(self, number: int, primary: int) -> str:
        """The configuration of a sentinel. It names all other servers and sentinels, so that none has to be found."""
        own = {"bind": LOOPBACK, "port": str(self.sentinels[number]), "dir": str(self.sentinel_folder(number))}
        return valkey.file_text(own) + "\n".join((*self._sentinel_users(), *self._monitoring(number, primary), ""))

    def _sentinel_users(self) -> Iterator[str]:
        yield self.users.sentinel_users()
        yield f"sentinel sentinel-user {SENTINEL}"
        yield f"sentinel sentinel-pass {self.users.passwords[SENTINEL]}"

    def _monitoring(self, number: int, primary: int) -> Iterator[str]:
        yield f"sentinel myid {self._id(number)}"
        yield f"sentinel monitor {SERVICE} {LOOPBACK} {self.servers[primary]} {len(self.sentinels) // 2 + 1}"
        yield f"sentinel auth-user {SERVICE} {SENTINEL}"
        yield f"sentinel auth-pass {SERVICE} {self.users.passwords[SENTINEL]}"
        yield f"sentinel down-after-milliseconds {SERVICE} {self.down_after_ms}"
        yield f"sentinel failover-timeout {SERVICE} {self.failover_timeout_ms}"
        # All replicas may copy the data of a new primary at once: no client reads from them.
        yield f"sentinel parallel-syncs {SERVICE} {len(self.servers)}"
        for other, port in enumerate(self.servers):
            if other != primary:
                yield f"sentinel known-replica {SERVICE} {LOOPBACK} {port}"
        for other, port in enumerate(self.sentinels):
            if other != number:
                yield f"sentinel known-sentinel {SERVICE} {LOOPBACK} {port} {self._id(other)}"

    def _id(self, number: int) -> str:
        return hashlib.sha1(str(self.sentinel_folder(number)).encode(), usedforsecurity=False).hexdigest()

    def last_primary(self) -> int | None:
        """The number of the server that was the primary when the set ran last: the one that the sentinel with the
        newest configuration names. None if the set never ran."""
        views = (_view(_read(file)) for file in self.folder.glob("sentinel-*/sentinel.conf"))
        _, port = max(views, default=(0, 0))
        ports = [_PORT.search(_read(self.server_folder(number) / "valkey.conf")) for number in range(len(self.servers))]
        found = [number for number, line in enumerate(ports) if line and int(line[1]) == port]
        return found[0] if found else None


def replication(folder: Path, users: StoreUsers) -> dict[str, str]:
    """The directives of a server that is part of a set: its users, and how it logs in at a primary."""
    return {
        "aclfile": str(folder / "users.acl"),
        "masteruser": REPLICA,
        "masterauth": users.passwords[REPLICA],
    }


def _view(text: str) -> tuple[int, int]:
    """The epoch of a sentinel's configuration and the port of its primary."""
    monitor, epoch = _MONITOR.search(text), _EPOCH.search(text)
    return int(epoch[1]) if epoch else 0, int(monitor[1]) if monitor else 0


def _read(file: Path) -> str:
    return file.read_text() if file.exists() else ""
