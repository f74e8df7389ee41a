"""Every session receives every step of its rooms once, in order, without a hole."""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.feeds import Feeds
from gateway.cluster.identity import GatewayIdentity
from gateway.dialects.contract import DeliveredStep
from gateway.metrics import Metrics
from gateway.session.attachments import Attachment
from shared.bus import updates
from shared.bus.store import StoreDown
from shared.commands import Wants
from shared.deliveries import CompletedCommand, Delivery, Reply, StepMessage
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, Seat
from shared.room_events import Left, Said
from shared.room_views import Position, Update
from tests.support import batches
from tests.support.gateway_bench import KEYS, ROOM, GatewayBench, settle, step
from tests.support.waiting import eventually_async

P0, P1 = Partition(0), Partition(1)


@dataclass(eq=False)
class Follower:
    """Records what it receives of a room."""

    received: list[int] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    steps: list[DeliveredStep] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    unread: int = 0

    def deliver(self, attachment: Attachment, step: DeliveredStep) -> None:
        self.received.append(attachment.offset)
        self.raw.append(step.raw)
        self.steps.append(step)
        self.order.append(f"step {attachment.offset}")

    def views_due(self, attachment: Attachment) -> None:
        raise AssertionError("no views are pending here")

    def views_missed(self, attachment: Attachment) -> None:
        self.order.append(f"view {attachment.offset}")

    def position_lost(self, attachment: Attachment, reason: str) -> None:
        self.lost.append(reason)

    def seat_lost(self, attachment: Attachment, reason: str) -> None:
        self.order.append(f"seat {attachment.seat} {reason}")

    def buffered(self) -> int:
        return self.unread


class Outbox(CommandOutbox):
    """Records what the feeds report."""

    def __init__(self, gateway: GatewayBench) -> None:
        super().__init__(GatewayIdentity(GatewayId("g")), gateway.store, KEYS, Metrics(), lambda: gateway.now, most=50)
        self.order: list[str] = []
        self.answers: list[tuple[int, int]] = []
        self.resent: list[Partition] = []
        self.attaching: set[int] = set()

    def attaches(self, reply: Reply) -> bool:
        return reply.id in self.attaching

    def answer(self, reply: Reply) -> None:
        self.order.append(f"reply {reply.id}")
        self.answers.append((reply.offset, reply.id))

    def resend(self, partition: Partition | None = None, *, older_than_s: float = 0.0) -> int:
        assert partition is not None
        self.resent.append(partition)
        return 0


class Bench:
    def __init__(self) -> None:
        gateway = GatewayBench()
        self.store = gateway.store
        self.outbox = Outbox(gateway)
        identity = GatewayIdentity(GatewayId("g"))
        self.feeds = Feeds(identity, self.store, KEYS, self.outbox, Metrics(), BackgroundTasks())

    @property
    def gaps(self) -> list[Partition]:
        """Each gap makes the gateway send the partition's unanswered commands again."""
        return self.outbox.resent

    def attach(
        self, offset: int = 1, top: int | None = None, seat: int | None = 0, wants: int = 0
    ) -> tuple[Follower, Attachment]:
        follower, place = Follower(order=self.outbox.order), None if seat is None else Seat(seat)
        attachment = Attachment(ROOM, place, wants, Epoch(7), Offset(offset))
        self.feeds.attach(attachment, Position(Epoch(7), Offset(top or offset)), follower)
        return follower, attachment

    async def write(self, *steps: StepMessage) -> None:
        """Steps that are in the store, whether they were told or not."""
        await self.store.pipe([batches.told(KEYS[told.room % 2], told) for told in steps])

    def say(self, number: int, *steps: StepMessage, epoch: int = 7, replies: tuple[Reply, ...] = ()) -> None:
        self.feeds.message(msgspec.json.encode([Delivery(P0, Epoch(epoch), number, steps, replies)]))


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


async def test_a_hole_is_filled_from_the_store() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, _ = bench.attach()
    bench.say(1, step(2))
    bench.say(3, step(5))
    await settle()
    assert follower.received == [2, 3, 4, 5]


async def test_a_hole_within_a_message_is_filled_too() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, _ = bench.attach()
    bench.say(1, step(4))
    await settle()
    assert follower.received == [2, 3, 4, 5]


async def test_a_lost_message_is_noticed_by_the_next_number() -> None:
    bench = Bench()
    bench.say(1)
    bench.say(3)
    assert bench.gaps == [P0]


async def test_messages_in_order_are_no_gap() -> None:
    bench = Bench()
    bench.say(1)
    bench.say(2)
    assert bench.gaps == []


async def test_a_new_owner_is_a_gap() -> None:
    bench = Bench()
    bench.say(1)
    bench.say(1, epoch=8)
    assert bench.gaps == [P0]


async def test_a_message_of_an_old_owner_is_ignored() -> None:
    bench = Bench()
    follower, _ = bench.attach()
    bench.say(1, epoch=8)
    bench.say(9, step(2), epoch=7)
    assert follower.received == []


async def test_a_lost_last_message_is_noticed_by_the_heartbeat() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3))
    follower, _ = bench.attach()
    bench.say(1, step(2))
    bench.feeds.heartbeat({P0: (Epoch(7), 2)})
    await settle()
    assert follower.received == [2, 3]


async def test_a_heartbeat_with_a_known_number_is_no_gap() -> None:
    bench = Bench()
    bench.say(1)
    bench.feeds.heartbeat({P0: (Epoch(7), 1)})
    bench.feeds.heartbeat({P0: (Epoch(7), 1)})
    assert bench.gaps == []


async def test_a_lost_first_message_is_noticed_by_the_heartbeat() -> None:
    bench = Bench()
    await bench.write(step(1), step(2))
    follower, _ = bench.attach()
    bench.feeds.heartbeat({P0: (Epoch(7), 1)})
    await settle()
    assert follower.received == [2]


async def test_a_new_owner_is_noticed_by_its_heartbeat() -> None:
    bench = Bench()
    bench.say(1)
    bench.feeds.heartbeat({P0: (Epoch(8), 0)})
    assert bench.gaps == [P0]


async def test_after_a_new_subscription_all_rooms_are_read() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3))
    follower, _ = bench.attach()
    bench.feeds.resubscribed()
    await settle()
    assert (follower.received, bench.gaps) == ([2, 3], [P0, P1])


@pytest.mark.parametrize(("number", "gaps"), [(1, []), (9, [P0])])
async def test_a_message_lost_right_after_a_new_subscription_is_noticed(number: int, gaps: list[Partition]) -> None:
    bench = Bench()
    bench.feeds.resubscribed()
    bench.gaps.clear()
    bench.say(number)
    assert bench.gaps == gaps


async def test_partitions_number_their_messages_apart() -> None:
    bench = Bench()
    shares = [Delivery(partition, Epoch(7), 1) for partition in (P0, P1)]
    bench.feeds.message(msgspec.json.encode(shares))
    bench.feeds.message(msgspec.json.encode([Delivery(P1, Epoch(7), 3), Delivery(P0, Epoch(7), 2)]))
    assert bench.gaps == [1]


async def test_a_step_that_answers_a_command_does_so_also_while_a_hole_is_filled() -> None:
    bench = Bench()
    bench.attach(2)
    bench.store.hold()
    bench.say(1, msgspec.structs.replace(step(4), done=CompletedCommand(GatewayId("g"), 1, CommandId(9))))
    assert bench.outbox.answers == [(4, 9)]


async def test_a_command_that_came_from_another_gateway_is_answered_there() -> None:
    bench = Bench()
    bench.attach(3)
    bench.say(1, msgspec.structs.replace(step(4), done=CompletedCommand(GatewayId("other"), 1, CommandId(9))))
    assert bench.outbox.answers == []


async def test_a_room_is_not_silent_forever_if_reading_missed_steps_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 7)))
    follower, _ = bench.attach()
    with monkeypatch.context() as broken:
        broken.setattr(updates, "missed", None)
        bench.say(1, step(5))
        await settle()
    bench.say(2, step(6))
    await settle()
    assert follower.received == [2, 3, 4, 5, 6]


async def test_steps_that_come_while_a_hole_is_filled_come_in_order() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, _ = bench.attach()
    bench.store.hold()
    bench.say(1, step(4))
    await settle()
    bench.store.server.run(batches.told(KEYS[0], step(6)))
    bench.say(2, step(5))
    bench.say(3, step(6))
    bench.store.go()
    await settle()
    assert follower.received == [2, 3, 4, 5, 6]


async def test_a_follower_that_comes_while_a_hole_is_filled_misses_nothing() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    bench.attach()
    bench.store.hold()
    bench.say(1, step(5))
    await settle()
    late, _ = bench.attach(2, 5)
    bench.store.go()
    await settle()
    assert late.received == [3, 4, 5]


async def test_a_follower_that_detaches_while_a_hole_is_filled_receives_nothing() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, attachment = bench.attach()
    bench.store.hold()
    bench.say(1, step(5))
    await settle()
    bench.feeds.detach(attachment)
    bench.store.go()
    await settle()
    assert follower.received == []


async def test_a_follower_that_resumes_receives_the_missed_steps() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, _ = bench.attach(3, 5)
    await settle()
    assert follower.received == [4, 5]


async def test_each_follower_receives_the_steps_after_its_own_position() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    first, second = bench.attach(1, 5)[0], bench.attach(4, 5)[0]
    await settle()
    assert (first.received, second.received) == ([2, 3, 4, 5], [5])


async def test_steps_of_a_later_epoch_follow() -> None:
    bench = Bench()
    await bench.write(step(1), step(2, 8), step(3, 9))
    follower, attachment = bench.attach(1, 3)
    await settle()
    assert (follower.received, attachment.epoch) == ([2, 3], 9)


@pytest.mark.parametrize(
    ("kept", "position", "reason"),
    [
        ((step(5), step(6)), (7, 3), "trimmed"),
        ((step(1), step(2, 8)), (7, 2), "rewound"),
        ((step(1),), (7, 4), "rewound"),
    ],
)
async def test_a_position_that_cannot_be_resumed_needs_a_view(
    kept: tuple[StepMessage, ...], position: tuple[int, int], reason: str
) -> None:
    bench = Bench()
    await bench.write(*kept)
    follower, _ = bench.attach(position[1], 9)
    await settle()
    assert (follower.lost, follower.received) == ([reason], [])


async def test_a_step_of_a_newer_epoch_at_a_place_that_was_seen_is_a_rewind() -> None:
    bench = Bench()
    follower, _ = bench.attach(5)
    bench.say(1, step(4, 8), epoch=8)
    await settle()
    assert follower.lost == ["rewound"]


async def test_a_follower_that_waits_for_a_view_receives_no_steps() -> None:
    bench = Bench()
    follower, attachment = bench.attach()
    attachment.stale = True
    bench.say(1, step(2))
    assert follower.received == []


async def test_after_a_view_steps_come_again() -> None:
    bench = Bench()
    follower, attachment = bench.attach()
    attachment.stale = True
    bench.feeds.reposition(attachment, Position(Epoch(8), Offset(6)))
    bench.say(1, step(7, 8), epoch=8)
    assert follower.received == [7]


async def test_steps_after_the_view_are_delivered() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    follower, attachment = bench.attach(4)
    attachment.stale = True
    bench.say(1, step(5))
    bench.feeds.reposition(attachment, Position(Epoch(7), Offset(4)))
    await settle()
    assert follower.received == [5]


async def test_a_step_that_takes_the_number_of_a_lost_one_while_steps_are_read_is_not_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The store came back without step 2. The step that replaces it is published after the missed steps were read and
    before the gateway has handled what it read."""
    bench = Bench()
    await bench.write(step(1))
    follower, attachment = bench.attach()
    attachment.stale = True
    bench.say(1, step(2))
    bench.feeds.resubscribed()
    await settle()
    read = updates.missed

    async def read_too_early(*arguments: Any) -> list[updates.Missed]:
        found = await read(*arguments)
        monkeypatch.undo()
        await bench.write(step(2, 8))
        bench.say(1, step(2, 8), epoch=8)
        return found

    monkeypatch.setattr(updates, "missed", read_too_early)
    bench.feeds.reposition(attachment, Position(Epoch(7), Offset(1)))
    await settle()
    assert follower.received == [2]


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
    told = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b'"public"'), parts)
    first, second, third = (bench.attach(seat=seat)[0] for seat in (0, 1, None))
    bench.say(1, told)
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
    told = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b'"public"'), parts, msgspec.Raw(b'"watchers"'))
    followers = [
        bench.attach(seat=seat, wants=wants)[0] for seat, wants in ((0, 0), (1, 0), (None, 0), (None, Wants.VIEW))
    ]
    bench.say(1, told)
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


async def test_missed_steps_are_read_again_after_a_failure_of_the_store() -> None:
    bench = Bench()
    await bench.write(step(1), step(2))
    failures = [1, 1]
    honest = bench.store.pipe

    async def flaky(wanted: object, *, errors: bool = False) -> list[object]:
        if failures:
            failures.pop()
            raise StoreDown("away")
        return await honest(wanted, errors=errors)  # type: ignore[arg-type]

    bench.store.pipe = flaky  # type: ignore[method-assign]
    follower, _ = bench.attach(1, 2)
    await eventually_async(lambda: follower.received == [2], "the hole is filled")


# --- portions ---------------------------------------------------------------------------------------------------------


def large(offset: int) -> StepMessage:
    """A step that is a portion by itself."""
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(b'"%b"' % (b"x" * 70_000)))


async def test_the_next_portion_is_sent_when_the_client_has_read() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    follower, attachment = bench.attach(1, top=5)
    follower.unread = 70_000
    await settle()
    assert follower.received == [2]
    assert attachment.behind
    follower.unread = 0
    await eventually_async(lambda: follower.received == [2, 3, 4, 5])
    await eventually_async(lambda: not attachment.behind)


async def test_other_followers_do_not_wait_for_one_who_does_not_read() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    slow, _ = bench.attach(1, top=5)
    slow.unread = 70_000
    await settle()
    other, _ = bench.attach(5)
    await bench.write(step(6))
    bench.say(1, step(6))
    await settle()
    assert other.received == [6]
    assert slow.received == [2]
    slow.unread = 0
    await eventually_async(lambda: slow.received == [2, 3, 4, 5, 6])


async def test_a_step_whose_message_is_lost_while_portions_are_sent_is_not_missed() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 4)))
    follower, _ = bench.attach(1, top=3)
    follower.unread = 70_000
    await settle()
    await bench.write(step(4))
    bench.feeds.heartbeat({P0: (Epoch(7), 3)})
    await settle()
    follower.unread = 0
    await eventually_async(lambda: follower.received == [2, 3, 4])


async def test_a_follower_who_leaves_in_between_gets_no_further_portion() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    follower, attachment = bench.attach(1, top=5)
    follower.unread = 70_000
    await settle()
    bench.feeds.detach(attachment)
    follower.unread = 0
    await eventually_async(lambda: not attachment.behind)
    assert follower.received == [2]


async def test_a_long_history_is_read_in_many_portions() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 252)))
    follower, attachment = bench.attach(1, top=251)
    await eventually_async(lambda: len(follower.received) == 250)
    await eventually_async(lambda: not attachment.behind)
    assert follower.received == list(range(2, 252))


async def test_a_view_is_asked_for_behind_missed_steps() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 4)))
    with_view, _ = bench.attach(1, top=3, wants=Wants.VIEW)
    without, _ = bench.attach(1, top=3)
    await eventually_async(lambda: with_view.received == [2, 3] and without.received == [2, 3])
    assert bench.outbox.order.count("view 3") == 1


async def test_a_view_is_asked_for_behind_the_last_portion() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    bench.attach(1, top=5, wants=Wants.VIEW)
    await eventually_async(lambda: bench.outbox.order[-1:] == ["view 5"])
    assert [what for what in bench.outbox.order if what.startswith("view")] == ["view 5"]


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
