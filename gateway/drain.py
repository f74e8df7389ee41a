"""The drain of a gateway: ask its clients to come back, let games end that cannot move, unregister."""

import asyncio
import logging
from collections.abc import Callable

import msgspec

from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.identity import GatewayIdentity
from gateway.cluster.load_sharing import GatewayLoad
from gateway.connection import Connection
from gateway.connections import Connections
from shared.bus.registry import GATEWAYS
from shared.bus.store import Store, StoreError
from shared.runtime.events import set_within
from shared.runtime.settings import GatewaySettings

log = logging.getLogger("tavolata.gateway")

_decode_load = msgspec.json.Decoder(GatewayLoad).decode
_WAVE_S = 0.1
_GAMES_CHECK_S = 0.5
_ALONE_S = 3.0
"""Time without another ready gateway after which a gateway that stops does not wait for games any more."""
_DRAIN_END_S = 2.0
"""Time for the last sockets to close and for the last commands to be answered."""


class Drain:
    """The end of one gateway. Its other loops go on meanwhile: the lease must last that long."""

    def __init__(
        self,
        settings: GatewaySettings,
        identity: GatewayIdentity,
        store: Store,
        connections: Connections,
        outbox: CommandOutbox,
        clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._store = store
        self._connections = connections
        self._outbox = outbox
        self._clock = clock
        self._hurry = asyncio.Event()

    def hurry(self) -> None:
        """Do not wait for games, or not any longer."""
        self._hurry.set()

    async def run(self) -> None:
        """Ask all clients to come back, in waves; those that cannot resume once their games are over. Then wait for the
        last commands to be answered, and unregister."""
        self._connections.accepting = False
        in_games = set(self._connections.in_games())
        await self._close_in_waves([one for one in self._connections if one not in in_games])
        await self._wait_for_games()
        await self._close_in_waves(list(self._connections))
        deadline = self._clock() + _DRAIN_END_S
        while (len(self._connections) or len(self._outbox)) and self._clock() < deadline:
            await asyncio.sleep(0.02)
        try:
            await GATEWAYS.unregister(self._store, self._identity.id)
        except StoreError as error:
            log.warning("cannot unregister gateway %s, its lease will expire: %s", self._identity.id, error)

    async def _close_in_waves(self, some: list[Connection]) -> None:
        if some:
            log.info("gateway %s closes %d connections", self._identity.id, len(some))
        waves = max(1, self._settings.drain_ms // 100)
        size = max(1, -(-len(some) // waves))
        for first in range(0, len(some), size):
            self._connections.close_for_restart(some[first : first + size])
            await asyncio.sleep(_WAVE_S)

    async def _wait_for_games(self) -> None:
        """Wait for the games of clients that cannot resume, as long as another gateway takes the new ones."""
        begun = another_ready = self._clock()
        while not self._hurry.is_set() and self._clock() < begun + self._settings.drain_games_ms / 1_000:
            in_games = set(self._connections.in_games())
            self._connections.close_for_restart([one for one in self._connections if one not in in_games])
            if await self._another_is_ready():
                another_ready = self._clock()
            # A gateway that has just become ready reports that with its next heartbeat.
            if not in_games or self._clock() - another_ready > _ALONE_S:
                return
            await set_within(self._hurry, _GAMES_CHECK_S)

    async def _another_is_ready(self) -> bool:
        try:
            statuses = await GATEWAYS.live_status(self._store)
        except StoreError as error:
            log.info("gateway %s cannot read which others are ready: %s", self._identity.id, error)
            return True
        loads = [_decode_load(body) for gateway, body in statuses.items() if gateway != self._identity.id]
        return any(not load.draining and not load.unready for load in loads)
