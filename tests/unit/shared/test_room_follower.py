"""The facts about a room that its events add up to, as gateways, dialects and tools follow them."""

from shared.ids import Epoch, Offset, RoomId, Seat
from shared.room_events import (
    Away,
    Back,
    Clock,
    Closed,
    Configured,
    Ended,
    Joined,
    Left,
    Opened,
    Rematched,
    RoomSpec,
    RoomStatus,
    Said,
    Started,
)
from shared.room_follower import FollowedRoom, FollowedSeat, follow
from shared.room_views import RoomView, SeatView

ADA, BOB = Seat(0), Seat(1)
SPEC = RoomSpec("stones", 2)


def room(status: RoomStatus = RoomStatus.WAITING) -> FollowedRoom:
    return FollowedRoom(SPEC, status, {ADA: FollowedSeat("ada"), BOB: FollowedSeat("bob")})


def test_a_view_is_where_following_begins() -> None:
    seats = (SeatView(ADA, "ada", here=True), SeatView(BOB, "Bot1", bot=True, choice={"color": "red"}))
    view = RoomView(RoomId(1000), Epoch(1), Offset(3), RoomStatus.PLAYING, SPEC, 1, seats, clock_ms=7)
    followed = FollowedRoom.of(view)
    assert followed.names == {ADA: "ada", BOB: "Bot1"}
    assert followed.seats[BOB] == FollowedSeat("Bot1", bot=True, here=True, choice={"color": "red"})
    assert followed.clock_ms == 7


def test_an_opened_room_waits() -> None:
    followed = FollowedRoom(RoomSpec("", 0), RoomStatus.UNOPENED, {})
    follow(followed, Opened(SPEC, 1))
    assert followed.status == RoomStatus.WAITING
    assert followed.spec == SPEC


def test_seats_are_kept_in_their_order() -> None:
    followed = FollowedRoom(SPEC, RoomStatus.WAITING, {})
    follow(followed, Joined(BOB, "bob"))
    follow(followed, Joined(ADA, "ada"))
    assert list(followed.seats) == [ADA, BOB]


def test_a_seat_that_is_left_before_the_start_is_free() -> None:
    followed = room()
    follow(followed, Left(BOB, "bob", "left"))
    assert followed.names == {ADA: "ada"}


def test_a_seat_that_is_left_during_the_game_keeps_its_name() -> None:
    followed = room(RoomStatus.PLAYING)
    follow(followed, Left(BOB, "bob", "left"))
    assert followed.seats[BOB] == FollowedSeat("bob", here=False, left=True)


def test_presence_is_followed() -> None:
    followed = room(RoomStatus.PLAYING)
    follow(followed, Away(ADA))
    assert not followed.seats[ADA].here
    follow(followed, Back(ADA))
    assert followed.seats[ADA].here


def test_a_configured_room_has_its_final_spec_and_choices() -> None:
    followed = room()
    final = RoomSpec("stones", 3)
    follow(followed, Configured(final, {ADA: {"color": "red"}}))
    assert followed.spec == final
    assert followed.seats[ADA].choice == {"color": "red"}


def test_a_started_room_plays() -> None:
    followed = room()
    follow(followed, Started((ADA, BOB), (ADA, BOB)))
    assert followed.status == RoomStatus.PLAYING


def test_the_turn_clock_is_followed() -> None:
    followed = room(RoomStatus.PLAYING)
    follow(followed, Clock(99))
    assert followed.clock_ms == 99


def test_an_ended_room_is_finished_and_keeps_its_outcome() -> None:
    followed, ended = room(RoomStatus.PLAYING), Ended((ADA,), ("ada",))
    follow(followed, ended)
    assert followed.status == RoomStatus.FINISHED
    assert followed.outcome == ended


def test_the_room_of_the_rematch_is_followed() -> None:
    followed = room(RoomStatus.FINISHED)
    follow(followed, Rematched(RoomId(1001)))
    assert followed.rematch == RoomId(1001)


def test_a_closed_room_is_over() -> None:
    followed = room()
    follow(followed, Closed("empty"))
    assert followed.status == RoomStatus.CLOSED


def test_chat_changes_none_of_these_facts() -> None:
    followed = room()
    follow(followed, Said(ADA, "ada", "hello"))
    assert followed == room()
