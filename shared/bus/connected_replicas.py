"""The replicas of a primary that writes wait for. Does no IO."""

from typing import Any

SLOW_REPLICA_S = 5.0
"""Time for which writes do not wait for a replica that has not kept up."""


class ConnectedReplicas:
    """The replicas of the server that a connection leads to.

    A replica that is promoted while its primary still answers (by an operator, or after the primary stood still) leaves
    the primary. Another replica may go on confirming what the promoted one will never have. So a write waits for all
    connected replicas; one that only some of them confirm counts if the Sentinels report no failover after that."""

    __slots__ = ("_connected", "_some_until")

    def __init__(self) -> None:
        self._connected: frozenset[bytes] | None = None
        """The replicas at the last write that counted; unknown before the first one."""
        self._some_until = 0.0

    def wanted(self, least: int, now: float) -> int:
        """The number of replicas to wait for."""
        return max(least, len(self._connected or ())) if now >= self._some_until else least

    def all_have(self, known: int, role: Any) -> bool:
        """Whether no replica has left since the last write, and all that are connected have confirmed this one."""
        connected = _connected(role)
        return self._connected is not None and self._connected <= connected and known >= len(connected)

    def confirmed(self, known: int, wanted: int, role: Any, now: float) -> None:
        """Follow the replies to WAIT and ROLE for a write that counts. While a replica does not keep up, writes do not
        wait for it."""
        if known < wanted:
            self._some_until = now + SLOW_REPLICA_S
        self._connected = _connected(role)


def _connected(role: Any) -> frozenset[bytes]:
    """The addresses of the connected replicas in the reply to ROLE."""
    if isinstance(role, Exception) or role[0] != b"master":
        return frozenset()
    return frozenset(host + b":" + port for host, port, _ in role[2])
