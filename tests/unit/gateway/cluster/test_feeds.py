"""Live steps of a room: every follower receives its part of each step, once and in order."""

import msgspec

from gateway.session.attachments import Attachment
from shared.commands import Wants
from shared.deliveries import Reply, StepMessage
from shared.ids import CommandId, Epoch, Offset, RoomId, Seat
from shared.room_events import Left, Said
from shared.room_views import Position, Update
from tests.support.gateway_bench import ROOM, settle, step
from tests.unit.gateway.cluster.followers import Bench, Follower

# --- live steps -------------------------------------------------------------------------------------------------------


async def test_steps_come_in_order() -> None:
    bench = Bench()
    follower, _ = bench.attach()
    bench.say(1, step(2), step(3))
    bench.say(2, step(4))
    assert follower.received == [2, 3, 4]


async def test_a_step_that_was_seen_is_not_delivered_again() -> None:
    bench = Bench()
    follower, _ = bench.attach(3)
    bench.say(1, step(2), step(3), step(4))
    assert follower.received == [4]


async def test_spectators_are_counted_and_players_are_not() -> None:
    bench = Bench()
    bench.attach(seat=0)
    assert bench.feeds.audiences(most=9) == {}
    bench.attach(seat=None)
    _, second = bench.attach(seat=None)
    assert bench.feeds.audiences(most=9) == {ROOM: 2}
    bench.feeds.detach(second)
    assert bench.feeds.audiences(most=9) == {ROOM: 1}
    assert bench.feeds.audiences(most=0) == {}


async def test_steps_of_rooms_without_followers_are_ignored() -> None:
    bench = Bench()
    follower, _ = bench.attach()
    bench.say(1, step(2, room=RoomId(1002)))
    assert follower.received == []


# --- receivers --------------------------------------------------------------------------------------------------------


async def test_within_a_delivery_attaching_replies_come_before_the_steps_and_others_after() -> None:
    bench = Bench()
    bench.outbox.attaching = {5}
    bench.attach()
    replies = tuple(Reply(1, ROOM, CommandId(number)) for number in (4, 5))
    bench.say(1, step(2), replies=replies)
    assert bench.outbox.order[:3] == ["reply 5", "step 2", "reply 4"]


async def test_followers_who_see_the_same_bytes_share_one_delivered_step() -> None:
    bench = Bench()
    parts = {Seat(1): msgspec.Raw(b'"seat"')}
    message = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b'"public"'), parts)
    first, second, third = (bench.attach(seat=seat)[0] for seat in (0, 1, None))
    bench.say(1, message)
    assert first.steps[0] is third.steps[0]
    assert first.steps[0] is not second.steps[0]


async def test_a_new_attachment_of_a_follower_replaces_the_earlier_one() -> None:
    bench = Bench()
    follower, earlier = bench.attach()
    bench.feeds.attach(Attachment(ROOM, None, 0, Epoch(7), Offset(1)), Position(Epoch(7), Offset(1)), follower)
    bench.say(1, step(2))
    assert follower.received == [2]
    assert earlier.stale


async def test_each_follower_receives_its_own_part() -> None:
    bench = Bench()
    parts = {Seat(1): msgspec.Raw(b'"seat"')}
    message = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b'"public"'), parts, msgspec.Raw(b'"watchers"'))
    followers = [
        bench.attach(seat=seat, wants=wants)[0] for seat, wants in ((0, 0), (1, 0), (None, 0), (None, Wants.VIEW))
    ]
    bench.say(1, message)
    assert [follower.raw for follower in followers] == [[b'"public"'], [b'"seat"'], [b'"public"'], [b'"watchers"']]


async def test_the_part_of_a_seat_is_hidden_from_a_player_seated_later() -> None:
    bench = Bench()
    parts = {Seat(0): msgspec.Raw(b'"seat"')}
    steps = [StepMessage(ROOM, Epoch(7), Offset(number), msgspec.Raw(b'"public"'), parts) for number in (2, 3)]
    follower, attachment = bench.attach()
    attachment.since = Offset(3)
    bench.say(1, *steps)
    assert follower.raw == [b'"public"', b'"seat"']


async def test_the_last_spectator_is_known() -> None:
    bench = Bench()
    spectators = [bench.attach(seat=None)[1] for _ in range(2)]
    bench.attach()
    assert [bench.feeds.detach(one) for one in spectators] == [False, True]


async def test_a_player_who_detaches_is_not_the_last_spectator() -> None:
    bench = Bench()
    _, player = bench.attach()
    assert not bench.feeds.detach(player)


# --- lost seats -------------------------------------------------------------------------------------------------------


def left(offset: int, seat: int, reason: str, *, unseats: bool | None = True) -> StepMessage:
    """A step in which a seat is given up or taken away."""
    events = [Left(Seat(seat), "ada", reason), Said(Seat(1), "bob", 'the text "room.left"')]
    update = Update(ROOM, Epoch(7), Offset(offset), 0, msgspec.Raw(msgspec.json.encode(events)))
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(msgspec.json.encode(update)), unseats=unseats)


async def test_a_follower_whose_seat_was_taken_away_is_notified_behind_the_step() -> None:
    bench = Bench()
    bench.attach(seat=0)
    bench.attach(seat=1)
    bench.attach(seat=None)
    bench.say(1, left(2, 0, "removed"))
    assert bench.outbox.order == ["step 2", "step 2", "step 2", "seat 0 removed"]


async def test_a_worker_of_an_older_release_does_not_say_that_a_step_takes_a_seat_away() -> None:
    bench = Bench()
    bench.attach(seat=0)
    bench.say(1, left(2, 0, "removed", unseats=None))
    assert bench.outbox.order == ["step 2", "seat 0 removed"]


async def test_a_step_that_takes_no_seat_away_is_not_searched() -> None:
    bench = Bench()
    bench.attach(seat=0)
    bench.say(1, left(2, 0, "removed", unseats=False))
    assert bench.outbox.order == ["step 2"]


async def test_a_follower_who_gives_a_seat_up_is_not_notified_of_its_loss() -> None:
    bench = Bench()
    bench.attach(seat=0)
    bench.say(1, left(2, 0, "left"))
    assert bench.outbox.order == ["step 2"]


async def test_a_follower_learns_from_a_filled_gap_that_its_seat_was_taken_away() -> None:
    bench = Bench()
    await bench.write(step(1), left(2, 0, "removed"))
    bench.attach(1, top=2, seat=0)
    await settle()
    assert bench.outbox.order == ["step 2", "seat 0 removed"]


async def test_the_next_player_of_a_seat_does_not_lose_it_by_an_earlier_step() -> None:
    bench = Bench()
    await bench.write(step(1), left(2, 0, "removed"), step(3))
    follower = Follower(order=bench.outbox.order)
    attachment = Attachment(ROOM, Seat(0), 0, Epoch(7), Offset(1), since=Offset(3))
    bench.feeds.attach(attachment, Position(Epoch(7), Offset(3)), follower)
    await settle()
    assert bench.outbox.order == ["step 2", "step 3"]
