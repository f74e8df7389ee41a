"""A gateway's copy of the room directory."""

from collections.abc import Callable

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.answers import RoomsChanged
from shared.bus.directory import ListingChange
from shared.ids import RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing


class Bench:
    def __init__(self) -> None:
        self.later: list[Callable[[], None]] = []
        self.rooms = RoomDirectory(self.later.append)
        self.reported: list[dict[RoomId, Listing | None]] = []

    def watch(self, game: str = "") -> None:
        self.rooms.watch(self, game)

    def rooms_changed(self, change: RoomsChanged) -> None:
        self.reported.append(dict(change.changed))

    def reported_rooms(self) -> list[list[int]]:
        return [list(changed) for changed in self.reported]

    def tick(self) -> None:
        later, self.later[:] = list(self.later), []
        for call in later:
            call()


def room(number: int, game: str = "stones", created_ms: int = 0, **fields: bool | str) -> Listing:
    private, only = bool(fields.get("private", False)), str(fields.get("only", ""))
    status = RoomStatus(str(fields.get("status", "waiting")))
    return Listing(RoomId(number), game, 2, status, private=private, only=only, created_ms=created_ms)


def change(listing: Listing) -> ListingChange:
    return ListingChange(listing.room, listing)


def numbers(listings: tuple[Listing, ...]) -> list[int]:
    return [listing.room for listing in listings]


def test_rooms_are_listed_from_the_oldest_to_the_newest() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1003, created_ms=5), room(1001, created_ms=9), room(1002, created_ms=5)])
    assert numbers(bench.rooms.listed("")) == [1002, 1003, 1001]


def test_rooms_are_listed_by_game() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1001), room(1002, "codex")])
    assert numbers(bench.rooms.listed("codex")) == [1002]


def test_private_rooms_are_not_listed() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1001, private=True), room(1002, only="codex")])
    assert bench.rooms.listed("") == ()


def test_private_rooms_can_be_looked_up() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1001, private=True)])
    assert bench.rooms.get(RoomId(1001)) is not None


def test_a_room_that_is_gone_is_not_listed() -> None:
    bench = Bench()
    bench.rooms.change([change(room(1001))])
    bench.rooms.change([ListingChange(RoomId(1001))])
    assert bench.rooms.listed("") == ()


def test_watchers_get_one_report_per_tick() -> None:
    bench = Bench()
    bench.watch()
    bench.rooms.change([change(room(1001)), change(room(1002))])
    bench.rooms.change([change(room(1001, status=RoomStatus.PLAYING))])
    bench.tick()
    assert bench.reported_rooms() == [[1001, 1002]]


def test_watchers_of_a_game_get_reports_of_that_game() -> None:
    bench = Bench()
    bench.watch("codex")
    bench.rooms.change([change(room(1001)), change(room(1002, "codex"))])
    bench.tick()
    assert bench.reported_rooms() == [[1002]]


def test_removed_rooms_are_reported() -> None:
    bench = Bench()
    bench.rooms.change([change(room(1001))])
    bench.watch()
    bench.rooms.change([ListingChange(RoomId(1001))])
    bench.tick()
    assert bench.reported == [{1001: None}]


def test_private_rooms_are_not_reported() -> None:
    bench = Bench()
    bench.watch()
    bench.rooms.change([change(room(1001, private=True))])
    bench.tick()
    assert bench.reported == []


def test_a_room_that_becomes_public_is_reported() -> None:
    bench = Bench()
    bench.rooms.change([change(room(1001, only="codex"))])
    bench.watch()
    bench.rooms.change([change(room(1001))])
    bench.tick()
    assert bench.reported == [{1001: room(1001)}]


def test_a_room_that_becomes_private_is_reported_as_removed() -> None:
    bench = Bench()
    bench.rooms.change([change(room(1001))])
    bench.watch()
    bench.rooms.change([change(room(1001, private=True))])
    bench.tick()
    assert bench.reported == [{1001: None}]


def test_missed_changes_are_reported_when_all_rooms_are_gathered_again() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1001), room(1002)])
    bench.watch()
    bench.rooms.gathered([room(1002), room(1003)])
    bench.tick()
    assert bench.reported_rooms() == [[1001, 1003]]


def test_a_watcher_that_stops_gets_no_reports() -> None:
    bench = Bench()
    bench.watch()
    bench.rooms.unwatch(bench)
    bench.rooms.change([change(room(1001))])
    bench.tick()
    assert bench.reported == []


def test_a_list_is_made_once_until_a_room_changes() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1000)])
    before = bench.rooms.listed("stones")
    assert bench.rooms.listed("stones") is before
    bench.rooms.change([ListingChange(RoomId(1001), room(1001))])
    assert [listing.room for listing in bench.rooms.listed("stones")] == [1000, 1001]


def test_lists_of_games_that_are_not_played_are_not_kept() -> None:
    bench = Bench()
    bench.rooms.gathered([room(1000)])
    for number in range(100):
        bench.rooms.listed(f"game {number}")
    assert bench.rooms._listed == {}
