"""The gateway's copy of the directory: what is read and what is heard meanwhile come to the same."""

from gateway.cluster.room_directory import RoomDirectory
from shared.bus.directory import ListingChange
from shared.ids import Offset, RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing


def _listing(number: int, offset: int = 1) -> Listing:
    return Listing(RoomId(number), "stones", 2, RoomStatus.WAITING, offset=Offset(offset))


def _rooms() -> RoomDirectory:
    return RoomDirectory(lambda call: call())


def test_a_room_that_closed_while_all_were_read_does_not_come_back() -> None:
    rooms = _rooms()
    meanwhile = rooms.gathering()
    rooms.change([ListingChange(RoomId(1000))])
    rooms.gathered([_listing(1000), _listing(1001)], meanwhile)
    assert [room.room for room in rooms.listed("")] == [1001]


def test_a_room_that_changed_while_all_were_read_is_as_it_is_now() -> None:
    rooms = _rooms()
    rooms.change([ListingChange(RoomId(1000), _listing(1000))])
    first = rooms.gathering()
    second = rooms.gathering()
    rooms.change([ListingChange(RoomId(1000), _listing(1000, 5)), ListingChange(RoomId(1002), _listing(1002))])
    for meanwhile in (first, second):
        rooms.gathered([_listing(1000, 4)], meanwhile)
        assert [(room.room, room.offset) for room in rooms.listed("")] == [(1000, 5), (1002, 1)]


def test_a_room_that_is_there_no_more_is_forgotten() -> None:
    rooms = _rooms()
    rooms.change([ListingChange(RoomId(1000), _listing(1000))])
    rooms.gathered([], rooms.gathering())
    assert rooms.get(RoomId(1000)) is None
