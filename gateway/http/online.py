"""Counts the clients of the cluster, and the spectators of a room, from the heartbeats of all gateways."""

import time
from collections.abc import Callable

import msgspec

from shared.bus.registry import GATEWAYS
from shared.bus.store import Store
from shared.ids import RoomId

_KEPT_S = 3.0
"""The store is asked no more often than this, however many pages are open."""


class GatewayAudience(msgspec.Struct, frozen=True):
    """The part of a gateway's heartbeat that is counted here."""

    connections: int = 0
    watched: dict[RoomId, int] = {}


_decode = msgspec.json.Decoder(GatewayAudience).decode


class OnlineCount:
    """The connections and spectators of all gateways, as their last heartbeats reported them."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._gateways: list[GatewayAudience] = []
        self._read_at = float("-inf")

    async def players(self) -> int:
        return sum(gateway.connections for gateway in await self._read())

    async def spectators(self, room: RoomId) -> int:
        return sum(gateway.watched.get(room, 0) for gateway in await self._read())

    async def _read(self) -> list[GatewayAudience]:
        if self._clock() - self._read_at >= _KEPT_S:
            self._read_at = self._clock()
            statuses = await GATEWAYS.status(self._store)
            self._gateways = [_decode(status) for status in statuses.values()]
        return self._gateways
