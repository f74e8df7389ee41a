"""Seats that come back to their players only: with a token, by name, from an address; and records of older versions."""

import msgspec
import pytest

from shared.bus.journal import StoredRoom
from shared.commands import Enter, Gone, Watch
from shared.ids import Epoch, Offset, Seat
from shared.journal_records import JournalRecord
from shared.room_views import Listing
from tests.support.room_bench import G2, ROOM, STONES, RoomBench, take
from worker.room.room import Room


def started_with_tokens() -> RoomBench:
    """A room where ada, whose session has a token, plays against bob, whose session has none."""
    bench = RoomBench()
    bench.ok("ada", Enter("ada", STONES, 1, token=True))
    bench.ok("bob", Enter("bob"), gateway=G2)
    return bench


def test_a_seat_taken_with_a_token_does_not_come_back_by_name() -> None:
    bench = started_with_tokens()
    bench.ok("ada", Gone(), -1)
    records = len(bench.records)
    assert bench.code("eve", Enter("ada", by_name=True)) == "room/not_gone"
    assert len(bench.records) == records
    assert not bench.room.state.seats[Seat(0)].here
    assert bench.code("eve", take(1)) == "room/not_seated"
    assert bench.ok("ada", Watch()).seat == 0


def test_a_seat_taken_with_a_token_stays_so_in_the_hands_of_another_worker() -> None:
    bench = started_with_tokens()
    bench.ok("ada", Gone(), -1)
    for snapshots in (True, False):
        bench.room = bench.loaded(snapshots=snapshots)
        assert bench.code("eve", Enter("ada", by_name=True)) == "room/not_gone"


def test_a_seat_taken_without_a_token_comes_back_by_name() -> None:
    bench = started_with_tokens()
    bench.ok("bob", Gone(), -1, gateway=G2)
    assert bench.ok("other", Enter("bob", by_name=True)).seat == 1


def test_only_seats_that_come_back_by_name_are_listed_as_gone() -> None:
    bench = started_with_tokens()
    bench.ok("ada", Gone(), -1)
    bench.ok("bob", Gone(), -1, gateway=G2)
    listing = bench.result.more.listing
    assert isinstance(listing, Listing)
    assert listing.gone == (1,)


def test_no_receiver_learns_which_seats_have_tokens() -> None:
    assert b"token" not in started_with_tokens().said


# --- addresses --------------------------------------------------------------------------------------------------------


def lost_from(address: str) -> RoomBench:
    """A room that bob has lost the connection to, from this address."""
    bench = RoomBench()
    bench.ok("ada", Enter("ada", STONES, 1))
    bench.ok("bob", Enter("bob", address=address))
    bench.ok("bob", Gone(), -1)
    return bench


@pytest.mark.parametrize("lost", ["10.0.0.1", ""])
def test_a_seat_does_not_come_back_to_another_address(lost: str) -> None:
    bench = lost_from(lost)
    assert bench.code("eve", Enter("bob", by_name=True, address="10.0.0.2")) == "room/not_gone"
    assert not bench.room.state.seats[Seat(1)].here


def test_a_seat_comes_back_to_its_address_also_after_a_crash() -> None:
    bench = lost_from("10.0.0.1")
    bench.reload()
    assert bench.ok("other", Enter("bob", by_name=True, address="10.0.0.1")).seat == 1
    bench.ok("other", Gone(), -1)
    assert bench.ok("third", Enter("bob", by_name=True, address="10.0.0.1")).seat == 1


def test_addresses_do_not_matter_to_a_gateway_that_does_not_ask_for_them() -> None:
    assert lost_from("10.0.0.1").ok("other", Enter("bob", by_name=True)).seat == 1


def test_no_receiver_learns_addresses() -> None:
    assert b"10.0.0.1" not in lost_from("10.0.0.1").said


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ADA", "ada ", "\uff21da"])
def test_a_name_that_looks_like_that_of_another_seat_is_taken(name: str) -> None:
    bench = RoomBench()
    bench.ok("ada", Enter("ada", STONES, 1))
    assert bench.code("bob", Enter(name)) == "name/taken"


# --- older records ----------------------------------------------------------------------------------------------------


def test_records_and_snapshots_of_older_versions_load_and_their_seats_come_back_by_name() -> None:
    spec = {"game": "stones", "seats": 2, "private": True}
    opened = [{"type": "room.opened", "spec": spec, "version": 1, "seed": 5}]
    joined = [{"type": "room.joined", "seat": 0, "name": "ada", "sid": "ada"}]
    attached = {"note": "attached", "gateway": "g-one", "conn": 1, "seat": 0}
    record = [1_000, 1, "ada", 1, 0, "", opened + joined, [attached]]
    decoded = msgspec.json.decode(msgspec.json.encode(record), type=JournalRecord)
    bench = RoomBench()
    bench.records = [(Offset(1), 0, decoded)]
    bench.reload()
    assert bench.room.state.key == ""
    bench.conns["ada"] = 1
    bench.ok("bob", Enter("bob"))
    bench.ok("ada", Gone(), -1)
    body = msgspec.json.decode(bench.room._steps.snapshots.take(bench.room._draft, None).body)
    for seat in body["seats"].values():
        del seat["token"], seat["address"]
    del body["key"], body["rematch_key"], body["departed"]
    stored = StoredRoom(msgspec.json.encode(body), ())
    bench.room = Room(ROOM, Epoch(3), bench._catalog, bench.settings, stored)
    assert bench.ok("other", Enter("ada", by_name=True)).seat == 0
