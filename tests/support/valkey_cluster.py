"""A Cluster of three primaries with a replica each for tests. All methods block."""

from types import TracebackType
from typing import Self

from shared.bus.cluster_map import slot_of
from shared.bus.keys import SLOTS
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually

_FAST = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1", "--cluster-node-timeout", "1000")
PRIMARIES = 3


class ClusterServers:
    """Six nodes."""

    def __init__(self) -> None:
        self.servers = [ValkeyServer(cluster=True, alone=False, extra=_FAST) for _ in range(2 * PRIMARIES)]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self.servers)

    def serving(self, key: str) -> ValkeyServer:
        """The node that serves a key, as the first running node sees it."""
        slot = slot_of(key)
        for first, last, primary, *_ in self._any().ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return self._at(int(primary[1]))
        raise AssertionError(f"no node serves slot {slot}")

    def primaries(self) -> list[ValkeyServer]:
        ports = sorted({int(one[2][1]) for one in self._any().ask("CLUSTER", "SLOTS")})
        return [self._at(port) for port in ports]

    def kill_one(self, number: int = 0) -> ValkeyServer:
        """Kill a primary."""
        primaries = self.primaries()
        killed = primaries[number % len(primaries)]
        killed.kill()
        return killed

    def fail_over(self, key: str) -> ValkeyServer:
        """Kill the node that serves a key, and wait until its replica does; the one that was killed."""
        killed = self.serving(key)
        killed.kill()
        eventually(lambda: self.serving(key) is not killed and self.healthy(), "the replica is promoted")
        return killed

    def move(self, key: str) -> ValkeyServer:
        """Move the slot of a key, key by key, to the next primary, which is returned."""
        source = self.serving(key)
        target = next(server for server in self.primaries() if server is not source)
        slot = str(slot_of(key))
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", _id(source))
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", _id(target))
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, "10"):
            names = [one.decode() for one in keys]
            source.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "5000", "KEYS", *names)
        for server in dict.fromkeys((target, source, *self.primaries())):
            server.ask("CLUSTER", "SETSLOT", slot, "NODE", _id(target))
        return target

    def heal(self) -> None:
        """Bring back what was killed; a node joins as the replica of the node that has replaced it."""
        for server in self.servers:
            if not server.running:
                server.restart()
        eventually(self.complete, "all nodes are back", 60)

    def healthy(self) -> bool:
        running = [server for server in self.servers if server.running]
        return all(b"cluster_state:ok" in server.ask("CLUSTER", "INFO") for server in running)

    def complete(self) -> bool:
        return self.healthy() and all(
            str(server.ask("INFO", "replication")).count("state=online") == 1 for server in self.primaries()
        )

    def __enter__(self) -> Self:
        for server in self.servers:
            server.start()
        primaries, replicas = self.servers[:PRIMARIES], self.servers[PRIMARIES:]
        for number, server in enumerate(primaries):
            first, end = number * SLOTS // PRIMARIES, (number + 1) * SLOTS // PRIMARIES
            server.ask("CLUSTER", "ADDSLOTSRANGE", str(first), str(end - 1))
            server.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        for server in self.servers[1:]:
            bus = str(self.servers[0].config.cluster_port)
            server.ask("CLUSTER", "MEET", "127.0.0.1", str(self.servers[0].port), bus)
        eventually(lambda: all(_knows_all(server) for server in self.servers), "all nodes know each other")
        for primary, replica in zip(primaries, replicas, strict=True):
            replica.ask("CLUSTER", "REPLICATE", _id(primary))
        eventually(self.complete, "the Cluster is complete")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self.servers:
            server.close()

    def _any(self) -> ValkeyServer:
        return next(server for server in self.servers if server.running)

    def _at(self, port: int) -> ValkeyServer:
        return next(server for server in self.servers if server.port == port)


def _id(server: ValkeyServer) -> str:
    return str(server.ask("CLUSTER", "MYID").decode())


def _knows_all(server: ValkeyServer) -> bool:
    return f"cluster_known_nodes:{2 * PRIMARIES}".encode() in server.ask("CLUSTER", "INFO")
