"""Who may use which name: claims in the store, and whether a claim that is in the way still means anything."""

from unicodedata import bidirectional, category

from gateway.desk import Desk
from shared.bus import directory
from shared.bus import player_names as name_claims
from shared.bus.player_names import Claimed, Taken
from shared.bus.registry import GATEWAYS
from shared.ids import GatewayId, RoomId, SessionId, partition_of
from shared.room_views import Listing

MOST_CHARACTERS = 32
_TRIES = 3
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
"""Kinds of characters that end lines or mean something to terminals, or that are no characters alone."""
_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""What changes the direction of writing, also of what stands behind the name."""


def is_good(name: str) -> bool:
    return (
        1 <= len(name) <= MOST_CHARACTERS
        and any(character.isprintable() and not character.isspace() for character in name)
        and not any(category(character) in _CONTROLS or bidirectional(character) in _TURNS for character in name)
    )


async def claim(desk: Desk, name: str, sid: SessionId, conn: int) -> bool:
    """Take the name for a session. Where the session was attended to before, that connection is told to close."""
    taken_from: SessionId | None = None
    for _ in range(_TRIES):
        answer = await name_claims.claim(desk.store, name, sid, desk.gateway, conn, taken_from=taken_from)
        if isinstance(answer, Claimed):
            if answer.gateway and (answer.gateway, answer.conn) != (desk.gateway, conn):
                desk.tell_replaced(answer.gateway, sid, answer.conn)
            return True
        if not await _stale(desk, name, answer):
            return False
        taken_from = answer.session
    return False


async def take_over(desk: Desk, name: str, sid: SessionId, conn: int) -> None:
    """A room has given the name's seat to this session: the claim follows."""
    answer = await name_claims.claim(desk.store, name, sid, desk.gateway, conn)
    if isinstance(answer, Taken):
        await name_claims.claim(desk.store, name, sid, desk.gateway, conn, taken_from=answer.session, with_rooms=True)


async def keeps(desk: Desk, room: RoomId, name: str) -> Listing | None:
    """The room, if it is going on and keeps the name."""
    listing = desk.rooms.get(room)
    if listing is None:
        listing = await directory.get(desk.store, desk.partitions[partition_of(room, len(desk.partitions))], room)
    return listing if listing is not None and name in listing.names.values() else None


async def rooms_of(desk: Desk, name: str) -> tuple[tuple[RoomId, ...], tuple[RoomId, ...]]:
    """The rooms that keep the name, and those that it was noted for but that do not."""
    noted = await name_claims.rooms(desk.store, name)
    kept = tuple([room for room in noted if await keeps(desk, room, name) is not None])
    return kept, tuple(room for room in noted if room not in kept)


async def _stale(desk: Desk, name: str, claim: Taken) -> bool:
    """Whether nobody uses the name any more: its gateway is dead, and no room keeps it."""
    if claim.gateway and await _lives(desk, claim.gateway):
        return False
    if not claim.gateway and not claim.rooms:
        return False
    return not [room for room in claim.rooms if await keeps(desk, room, name) is not None]


async def _lives(desk: Desk, gateway: GatewayId) -> bool:
    """One that we do not know of may have come a moment ago."""
    return gateway in desk.live_gateways or gateway in (await GATEWAYS.members(desk.store)).live
