"""Private rooms and their keys, and tables without spectators."""

from typing import Any

import msgspec
import pytest

from shared.commands import Act, Configure, Enter, Gone, Leave, Rematch, RoomCommand, Say, Watch
from shared.ids import CommandId, RoomId
from shared.room_events import RoomSpec, Spectators
from tests.support.room_bench import STONES, RoomBench, take

KEY = "0123456789abcdef01234567"
PRIVATE = RoomSpec("stones", 2, {"stones": 2}, private=True)
NEXT = RoomId(123_456_789)


def private_room(key: str = KEY) -> RoomBench:
    bench = RoomBench()
    assert bench.ok("ada", Enter("ada", PRIVATE, 1, new=True, key=key, token=True)).key == key
    return bench


def shape(bench: RoomBench, body: RoomCommand) -> dict[str, Any]:
    """The reply to a stranger, without the connection that it goes to."""
    reply = bench.send("eve", body)
    assert reply is not None
    return msgspec.structs.asdict(msgspec.structs.replace(reply, conn=0, id=CommandId(0)))


STRANGE: list[RoomCommand] = [
    Enter("eve"),
    Enter("eve", key="0" * 24),
    Enter("ada", by_name=True),
    Enter("eve", by_name=True),
    Watch(),
    Watch(key=KEY[:-1]),
    Watch(key=KEY + "0"),
    Watch(key="ключ"),
    Act(msgspec.Raw(b"{}")),
    Say("hello"),
    Configure(2),
    Leave(),
    Rematch(NEXT),
]


@pytest.mark.parametrize("body", STRANGE)
def test_a_stranger_without_the_key_is_answered_as_if_there_were_no_room(body: RoomCommand) -> None:
    bench = private_room()
    bench.ok("ada", Gone(), -1)
    records = len(bench.records)
    assert shape(bench, body) == shape(RoomBench(), body)
    assert len(bench.records) == records
    assert bench.room.state.audience == {}


def test_the_key_opens_the_room_for_joining_and_watching() -> None:
    bench = private_room()
    assert bench.ok("eve", Watch(key=KEY)).seat is None
    assert bench.ok("bob", Enter("bob", key=KEY)).seat == 1


def test_players_need_no_key_and_are_given_it_whenever_they_attach() -> None:
    bench = private_room()
    assert bench.ok("ada", Watch()).key == KEY
    assert bench.ok("ada", Enter("ada", token=True)).key == KEY


def test_a_spectator_is_not_given_the_key_again() -> None:
    assert private_room().ok("eve", Watch(key=KEY)).key == ""


def test_a_repeated_opening_has_the_key_of_the_first_one_also_after_a_crash() -> None:
    bench = private_room()
    bench.reload()
    again = bench.ok("ada", Enter("ada", PRIVATE, 2, new=True, key="f" * 24, token=True), 1)
    assert again.key == KEY
    assert bench.code("bob", Enter("bob", key="f" * 24)) == "room/unknown"


def test_a_private_room_that_was_opened_without_a_key_has_its_number_as_the_secret() -> None:
    bench = private_room("")
    assert bench.ok("eve", Watch()).seat is None
    assert bench.ok("bob", Enter("bob")).seat == 1


def test_a_public_room_has_no_key() -> None:
    bench = RoomBench()
    assert bench.ok("ada", Enter("ada", STONES, 1, key=KEY)).key == ""
    assert bench.ok("bob", Enter("bob", key="wrong")).seat == 1


def test_the_key_is_in_no_update_and_no_view() -> None:
    bench = private_room()
    bench.ok("eve", Watch(key=KEY), wants=1)
    bench.ok("bob", Enter("bob", key=KEY), wants=1)
    bench.ok("ada", take(1))
    assert KEY.encode() not in bench.said


def test_a_player_who_gave_up_a_seat_before_the_start_gets_the_same_answer_again() -> None:
    bench = private_room()
    bench.ok("ada", Leave(), 2)
    bench.reload()
    assert bench.code("ada", Leave(), 2) == ""


def test_a_rematch_has_one_new_key_that_only_its_players_are_given() -> None:
    bench = private_room()
    bench.ok("bob", Enter("bob", key=KEY))
    bench.ok("eve", Watch(key=KEY))
    bench.ok("ada", take(1))
    bench.ok("bob", take(1))
    first = bench.ok("ada", Rematch(NEXT, "a" * 24))
    second = bench.ok("bob", Rematch(RoomId(NEXT + 1), "b" * 24))
    assert (first.to, first.key) == (second.to, second.key) == (NEXT, "a" * 24)
    bench.reload()
    assert bench.ok("bob", Rematch(RoomId(NEXT + 2), "c" * 24)).key == "a" * 24
    assert b"a" * 24 not in bench.said


def test_a_table_without_spectators_refuses_them_and_not_its_players() -> None:
    bench = RoomBench()
    closed = RoomSpec("stones", 2, spectators=Spectators.NONE)
    bench.ok("ada", Enter("ada", closed, 1))
    assert bench.code("eve", Watch()) == "room/no_spectators"
    assert bench.room.state.audience == {}
    assert bench.ok("ada", Watch()).seat == 0
    assert bench.ok("eve", Enter("eve")).seat == 1
