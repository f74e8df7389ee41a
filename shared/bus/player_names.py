"""Names are unique over the cluster while in use. A claim points to where the truth is: a live connection, or rooms.

Claims are not renewed. Whoever wants a taken name looks whether the holder's gateway lives and whether a room really
keeps the name; if neither, the claim is stale and is taken over.
"""

from dataclasses import dataclass

from shared.bus import keys
from shared.bus.scripts import script
from shared.bus.store import Store
from shared.ids import GatewayId, RoomId, SessionId


@dataclass(frozen=True, slots=True)
class Claimed:
    """The name is the session's; it was attended to at this gateway and connection before, if at any."""

    gateway: GatewayId
    conn: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Somebody else has the name."""

    session: SessionId
    gateway: GatewayId
    rooms: tuple[RoomId, ...]


async def claim(
    store: Store,
    name: str,
    session: SessionId,
    gateway: GatewayId,
    conn: int,
    *,
    taken_from: SessionId | None = None,
    with_rooms: bool = False,
) -> Claimed | Taken:
    """Whoever takes a name from another session takes over its rooms too if told so: for a player who came back."""
    arguments = (session, gateway, conn, taken_from or "", int(with_rooms))
    done, *rest = await store.call(*script("claim", (keys.name(name),), arguments))
    if done:
        return Claimed(GatewayId(rest[0].decode()), int(rest[1] or 0))
    return Taken(
        SessionId(rest[0].decode()), GatewayId(rest[1].decode()), tuple(RoomId(int(room)) for room in rest[2:])
    )


async def let_go(store: Store, name: str, session: SessionId, gateway: GatewayId, conn: int, keep_ms: int) -> None:
    """The connection is gone. Rooms that keep the name go on doing so; else it is kept for a time."""
    await store.call(*script("unclaim", (keys.name(name),), (session, gateway, conn, keep_ms)))


async def rooms(store: Store, name: str) -> tuple[RoomId, ...]:
    """The rooms that the name was noted down for."""
    return tuple(RoomId(int(field[2:])) for field in await store.call("HKEYS", keys.name(name)) if field[:2] == b"r:")


async def note(store: Store, name: str, room: RoomId) -> None:
    """The player of this name is about to take a seat there."""
    await store.call("HSET", keys.name(name), f"r:{room}", 1)


async def forget(store: Store, name: str, gone: tuple[RoomId, ...]) -> None:
    """These rooms keep the name no more."""
    if gone:
        await store.call("HDEL", keys.name(name), *(f"r:{room}" for room in gone))
