"""Reading the whole room directory while changes are published."""

from gateway.cluster.room_directory import RoomDirectory
from shared.bus.directory import ListingChange
from shared.ids import Offset, RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing


def _listing(number: int, offset: int = 1) -> Listing:
    return Listing(RoomId(number), "stones", 2, RoomStatus.WAITING, offset=Offset(offset))


def _rooms() -> RoomDirectory:
    return RoomDirectory(lambda call: call())


def test_a_room_that_closed_during_the_reading_does_not_come_back() -> None:
    rooms = _rooms()
    collected = rooms.collect_changes()
    rooms.change([ListingChange(RoomId(1000))])
    rooms.gathered([_listing(1000), _listing(1001)], collected)
    assert [room.room for room in rooms.listed("")] == [1001]


def test_a_room_that_changed_during_the_reading_has_its_newest_listing() -> None:
    rooms = _rooms()
    rooms.change([ListingChange(RoomId(1000), _listing(1000))])
    first = rooms.collect_changes()
    second = rooms.collect_changes()
    rooms.change([ListingChange(RoomId(1000), _listing(1000, 5)), ListingChange(RoomId(1002), _listing(1002))])
    for collected in (first, second):
        rooms.gathered([_listing(1000, 4)], collected)
        assert [(room.room, room.offset) for room in rooms.listed("")] == [(1000, 5), (1002, 1)]


def test_a_room_that_was_not_read_is_forgotten() -> None:
    rooms = _rooms()
    rooms.change([ListingChange(RoomId(1000), _listing(1000))])
    rooms.gathered([], rooms.collect_changes())
    assert rooms.get(RoomId(1000)) is None


def test_changes_from_before_a_failed_reading_are_not_applied_after_the_next_one() -> None:
    rooms = _rooms()
    first = rooms.collect_changes()
    rooms.change([ListingChange(RoomId(1000), _listing(1000))])
    rooms.discard(first)
    second = rooms.collect_changes()
    rooms.gathered([], second)
    assert rooms.get(RoomId(1000)) is None
