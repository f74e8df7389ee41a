"""Claims of player names: a name is unique over the cluster while in use. A claim names a connection, or rooms.

Claims are not renewed. Before a session gets a taken name, its gateway checks whether the claiming gateway is alive and
whether a room keeps the name; if neither, the claim is stale and is taken over.
"""

from dataclasses import dataclass

import msgspec

from shared.bus import keys
from shared.bus.scripts import script
from shared.bus.store import Store
from shared.deliveries import SessionReplaced
from shared.ids import GatewayId, RoomId, SessionId


@dataclass(frozen=True, slots=True)
class Claimed:
    """The session has the name. Before, it was at this gateway and connection; both are empty if it was at none."""

    gateway: GatewayId
    conn: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Another session has the name."""

    session: SessionId
    gateway: GatewayId
    rooms: tuple[RoomId, ...]
    token: bool = False
    """The holder can prove its claim with a token."""


async def claim(
    store: Store,
    name: str,
    session: SessionId,
    gateway: GatewayId,
    conn: int,
    *,
    token: bool = False,
    taken_from: SessionId | None = None,
    with_rooms: bool = False,
) -> Claimed | Taken:
    """Claim a name, or take it from the session `taken_from`. `with_rooms` also takes over the rooms noted in the
    claim: for a player who has come back by name. `token`: the session can prove the claim with a token."""
    arguments = (session, gateway, conn, taken_from or "", int(with_rooms), int(token))
    done, *rest = await store.call(*script("claim", (keys.name(name),), arguments))
    if done:
        return Claimed(GatewayId(rest[0].decode()), int(rest[1] or 0))
    holder, its_gateway, its_token, *noted = rest
    rooms = tuple(RoomId(int(room)) for room in noted)
    return Taken(SessionId(holder.decode()), GatewayId(its_gateway.decode()), rooms, bool(its_token))


async def release(store: Store, name: str, session: SessionId, gateway: GatewayId, conn: int, keep_ms: int) -> None:
    """Release the claim of a connection. A name that rooms keep stays claimed; others are reserved for `keep_ms`."""
    await store.call(*script("unclaim", (keys.name(name),), (session, gateway, conn, keep_ms)))


async def holder(store: Store, name: str) -> SessionId | None:
    """The session that has the name."""
    found = await store.call("HGET", keys.name(name), "session")
    return None if found is None else SessionId(found.decode())


async def rooms(store: Store, name: str) -> tuple[RoomId, ...]:
    """The rooms that the name was noted for."""
    return tuple(RoomId(int(field[2:])) for field in await store.call("HKEYS", keys.name(name)) if field[:2] == b"r:")


async def note(store: Store, name: str, room: RoomId) -> None:
    """Note that the player of this name is about to take a seat in a room."""
    await store.call("HSET", keys.name(name), f"r:{room}", 1)


async def forget(store: Store, name: str, gone: tuple[RoomId, ...]) -> None:
    """Remove the notes of rooms that do not keep the name."""
    if gone:
        await store.call("HDEL", keys.name(name), *(f"r:{room}" for room in gone))


def publish_replacement(store: Store, gateway: GatewayId, session: SessionId, conn: int) -> None:
    """Ask a gateway to close a connection: its session has a newer one. If the message is lost, the older connection
    stays open and is served until it closes; commands of both are deduplicated by the same session id."""
    store.cast((("PUBLISH", keys.control(gateway), msgspec.json.encode(SessionReplaced(session, conn))),))
