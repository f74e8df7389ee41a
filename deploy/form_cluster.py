"""Forms a Cluster out of running servers: they meet, get slots and become replicas.

Every step looks first whether it is needed, so that it can be repeated at each start: servers that have got other
addresses meet again, and an empty server that replaces a lost one becomes a replica.

`python -m deploy.form_cluster` forms the servers in TAVOLATA_REDIS_URL, of which the first half get the slots of a new
Cluster. With `--keep FILE` it repeats that as long as it runs, and creates the file after the first time.
"""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from redis import RedisError, ResponseError

from deploy.errors import CommandError
from deploy.launcher import store
from shared.bus import cluster_nodes, store_address
from shared.bus.address import Address, BadUrl, TlsFiles
from shared.bus.cluster_nodes import ClusterNode
from shared.bus.store_address import ClusterAddress
from shared.runtime.settings import StoreSettings, from_env

SLOTS = 16_384
LIMIT_S = 60.0
POLL_S = 0.05
MEET_AGAIN_S = 2.0
KEEP_S = 10.0


class ClusterServer:
    """One server, and its view of the others."""

    def __init__(self, address: Address, tls: TlsFiles) -> None:
        self.address = address
        self._client = store.client_at(address, tls)

    def ask(self, *words: str) -> str:
        return str(self._client.execute_command("CLUSTER", *words))

    def view(self) -> list[ClusterNode]:
        return cluster_nodes.parse(self.ask("NODES"))

    def own(self) -> ClusterNode:
        return cluster_nodes.myself(self.view())

    def is_ready(self) -> bool:
        """Whether it accepts commands, and has the data of its primary if it is a replica."""
        replication = self._client.info("replication")
        return "cluster_state:ok" in self.ask("INFO") and replication.get("master_link_status", "up") == "up"

    def close(self) -> None:
        self._client.close()


def form(addresses: Sequence[Address], primaries: int, tls: TlsFiles = TlsFiles()) -> None:
    """Return when all servers know each other, all slots have a primary and every other server is a replica.

    The first `primaries` servers get the slots of a new Cluster. Raises `CommandError`.
    """
    servers = [ClusterServer(address, tls) for address in addresses]
    try:
        _give_slots(servers, primaries)
        _meet(servers)
        _until(lambda: _replicate(servers), LIMIT_S, "a server of the store does not become a replica")
        _until(lambda: all(server.is_ready() for server in servers), LIMIT_S, "the Cluster is not ready")
    except (RedisError, OSError) as error:
        raise CommandError(f"the Cluster cannot be formed: {error}") from None
    finally:
        for server in servers:
            server.close()


def _give_slots(servers: Sequence[ClusterServer], primaries: int) -> None:
    """Give slots to the servers of a new Cluster. In one that has served before, some server knows all of them."""
    views = [server.view() for server in servers]
    if max(_assigned(view) for view in views) == SLOTS:
        return
    for number, (server, view) in enumerate(zip(servers[:primaries], views, strict=False)):
        if not cluster_nodes.myself(view).slots:
            # Without epochs of their own, the servers would have to find out first that theirs are equal. The command
            # is refused if the server has met others.
            with suppress(ResponseError):
                server.ask("SET-CONFIG-EPOCH", str(number + 1))
            begin, end = number * SLOTS // primaries, (number + 1) * SLOTS // primaries - 1
            server.ask("ADDSLOTSRANGE", str(begin), str(end))


def _assigned(view: Iterable[ClusterNode]) -> int:
    found = 0
    for span in (span for node in view for span in node.slots):
        begin, _, end = span.partition("-")
        found += int(end or begin) - int(begin) + 1
    return found


def _meet(servers: Sequence[ClusterServer]) -> None:
    end = time.monotonic() + LIMIT_S
    while strangers := _strangers(servers):
        if time.monotonic() > end:
            raise CommandError(f"the servers of the store do not find each other within {LIMIT_S:g} s")
        for server, other, bus_port in strangers:
            host = socket.gethostbyname(other.address.host)  # the command takes no names
            server.ask("MEET", host, str(other.address.port), str(bus_port))
        with suppress(CommandError):
            _until(lambda: not _strangers(servers), MEET_AGAIN_S, "")


def _strangers(servers: Sequence[ClusterServer]) -> list[tuple[ClusterServer, ClusterServer, int]]:
    """Pairs of servers, the first of which has no connection to the second, with the bus port of the second."""
    views = {server: server.view() for server in servers}
    own = {server: cluster_nodes.myself(view) for server, view in views.items()}
    connected = {server: {node.id for node in view if node.is_met and node.linked} for server, view in views.items()}
    pairs = ((server, other) for server in servers for other in servers)
    return [(server, other, own[other].bus_port) for server, other in pairs if own[other].id not in connected[server]]


def _replicate(servers: Sequence[ClusterServer]) -> bool:
    """Whether no primary is without slots; makes each such server a replica of the primary that has the fewest."""
    own = {server: server.own() for server in servers}
    empty = [server for server, node in own.items() if node.is_primary and not node.slots]
    copied = [node.primary for node in own.values()]
    for server in empty:
        fewest = min((node.id for node in own.values() if node.slots), key=copied.count)
        server.ask("REPLICATE", fewest)
        copied.append(fewest)
    return not empty


def _until(holds: Callable[[], bool], limit_s: float, problem: str) -> None:
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            raise CommandError(f"{problem} within {limit_s:g} s")
        time.sleep(POLL_S)


def main(words: Sequence[str]) -> None:
    settings = from_env(StoreSettings, os.environ)
    tls = TlsFiles.named_in(settings)
    try:
        address = store_address.named_in(settings)
    except BadUrl as error:
        sys.exit(str(error))
    if not isinstance(address, ClusterAddress):
        sys.exit("TAVOLATA_REDIS_URL must begin with redis+cluster:// or rediss+cluster://")
    match words:
        case []:
            form(address.nodes, len(address.nodes) // 2, tls)
        case ["--keep", file]:
            _keep(address, tls, Path(file))
        case _:
            sys.exit("usage: python -m deploy.form_cluster [--keep FILE]")


def _keep(address: ClusterAddress, tls: TlsFiles, file: Path) -> None:
    while True:
        try:
            form(address.nodes, len(address.nodes) // 2, tls)
            file.touch()
        except CommandError as error:
            # A server that is down; the others go on, and there is nothing to do until it is back.
            print(error, file=sys.stderr, flush=True)
        time.sleep(KEEP_S)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except CommandError as error:
        sys.exit(str(error))
