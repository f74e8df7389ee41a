"""Ports of this machine: which are free, and who has the others."""

import errno
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path

from deploy.errors import USAGE, CommandError

LOOPBACK = "127.0.0.1"
HIGHEST = 65_535
# Below the range from which systems take the ports of outgoing connections, so that a server
# which is down for a moment finds its port free when it comes back.
POOL = range(20_000, 32_000)
LISTENING = "0A"


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen there now. Raises `Trouble` for a host that is not of this machine."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror:
        raise CommandError(f"{host} is not an address: correct --host", USAGE) from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            match error.errno:
                case errno.EADDRINUSE:
                    return False
                case errno.EACCES:
                    raise CommandError(
                        f"port {port} is for privileged users: choose one above 1023 with --port"
                    ) from None
                case _:
                    raise CommandError(f"cannot listen on {host}, port {port}: {error.strerror}", USAGE) from None
        return True


def free_port(preferred: int = 0, host: str = LOOPBACK) -> int:
    """The preferred port if it is free, else any that is."""
    if 0 < preferred <= HIGHEST and is_free(preferred, host):
        return preferred
    for port in random.sample(POOL, 200):
        if is_free(port, host):
            return port
    raise CommandError(f"no free port was found on {host}")


def demand(port: int, host: str, option: str) -> None:
    """Raise `Trouble` unless the port is free."""
    if not is_free(port, host):
        holder = listener(port) or "another program"
        raise CommandError(f"port {port} is taken by {holder}: stop it, or choose another port with {option}")


def listener(port: int) -> str | None:
    """Who listens there, as `name (pid)`; None if it cannot be seen (another user's process, or not Linux)."""
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    if not sockets:
        return None
    for process in Path("/proc").glob("[0-9]*"):
        if sockets & _open_files(process):
            try:
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
            except OSError:
                return None
    return None


def _listening_inodes(port: int) -> Iterator[str]:
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        if table.exists():
            for line in table.read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                    yield words[9]


def _open_files(process: Path) -> set[str]:
    try:
        with os.scandir(process / "fd") as entries:
            return {os.readlink(entry.path) for entry in entries}
    except OSError:
        return set()
