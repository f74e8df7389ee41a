"""The room directory: commits store it per partition, gateways read it and follow its changes through pub/sub."""

from collections.abc import Sequence

import msgspec

from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.store import Publication, RedisCommand, Store
from shared.ids import RoomId
from shared.room_views import Listing

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Listing).decode


class ListingChange(msgspec.Struct, frozen=True, array_like=True):
    """A new listing of a room; None: the room is removed from the directory."""

    room: RoomId
    listing: Listing | None = None


_decode_changes = msgspec.json.Decoder(tuple[ListingChange, ...]).decode


def storing(partition: Keys, changes: Sequence[ListingChange]) -> list[RedisCommand]:
    """The commands that store the changes."""
    return [
        ("HDEL", partition.directory, change.room)
        if change.listing is None
        else ("HSET", partition.directory, change.room, _encode(change.listing))
        for change in changes
    ]


def publishing(changes: Sequence[ListingChange]) -> Publication:
    """The message to all gateways."""
    return keys.LISTINGS, b",".join(_encode(change) for change in changes)


def changed(message: bytes) -> tuple[ListingChange, ...]:
    """The changes in a message."""
    return _decode_changes(message)


async def gather(store: Store, partitions: Sequence[Keys]) -> list[Listing]:
    """The listings of all rooms of these partitions."""
    replies = await store.pipe([("HVALS", partition.directory) for partition in partitions])
    return [_decode(value) for reply in replies for value in reply]


async def get(store: Store, partition: Keys, room: RoomId) -> Listing | None:
    value = await store.call("HGET", partition.directory, room)
    return None if value is None else _decode(value)
