"""Ports of this machine: finding free ones, and naming the process that listens on a taken one."""

import errno
import random
import socket
from collections.abc import Callable, Collection

import psutil

from deploy.errors import USAGE, CommandError
from shared.runtime.settings import HIGHEST_PORT

LOOPBACK = "127.0.0.1"
OUTGOING = 32_768
"""The first port that Linux gives to outgoing connections. A server that is down for a moment finds its port free when
it is restarted, if the port is below."""
POOL = range(20_000, 27_000)
"""Ports that are below `OUTGOING` together with their bus ports (`valkey.cluster_port`)."""


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen there now. Raises `CommandError` if the host is not an address of this machine."""
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
    """The preferred port if it is free, or else any free port."""
    if 0 < preferred <= HIGHEST_PORT and is_free(preferred, host):
        return preferred
    for port in random.sample(POOL, 200):
        if is_free(port, host):
            return port
    raise CommandError(f"no free port was found on {host}")


def consecutive(
    first: int, count: int, besides: Collection[int] = (), second: Callable[[int], int] | None = None
) -> tuple[int, ...]:
    """`count` ports from `first` on; another free port in place of each one that is taken or in `besides`.

    With `second`, every server also needs the port that it computes from its first one."""
    given: list[int] = []
    taken = set(besides)
    for preferred in range(first, first + count):
        port = free_port(preferred)
        while taken & (needed := {port, second(port)} if second else {port}) or not all(map(is_free, needed)):
            port = free_port()
        given.append(port)
        taken |= needed
    return tuple(given)


def require_free(port: int, host: str, option: str) -> None:
    """Raise `CommandError` if the port is taken; the text names the process and the option that sets the port."""
    if not is_free(port, host):
        owner = listener(port) or "another program"
        raise CommandError(f"port {port} is taken by {owner}: stop it, or choose another port with {option}")


def listener(port: int) -> str | None:
    """The process that listens on the port, as `name (pid)`; None if it cannot be seen, such as another user's."""
    try:
        for connection in psutil.net_connections("tcp"):
            listening = connection.status == psutil.CONN_LISTEN and connection.laddr
            if listening and listening.port == port and connection.pid:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    except psutil.Error:
        pass
    return None
