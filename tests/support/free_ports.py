"""Free ports for the servers of tests: every test process takes them from a block of its own.

A server that a test has killed finds its port free when it is restarted, because no other test process uses it.
"""

import random
import socket
from collections.abc import Iterator
from functools import cache
from itertools import cycle

from deploy.launcher.ports import LOOPBACK, is_free
from deploy.launcher.valkey import cluster_port

SIZE = 500
FIRST_PORTS: list[int] = [*range(12_000, 17_000, SIZE), *range(22_000, 27_000, SIZE)]
"""The blocks. A server of a Cluster also needs its bus port, 5000 above its port: no block contains bus ports of
another one, and all of them are below the ports of outgoing connections."""
DERIVED = 320
"""`tavolata up` takes ports up to this distance from the one that it is given."""
_owners: list[socket.socket] = []


def free_port() -> int:
    """A port that is free together with its bus port. It is not given again before all others of the block."""
    return next(port for port in _block() if is_free(port) and is_free(cluster_port(port)))


def free_span(size: int) -> int:
    """The first of `size` consecutive free ports, to be given to `tavolata up`."""
    first = free_port()
    while first % SIZE + DERIVED >= SIZE or not all(is_free(first + number) for number in range(size)):
        first = free_port()
    for _ in range(size - 1):
        next(_block())
    return first


@cache
def _block() -> Iterator[int]:
    """The ports of this process's block, again and again."""
    first = _take_block()
    return cycle(range(first + 1, first + SIZE))


def _take_block() -> int:
    """The first port of a block. A process listens there to own the block until it ends."""
    for first in FIRST_PORTS:
        try:
            _owners.append(socket.create_server((LOOPBACK, first)))
        except OSError:
            continue
        return first
    return random.choice(FIRST_PORTS)  # more processes than blocks: some share one
