"""Claims of player names in the store, and whether a claim that is in the way is stale."""

import asyncio

from gateway.cluster.room_directory import RoomDirectory
from shared.bus import directory
from shared.bus import player_names as name_claims
from shared.bus.keys import Keys
from shared.bus.player_names import Claimed, Taken
from shared.bus.registry import GATEWAYS
from shared.bus.store import Store, StoreError
from shared.ids import GatewayId, RoomId, SessionId, partition_of
from shared.name_rules import folded
from shared.room_events import LONG_TURN_MS
from shared.room_views import Listing

_ATTEMPTS = 3
_RETRY_S = 0.5


class PlayerNames:
    """One gateway's access to the name claims of the cluster. All methods but `release` raise `StoreError`."""

    def __init__(
        self, gateway: GatewayId, store: Store, partitions: tuple[Keys, ...], rooms: RoomDirectory, keep_ms: int
    ) -> None:
        self._store = store
        self._partitions = partitions
        self._rooms = rooms
        self._keep_ms = keep_ms
        self.live_gateways: frozenset[str] = frozenset((gateway,))
        """This gateway, and from the first reading of the registry on all that were in the last one."""

    async def claim(
        self,
        name: str,
        sid: SessionId,
        gateway: GatewayId,
        conn: int,
        *,
        token: bool = False,
        presented: bool = False,
    ) -> bool:
        """Claim the name for a session, under the gateway id and number of its connection, by which `release` finds
        the claim. If the session had another connection before, that one is closed.

        A client that has `presented` its token takes the name from a session without one, which keeps its seats and its
        connection. It does not take the name from a session that has a token, too: a client that has collected tokens
        for names could else take them from later players."""
        taken_from: SessionId | None = None
        wins = False
        for _ in range(_ATTEMPTS):
            result = await name_claims.claim(
                self._store, name, sid, gateway, conn, token=token, taken_from=taken_from, with_rooms=wins
            )
            if isinstance(result, Claimed):
                if result.gateway and (result.gateway, result.conn) != (gateway, conn):
                    name_claims.publish_replacement(self._store, result.gateway, sid, result.conn)
                return True
            wins = presented and not result.token
            if not wins and not await self._is_stale(name, result):
                return False
            taken_from = result.session
        return False

    async def take_over(self, name: str, sid: SessionId, gateway: GatewayId, conn: int) -> None:
        """Move the claim to a session that a room has given the name's seat to, with the rooms noted in it. The claim
        of a session with a token stays: the seat was lost by another player of this name."""
        result = await name_claims.claim(self._store, name, sid, gateway, conn)
        if isinstance(result, Taken) and not result.token:
            await name_claims.claim(self._store, name, sid, gateway, conn, taken_from=result.session, with_rooms=True)

    async def release(self, name: str, sid: SessionId, gateway: GatewayId, conn: int, *, keep: bool) -> None:
        """Release a claim. Retried until the store has confirmed it: otherwise an unused name would stay taken."""
        while True:
            try:
                keep_ms = self._keep_ms if keep else 0
                await name_claims.release(self._store, name, sid, gateway, conn, keep_ms)
                return
            except StoreError:
                await asyncio.sleep(_RETRY_S)

    async def noted_rooms(self, name: str) -> tuple[RoomId, ...]:
        """The rooms that the name was noted for, whether they still keep it or not."""
        return await name_claims.rooms(self._store, name)

    async def note(self, name: str, room: RoomId) -> None:
        await name_claims.note(self._store, name, room)

    async def forget(self, name: str, rooms: tuple[RoomId, ...]) -> None:
        await name_claims.forget(self._store, name, rooms)

    async def kept_rooms(self, name: str, rooms: tuple[RoomId, ...]) -> tuple[Listing | None, ...]:
        """The listing of each room that goes on and keeps the name; None for the others."""
        return tuple([await self._kept_room(name, room) for room in rooms])

    async def is_awaited(self, name: str, sid: SessionId) -> bool:
        """Whether a room with long turns keeps the name for this session."""
        if await name_claims.holder(self._store, name) != sid:
            return False
        listings = await self.kept_rooms(name, await self.noted_rooms(name))
        return any(listing is not None and listing.turn_ms > LONG_TURN_MS for listing in listings)

    async def _kept_room(self, name: str, room: RoomId) -> Listing | None:
        listing = self._rooms.get(room)
        if listing is None:
            partition = self._partitions[partition_of(room, len(self._partitions))]
            listing = await directory.get(self._store, partition, room)
        kept = listing is not None and folded(name) in map(folded, listing.names.values())
        return listing if kept else None

    async def _is_stale(self, name: str, claim: Taken) -> bool:
        """Whether the name is not in use any more: the claiming gateway is gone, and no room keeps the name."""
        if claim.gateway and await self._is_live(claim.gateway):
            return False
        if not claim.gateway and not claim.rooms:
            return False
        return not any(listing is not None for listing in await self.kept_rooms(name, claim.rooms))

    async def _is_live(self, gateway: GatewayId) -> bool:
        """A gateway that is missing in the last reading of the registry may have started since."""
        return gateway in self.live_gateways or gateway in (await GATEWAYS.members(self._store)).live
