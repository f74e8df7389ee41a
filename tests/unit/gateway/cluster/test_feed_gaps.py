"""Steps that a gateway has missed: noticed, read from the store, and delivered in chunks."""

from typing import Any

import msgspec
import pytest

from gateway.cluster.followers import CHUNK_BYTES
from shared.bus import updates
from shared.bus.store import StoreDown
from shared.commands import Wants
from shared.deliveries import CompletedCommand, Delivery, Reply, StepMessage
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition
from shared.room_views import Position
from tests.support import batches
from tests.support.gateway_bench import KEYS, ROOM, settle, step
from tests.support.waiting import eventually_async
from tests.unit.gateway.cluster.followers import P0, P1, Bench

# --- gaps -------------------------------------------------------------------------------------------------------------


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


async def test_after_a_new_subscription_all_rooms_are_read_and_attached_to_again() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3))
    follower, attachment = bench.attach()
    bench.feeds.resubscribed()
    await settle()
    assert (follower.received, follower.repeated, bench.gaps) == ([2, 3], [attachment], [P0, P1])


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
    bench.store.server.run(batches.written(KEYS[0], step(6)))
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


# --- answers ----------------------------------------------------------------------------------------------------------


def carrying_out(offset: int, command: int, conn: int = 1) -> StepMessage:
    """A step that is the answer to a command of this gateway."""
    return msgspec.structs.replace(step(offset), done=CompletedCommand(GatewayId("g"), conn, CommandId(command)))


REPLY = Reply(1, ROOM, CommandId(9), epoch=Epoch(7), offset=Offset(4))


@pytest.mark.parametrize(
    ("last", "replies"), [(carrying_out(4, 9), ()), (step(4), (REPLY,))], ids=["a step that answers", "a reply"]
)
async def test_an_answer_waits_for_its_step_while_a_hole_is_filled(
    last: StepMessage, replies: tuple[Reply, ...]
) -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 5)))
    bench.attach(2)
    bench.store.hold()
    bench.say(1, last, replies=replies)
    assert bench.outbox.order == []
    bench.store.go()
    await settle()
    assert bench.outbox.order == ["step 3", "step 4", "reply 9"]


async def test_an_answer_without_a_step_to_wait_for_is_given_at_once() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 5)))
    bench.attach(2)
    bench.store.hold()
    seen, refused, stranger = (
        Reply(conn, ROOM, CommandId(9), offset=Offset(at)) for conn, at in ((1, 2), (1, 0), (5, 4))
    )
    bench.say(1, step(4), replies=(seen, refused, stranger))
    assert bench.outbox.answers == [(2, 9), (0, 9), (4, 9)]


async def test_an_answer_whose_step_was_not_sent_here_shows_that_it_was_missed() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 5)))
    bench.attach(2)
    bench.say(1, replies=(REPLY,))
    await settle()
    assert bench.outbox.order == ["step 3", "step 4", "reply 9"]


async def test_an_answer_is_dropped_if_its_step_is_not_in_the_store() -> None:
    bench = Bench()
    await bench.write(step(1), step(2))
    bench.attach(2)
    bench.say(1, replies=(REPLY,))
    await settle()
    assert bench.outbox.order == []


async def test_an_answer_is_dropped_if_a_later_owner_may_have_another_step_in_its_place() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3), step(4, 8))
    follower, _ = bench.attach(2)
    bench.store.hold()
    bench.say(1, carrying_out(4, 9))
    bench.store.go()
    await settle()
    assert follower.received == [3, 4]
    assert bench.outbox.answers == []


async def test_the_answer_of_the_later_owner_is_given() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3), step(4, 8))
    bench.attach(2)
    bench.store.hold()
    bench.say(1, carrying_out(3, 9))
    earlier = Reply(1, ROOM, CommandId(9), epoch=Epoch(7), offset=Offset(3))
    bench.say(1, step(4, 8), epoch=8, replies=(earlier,))
    bench.store.go()
    await settle()
    assert bench.outbox.order.index("reply 9") > bench.outbox.order.index("step 3")
    assert bench.outbox.answers[-1] == (3, 9)


async def test_a_client_that_is_behind_keeps_no_answer_from_another() -> None:
    bench = Bench()
    await bench.write(*(large(number) for number in range(1, 4)))
    behind, _ = bench.attach(1, 3)
    behind.number, behind.unread = 2, CHUNK_BYTES + 1
    await settle()
    bench.attach(3)
    bench.say(1, carrying_out(4, 9), carrying_out(5, 8, conn=2))
    await settle()
    assert bench.outbox.answers == [(4, 9)]


async def test_answers_are_not_lost_with_the_follower_that_they_wait_for() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 5)))
    _, attachment = bench.attach(2)
    bench.store.hold()
    bench.say(1, carrying_out(4, 9))
    bench.feeds.detach(attachment)
    bench.store.go()
    await settle()
    assert bench.outbox.answers == [(4, 9)]


# --- failures ---------------------------------------------------------------------------------------------------------


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


# --- chunks ---------------------------------------------------------------------------------------------------------


def large(offset: int) -> StepMessage:
    """A step that is a chunk by itself."""
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(b'"%b"' % (b"x" * 70_000)))


async def test_the_next_chunk_is_sent_when_the_client_has_read() -> None:
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


async def test_a_step_whose_message_is_lost_while_chunks_are_sent_is_not_missed() -> None:
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


async def test_a_follower_who_leaves_in_between_gets_no_further_chunk() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    follower, attachment = bench.attach(1, top=5)
    follower.unread = 70_000
    await settle()
    bench.feeds.detach(attachment)
    follower.unread = 0
    await eventually_async(lambda: not attachment.behind)
    assert follower.received == [2]


async def test_a_long_history_is_read_in_many_chunks() -> None:
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


async def test_a_view_is_asked_for_behind_the_last_chunk() -> None:
    bench = Bench()
    await bench.write(*map(large, range(1, 6)))
    bench.attach(1, top=5, wants=Wants.VIEW)
    await eventually_async(lambda: bench.outbox.order[-1:] == ["view 5"])
    assert [what for what in bench.outbox.order if what.startswith("view")] == ["view 5"]


@pytest.mark.parametrize(("epoch", "rewound"), [(8, True), (7, False)])
async def test_the_loss_of_a_step_that_a_slow_client_has_seen_is_noted_for_its_view(epoch: int, rewound: bool) -> None:
    bench = Bench()
    follower, attachment = bench.attach(2)
    attachment.stale = True
    await bench.write(step(1), step(2, epoch), step(3, epoch))
    bench.feeds.resubscribed()
    await settle()
    assert (follower.lost, follower.received) == ([], [])
    assert attachment.rewound is rewound
    bench.feeds.reposition(attachment, Position(Epoch(epoch), Offset(3)))
    assert not attachment.rewound
