"""The list of rooms."""

import msgspec

from shared.bus import directory, keys
from shared.bus.directory import ListingChange
from shared.bus.store import Store
from shared.ids import (
    RoomId,
    Seat,
)
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.bus import ROOM, P

LISTING = Listing(ROOM, "stones", 2, RoomStatus.WAITING, {Seat(0): "ada"}, free=1, created_ms=5)


async def test_a_changed_room_is_listed(store: Store) -> None:
    await store.pipe(directory.storing(P, [ListingChange(ROOM, LISTING)]))
    assert await directory.get(store, P, ROOM) == LISTING


async def test_a_room_that_is_over_is_not_listed(store: Store) -> None:
    for change in (ListingChange(ROOM, LISTING), ListingChange(ROOM)):
        await store.pipe(directory.storing(P, [change]))
    assert await directory.get(store, P, ROOM) is None


async def test_rooms_of_all_partitions_are_gathered(store: Store) -> None:
    partitions = keys.all_keys(4)
    other = msgspec.structs.replace(LISTING, room=RoomId(1002))
    for partition, listing in ((partitions[1], LISTING), (partitions[2], other)):
        await store.pipe(directory.storing(partition, [ListingChange(listing.room, listing)]))
    assert await directory.gather(store, partitions) == [LISTING, other]


def test_changes_come_back_as_they_were_published() -> None:
    changes = (ListingChange(ROOM, LISTING), ListingChange(RoomId(1002)))
    _, items = directory.publishing(changes)
    assert directory.changed(b"[" + items + b"]") == changes
