"""The list of rooms for operators."""

import pytest

from gateway.http.ops_rooms import RoomFilter, RoomReport, reports
from shared.ids import RoomId, Seat
from shared.room_events import RoomStatus
from shared.room_views import Listing

WAITING = Listing(RoomId(1000), "stones", 2, RoomStatus.WAITING, {Seat(0): "Ada"})
PLAYING = Listing(RoomId(1001), "codex", 2, RoomStatus.PLAYING, {Seat(0): "bob", Seat(1): "Bot1"})
PRIVATE = Listing(RoomId(100_000_001), "stones", 2, RoomStatus.PLAYING, {Seat(0): "cid"}, private=True)
ALL = (PRIVATE, PLAYING, WAITING)
QUARANTINED = {RoomId(1001): "it broke", RoomId(999): "it is torn"}


def rooms(**wanted: object) -> list[int]:
    return [one.room for one in reports(ALL, QUARANTINED, RoomFilter(**wanted)).rooms]  # type: ignore[arg-type]


def test_all_rooms_are_listed_by_number() -> None:
    assert rooms() == [999, 1000, 1001, 100_000_001]


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("game", "stones", [1000, 100_000_001]),
        ("status", "playing", [1001, 100_000_001]),
        ("player", "AD", [1000]),
        ("private", True, [100_000_001]),
        ("private", False, [999, 1000, 1001]),
        ("quarantined", True, [999, 1001]),
        ("quarantined", False, [1000, 100_000_001]),
        ("after", 1000, [1001, 100_000_001]),
    ],
)
def test_a_filter_leaves_the_rooms_that_fit(name: str, value: object, found: list[int]) -> None:
    assert rooms(**{name: value}) == found


def test_a_page_says_whether_more_rooms_follow() -> None:
    first = reports(ALL, QUARANTINED, RoomFilter(limit=3))
    assert (len(first.rooms), first.more) == (3, True)
    last = reports(ALL, QUARANTINED, RoomFilter(limit=3, after=first.rooms[-1].room))
    assert (len(last.rooms), last.more) == (1, False)


def test_a_room_is_listed_with_its_players_and_the_reason_of_its_quarantine() -> None:
    report = reports([PLAYING], QUARANTINED, RoomFilter(game="codex")).rooms[0]
    assert report == RoomReport(RoomId(1001), "codex", "playing", ("bob", "Bot1"), 1, 2, quarantine="it broke")
