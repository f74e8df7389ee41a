"""The reply to CLUSTER NODES, parsed: one line for each server, as one of them sees it. Does no IO."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A server of a Cluster."""

    id: str
    host: str
    port: int
    hostname: str
    """The name that the server announces besides its address; empty: none."""
    bus_port: int
    flags: frozenset[str]
    primary: str
    """The id of the server that it replicates; `-` if it is a primary."""
    linked: bool
    slots: tuple[str, ...]
    """Ranges, such as `0-5460`; slots that are being moved are left out."""

    @property
    def is_primary(self) -> bool:
        return "master" in self.flags

    @property
    def is_dead(self) -> bool:
        """Whether the majority of the primaries counts the server as dead. `fail?` is the opinion of one alone."""
        return "fail" in self.flags

    @property
    def is_met(self) -> bool:
        return not self.flags & {"handshake", "noaddr"}


def parse(text: str) -> list[ClusterNode]:
    return [_node(line) for line in text.splitlines() if line.strip()]


def myself(nodes: list[ClusterNode]) -> ClusterNode:
    return next(node for node in nodes if "myself" in node.flags)


def _node(line: str) -> ClusterNode:
    name, address, flags, primary, _, _, _, link, *slots = line.split()
    # host:port@bus-port[,hostname[,aux=value...]]
    where, _, rest = address.partition("@")
    bus_port, _, names = rest.partition(",")
    host, _, port = where.rpartition(":")
    return ClusterNode(
        id=name,
        host=host,
        port=int(port),
        hostname=names.partition(",")[0],
        bus_port=int(bus_port),
        flags=frozenset(flags.split(",")),
        primary=primary,
        linked=link == "connected",
        slots=tuple(slot for slot in slots if not slot.startswith("[")),
    )
