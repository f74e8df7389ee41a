"""The hub: every session gets every step of its rooms, once, in order, without a hole."""

from dataclasses import dataclass, field

import msgspec
import pytest

from gateway.cluster.feeds import Attachment, Feeds
from shared.bus import updates
from shared.bus.store import StoreDown
from shared.commands import Wants
from shared.deliveries import CompletedCommand, Delivery, Reply, StepMessage
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, Seat
from shared.room_views import Position
from tests.support import batches
from tests.support.gateway_bench import KEYS, ROOM, GatewayBench, settle, step
from tests.support.waiting import eventually_async

P0, P1 = Partition(0), Partition(1)


@dataclass
class Ear:
    """Listens to a room."""

    heard: list[int] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def deliver(self, attachment: Attachment, told: StepMessage, raw: bytes) -> None:
        self.heard.append(told.offset)
        self.raw.append(raw)

    def lost_track(self, attachment: Attachment, reason: str) -> None:
        self.lost.append(reason)


class Bench:
    def __init__(self) -> None:
        gateway = GatewayBench()
        self.store = gateway.store
        self.replies: list[Reply] = []
        self.done: list[tuple[int, int]] = []
        self.gaps: list[Partition] = []
        self.attaching: set[int] = set()
        self.hub = Feeds(
            GatewayId("g"),
            self.store,
            KEYS,
            lambda reply: reply.id in self.attaching,
            self.replies.append,
            lambda told, done: self.done.append((told.offset, done.id)),
            self.gaps.append,
            gateway.desk.spawn,
        )

    def attach(
        self, offset: int = 1, top: int | None = None, seat: int | None = 0, wants: int = 0
    ) -> tuple[Ear, Attachment]:
        ear, place = Ear(), None if seat is None else Seat(seat)
        attachment = Attachment(ear, ROOM, place, wants, Epoch(7), Offset(offset))
        self.hub.attach(attachment, Position(Epoch(7), Offset(top or offset)))
        return ear, attachment

    async def write(self, *steps: StepMessage) -> None:
        """Steps that are in the store, whether they were told or not."""
        await self.store.pipe([batches.told(KEYS[told.room % 2], told) for told in steps])

    def say(self, number: int, *steps: StepMessage, epoch: int = 7, replies: tuple[Reply, ...] = ()) -> None:
        self.hub.message(msgspec.json.encode([Delivery(P0, Epoch(epoch), number, steps, replies)]))


async def test_steps_come_in_order() -> None:
    bench = Bench()
    ear, _ = bench.attach()
    bench.say(1, step(2), step(3))
    bench.say(2, step(4))
    assert ear.heard == [2, 3, 4]


async def test_a_step_that_was_seen_is_not_told_again() -> None:
    bench = Bench()
    ear, _ = bench.attach(3)
    bench.say(1, step(2), step(3), step(4))
    assert ear.heard == [4]


async def test_steps_of_rooms_that_nobody_attends_to_are_ignored() -> None:
    bench = Bench()
    ear, _ = bench.attach()
    bench.say(1, step(2, room=RoomId(1002)))
    assert ear.heard == []


async def test_a_hole_is_filled_from_the_store() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, _ = bench.attach()
    bench.say(1, step(2))
    bench.say(3, step(5))
    await settle()
    assert ear.heard == [2, 3, 4, 5]


async def test_a_hole_within_a_message_is_filled_too() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, _ = bench.attach()
    bench.say(1, step(4))
    await settle()
    assert ear.heard == [2, 3, 4, 5]


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
    ear, _ = bench.attach()
    bench.say(1, epoch=8)
    bench.say(9, step(2), epoch=7)
    assert ear.heard == []


async def test_a_lost_last_message_is_noticed_by_the_beat() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3))
    ear, _ = bench.attach()
    bench.say(1, step(2))
    bench.hub.beat({P0: (Epoch(7), 2)})
    await settle()
    assert ear.heard == [2, 3]


async def test_a_beat_that_tells_nothing_new_is_no_gap() -> None:
    bench = Bench()
    bench.say(1)
    bench.hub.beat({P0: (Epoch(7), 1)})
    bench.hub.beat({P0: (Epoch(7), 1)})
    assert bench.gaps == []


async def test_a_lost_first_message_is_noticed_by_the_beat() -> None:
    bench = Bench()
    await bench.write(step(1), step(2))
    ear, _ = bench.attach()
    bench.hub.beat({P0: (Epoch(7), 1)})
    await settle()
    assert ear.heard == [2]


async def test_a_new_owner_is_noticed_by_its_beat() -> None:
    bench = Bench()
    bench.say(1)
    bench.hub.beat({P0: (Epoch(8), 0)})
    assert bench.gaps == [P0]


async def test_after_a_new_subscription_everything_is_looked_up() -> None:
    bench = Bench()
    await bench.write(step(1), step(2), step(3))
    ear, _ = bench.attach()
    bench.hub.resubscribed()
    await settle()
    assert (ear.heard, bench.gaps) == ([2, 3], [P0, P1])


@pytest.mark.parametrize(("number", "gaps"), [(1, []), (9, [P0])])
async def test_what_is_lost_right_after_a_new_subscription_is_noticed(number: int, gaps: list[Partition]) -> None:
    bench = Bench()
    bench.hub.resubscribed()
    bench.gaps.clear()
    bench.say(number)
    assert bench.gaps == gaps


async def test_partitions_number_their_messages_apart() -> None:
    bench = Bench()
    shares = [Delivery(partition, Epoch(7), 1) for partition in (P0, P1)]
    bench.hub.message(msgspec.json.encode(shares))
    bench.hub.message(msgspec.json.encode([Delivery(P1, Epoch(7), 3), Delivery(P0, Epoch(7), 2)]))
    assert bench.gaps == [1]


async def test_a_step_that_answers_a_command_does_so_also_while_a_hole_is_filled() -> None:
    bench = Bench()
    bench.attach(2)
    bench.store.hold()
    bench.say(1, msgspec.structs.replace(step(4), done=CompletedCommand(GatewayId("g"), 1, CommandId(9))))
    assert bench.done == [(4, 9)]


async def test_a_command_that_came_from_another_gateway_is_answered_there() -> None:
    bench = Bench()
    bench.attach(3)
    bench.say(1, msgspec.structs.replace(step(4), done=CompletedCommand(GatewayId("other"), 1, CommandId(9))))
    assert bench.done == []


async def test_a_room_is_not_silent_for_ever_if_reading_what_was_missed_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 7)))
    ear, _ = bench.attach()
    with monkeypatch.context() as broken:
        broken.setattr(updates, "missed", None)
        bench.say(1, step(5))
        await settle()
    bench.say(2, step(6))
    await settle()
    assert ear.heard == [2, 3, 4, 5, 6]


async def test_steps_that_come_while_a_hole_is_filled_come_in_order() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, _ = bench.attach()
    bench.store.hold()
    bench.say(1, step(4))
    await settle()
    bench.store.server.run(batches.told(KEYS[0], step(6)))
    bench.say(2, step(5))
    bench.say(3, step(6))
    bench.store.go()
    await settle()
    assert ear.heard == [2, 3, 4, 5, 6]


async def test_who_comes_while_a_hole_is_filled_misses_nothing() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    bench.attach()
    bench.store.hold()
    bench.say(1, step(5))
    await settle()
    late, _ = bench.attach(2, 5)
    bench.store.go()
    await settle()
    assert late.heard == [3, 4, 5]


async def test_who_turned_away_while_a_hole_was_filled_is_told_nothing() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, attachment = bench.attach()
    bench.store.hold()
    bench.say(1, step(5))
    await settle()
    bench.hub.detach(attachment)
    bench.store.go()
    await settle()
    assert ear.heard == []


async def test_who_resumes_is_told_what_was_missed() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, _ = bench.attach(3, 5)
    await settle()
    assert ear.heard == [4, 5]


async def test_each_session_is_told_from_its_own_place() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    first, second = bench.attach(1, 5)[0], bench.attach(4, 5)[0]
    await settle()
    assert (first.heard, second.heard) == ([2, 3, 4, 5], [5])


async def test_steps_of_a_later_epoch_follow() -> None:
    bench = Bench()
    await bench.write(step(1), step(2, 8), step(3, 9))
    ear, attachment = bench.attach(1, 3)
    await settle()
    assert (ear.heard, attachment.epoch) == ([2, 3], 9)


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
    ear, _ = bench.attach(position[1], 9)
    await settle()
    assert (ear.lost, ear.heard) == ([reason], [])


async def test_a_step_of_a_newer_epoch_at_a_place_that_was_seen_is_a_rewind() -> None:
    bench = Bench()
    ear, _ = bench.attach(5)
    bench.say(1, step(4, 8), epoch=8)
    await settle()
    assert ear.lost == ["rewound"]


async def test_who_waits_for_a_view_is_told_no_steps() -> None:
    bench = Bench()
    ear, attachment = bench.attach()
    attachment.stale = True
    bench.say(1, step(2))
    assert ear.heard == []


async def test_after_a_view_steps_come_again() -> None:
    bench = Bench()
    ear, attachment = bench.attach()
    attachment.stale = True
    bench.hub.refreshed(attachment, Epoch(8), Offset(6))
    bench.say(1, step(7, 8), epoch=8)
    assert ear.heard == [7]


async def test_what_came_after_the_view_was_made_is_told() -> None:
    bench = Bench()
    await bench.write(*(step(number) for number in range(1, 6)))
    ear, attachment = bench.attach(4)
    attachment.stale = True
    bench.say(1, step(5))
    bench.hub.refreshed(attachment, Epoch(7), Offset(4))
    await settle()
    assert ear.heard == [5]


async def test_an_answer_that_makes_a_session_attend_comes_before_the_steps_of_its_message() -> None:
    bench = Bench()
    order: list[str] = []
    bench.attaching = {5}
    bench.hub._on_reply = lambda reply: order.append(f"reply {reply.id}")
    _, attachment = bench.attach()
    attachment.listener = _Teller(order)
    replies = tuple(Reply(1, ROOM, CommandId(number)) for number in (4, 5))
    bench.say(1, step(2), replies=replies)
    assert order[:2] == ["reply 5", "step 2"]


class _Teller(Ear):
    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self._order = order

    def deliver(self, attachment: Attachment, told: StepMessage, raw: bytes) -> None:
        self._order.append(f"step {told.offset}")


async def test_everybody_is_told_the_part_that_is_meant_for_them() -> None:
    bench = Bench()
    parts = {Seat(1): msgspec.Raw(b'"seat"')}
    told = StepMessage(ROOM, Epoch(7), Offset(2), msgspec.Raw(b'"public"'), parts, msgspec.Raw(b'"watchers"'))
    ears = [bench.attach(seat=seat, wants=wants)[0] for seat, wants in ((0, 0), (1, 0), (None, 0), (None, Wants.VIEW))]
    bench.say(1, told)
    assert [ear.raw for ear in ears] == [[b'"public"'], [b'"seat"'], [b'"public"'], [b'"watchers"']]


async def test_what_a_seat_was_told_before_its_player_sat_down_is_not_told_again() -> None:
    bench = Bench()
    parts = {Seat(0): msgspec.Raw(b'"seat"')}
    steps = [StepMessage(ROOM, Epoch(7), Offset(number), msgspec.Raw(b'"public"'), parts) for number in (2, 3)]
    ear, attachment = bench.attach()
    attachment.since = Offset(3)
    bench.say(1, *steps)
    assert ear.raw == [b'"public"', b'"seat"']


async def test_the_last_spectator_is_known() -> None:
    bench = Bench()
    spectators = [bench.attach(seat=None)[1] for _ in range(2)]
    bench.attach()
    assert [bench.hub.detach(one) for one in spectators] == [False, True]


async def test_a_player_who_goes_is_no_last_spectator() -> None:
    bench = Bench()
    _, player = bench.attach()
    assert not bench.hub.detach(player)


async def test_a_store_that_is_away_is_asked_again() -> None:
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
    ear, _ = bench.attach(1, 2)
    await eventually_async(lambda: ear.heard == [2], "the hole is filled")
