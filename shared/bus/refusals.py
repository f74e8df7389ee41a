"""Error replies of the store, by what they mean for the command: docs/replication.md has the table.

Only `OTHER` may have had an effect, namely that of a script which failed between two of its writes. All other refusals
are given before a command begins, so that it can be sent again.
"""

from enum import StrEnum


class RefusalKind(StrEnum):
    """The first word of an error reply."""

    MOVED = "MOVED"
    """Another node of the Cluster serves the slot."""
    ASK = "ASK"
    """The slot is being moved, and its new node already has the key, or the key is new."""
    TRYAGAIN = "TRYAGAIN"
    """The slot is being moved, and only some of the command's keys are here."""
    CLUSTERDOWN = "CLUSTERDOWN"
    """No node serves the slot, or the node is cut off from most others."""
    LOADING = "LOADING"
    """The server reads its data from disk."""
    MASTERDOWN = "MASTERDOWN"
    """The server is a replica that has lost its primary."""
    READONLY = "READONLY"
    """The server is a replica: a failover has taken place."""
    NOREPLICAS = "NOREPLICAS"
    """The primary has fewer replicas than its `min-replicas-to-write`."""
    NOSCRIPT = "NOSCRIPT"
    """The server does not have the script."""
    UNBLOCKED = "UNBLOCKED"
    """A read was broken off, because the server has become a replica."""
    OOM = "OOM"
    """The store has no memory left."""
    OTHER = ""


_WORDS = {refusal.value: refusal for refusal in RefusalKind if refusal is not RefusalKind.OTHER}


def refusal(error: str) -> RefusalKind:
    """The meaning of an error reply."""
    return _WORDS.get(error.partition(" ")[0], RefusalKind.OTHER)


def redirection(error: str) -> tuple[int, str, int]:
    """The slot, host and port that a MOVED or ASK names. The host is empty if it is that of the refusing node."""
    _, slot, place = error.split(" ")[:3]
    host, _, port = place.rpartition(":")
    return int(slot), host.strip("[]"), int(port)
