"""The partition of a room."""

from hypothesis import given
from hypothesis import strategies as st

from shared.ids import FIRST_ROOM, LOBBY, PRIVATE_ROOMS, RoomId, partition_of


@given(st.integers(0, 10**9), st.integers(1, 1_000))
def test_every_room_lives_in_one_of_the_partitions(room: int, partitions: int) -> None:
    assert 0 <= partition_of(RoomId(room), partitions) < partitions


def test_rooms_that_follow_each_other_live_apart() -> None:
    assert len({partition_of(RoomId(FIRST_ROOM + number), 64) for number in range(64)}) == 64


def test_the_lobby_has_the_number_of_no_room() -> None:
    assert LOBBY < FIRST_ROOM
    assert LOBBY not in PRIVATE_ROOMS


def test_private_rooms_have_nine_digits() -> None:
    assert {len(str(PRIVATE_ROOMS[0])), len(str(PRIVATE_ROOMS[-1]))} == {9}
