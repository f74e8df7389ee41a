"""This gateway's id in the cluster, and the source of all other ids and random numbers."""

import itertools
import secrets
from typing import Protocol

from shared.ids import GatewayId, SessionId, TraceId


class IdSource(Protocol):
    """The source of new ids and seeds. A simulation draws them from its own seed."""

    def new_gateway(self) -> GatewayId: ...
    def new_session(self) -> SessionId: ...
    def draw(self, limit: int) -> int:
        """An unpredictable number from 0 up to but not including the limit."""


class RandomIds:
    """Ids that cannot be guessed, from the operating system's random numbers."""

    def new_gateway(self) -> GatewayId:
        return GatewayId(f"g-{secrets.token_hex(4)}")

    def new_session(self) -> SessionId:
        return SessionId(f"s-{secrets.token_hex(8)}")

    def draw(self, limit: int) -> int:
        return secrets.randbelow(limit)


class GatewayIdentity:
    """The id of this gateway in the registry, in rooms and in name claims. It is replaced when the lease was lost."""

    def __init__(self, gateway: GatewayId) -> None:
        self.id = gateway
        self._trace_prefix = gateway.removeprefix("g-")
        self._traces = itertools.count(1)

    def new_trace(self) -> TraceId:
        return TraceId(f"{self._trace_prefix}-{next(self._traces)}")
