"""Counts the clients that are connected to the cluster, for the lobby."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from shared.bus.registry import GATEWAYS
from shared.bus.store import Store

_KEPT_S = 3.0
"""The store is asked no more often than this, however many lobbies are open."""
_decode_status = msgspec.json.Decoder(dict[str, Any]).decode


class OnlineCount:
    """The connections of all gateways, as their last heartbeats reported them."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._count = 0
        self._read_at = float("-inf")

    async def read(self) -> int:
        if self._clock() - self._read_at >= _KEPT_S:
            self._read_at = self._clock()
            statuses = await GATEWAYS.status(self._store)
            self._count = sum(int(_decode_status(status).get("connections", 0)) for status in statuses.values())
        return self._count
