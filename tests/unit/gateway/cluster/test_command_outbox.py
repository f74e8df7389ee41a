"""Commands are added to the streams with the same id and in the same order until they are answered."""

import time

import pytest

from gateway.cluster.command_outbox import CommandOutbox
from shared.commands import Enter, Envelope, Gone, Match, Open, Rematch, RoomCommand, Say, Unwatch, Watch
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId
from shared.room_events import RoomSpec
from tests.support.gateway_bench import KEYS, GatewayBench, settle
from tests.support.waiting import eventually_async

OTHER = RoomId(1001)


class Bench(GatewayBench):
    def __init__(self, linger_s: float = 0.0) -> None:
        super().__init__()
        self.replies: list[Reply] = []
        node = self.node
        self.outbox = CommandOutbox(
            node.identity,
            self.store,
            KEYS,
            node.metrics,
            lambda: self.now,
            most=5,
            linger_s=linger_s,
            store_up=lambda: self.store.up,
        )

    def answered(self, reply: Reply) -> None:
        self.replies.append(reply)

    def send(self, number: int, body: RoomCommand = Say("x"), *, room: int = 1000, conn: int = 1) -> Envelope:
        envelope, refused = self.try_to_send(number, body, room=room, conn=conn)
        assert refused is None
        return envelope

    def try_to_send(
        self, number: int, body: RoomCommand = Say("x"), *, room: int = 1000, conn: int = 1
    ) -> tuple[Envelope, ErrorCode | None]:
        envelope = Envelope(RoomId(room), SessionId("s"), CommandId(number), body, GatewayId("g"), conn)
        return envelope, self.outbox.send(envelope, self)

    def send_own(self, room: int = 1000, conn: int = 1) -> None:
        self.outbox.send_own(RoomId(room), SessionId("s"), conn, Gone())

    async def ids(self) -> list[int]:
        return [envelope.id for envelope in await self.added()]


def answer(envelope: Envelope) -> Reply:
    return Reply(envelope.conn, envelope.room, envelope.id)


async def test_commands_of_one_tick_are_one_entry_per_partition() -> None:
    bench = Bench()
    for number, room in ((1, 1000), (2, 1001), (3, 1000)):
        bench.send(number, room=room)
    await settle()
    assert [len(adds) for adds in bench.store.casts] == [2]


async def test_commands_are_added_in_order() -> None:
    bench = Bench()
    for number in range(1, 5):
        bench.send(number)
    assert await bench.ids() == [1, 2, 3, 4]


async def test_after_a_large_batch_the_next_commands_wait_for_others() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number)
    await settle()
    bench.send_own()
    await settle()
    before = len(bench.store.casts)
    bench.send_own()
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert before == 1
    assert await bench.ids() == [1, 2, 3, 4, 5, -1, -2]


async def test_after_a_small_batch_the_next_commands_do_not_wait() -> None:
    bench = Bench(linger_s=3_600)
    for number in range(1, 4):
        bench.send(number)
        await settle()
    assert len(bench.store.casts) == 3


async def test_an_unanswered_command_is_added_again() -> None:
    bench = Bench()
    bench.send(1)
    await bench.ids()
    bench.outbox.resend()
    assert await bench.ids() == [1]


async def test_an_answered_command_is_not_added_again() -> None:
    bench = Bench()
    bench.outbox.answer(answer(bench.send(1)))
    await bench.ids()
    assert bench.outbox.resend() == 0


async def test_commands_are_added_again_in_the_same_order() -> None:
    bench = Bench()
    sent = [bench.send(number) for number in range(1, 6)]
    await bench.ids()
    bench.outbox.answer(answer(sent[1]))
    bench.outbox.resend()
    assert await bench.ids() == [1, 3, 4, 5]


async def test_a_waiting_command_stays_behind_those_that_are_added_again() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number)
    await bench.ids()
    bench.send_own()
    bench.outbox.resend()
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert await bench.ids() == [1, 2, 3, 4, 5, -1]


async def test_a_waiting_command_is_not_lost_when_older_ones_are_added_again() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number, room=OTHER)
    await bench.ids()
    bench.now += 5
    bench.send_own()
    bench.outbox.resend(Partition(0), older_than_s=5)
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert await bench.ids() == [-1]


async def test_only_commands_of_a_partition_are_added_again_after_its_gap() -> None:
    bench = Bench()
    bench.send(1)
    bench.send(2, room=OTHER)
    await bench.ids()
    bench.outbox.resend(Partition(1))
    assert await bench.ids() == [2]


async def test_commands_that_were_tried_just_now_are_not_tried_again() -> None:
    bench = Bench()
    bench.send(1)
    bench.now += 4
    bench.send(2)
    bench.now += 1
    await bench.ids()
    bench.outbox.resend(older_than_s=5.0)
    assert await bench.ids() == [1]


async def test_a_watch_behind_an_unwatch_is_added_again_with_it() -> None:
    bench = Bench()
    bench.send(1, Unwatch())
    bench.now += 4
    bench.send(2, Watch())
    bench.send(3, room=1002)
    await bench.ids()
    bench.now += 1
    bench.outbox.resend(older_than_s=5)
    assert await bench.ids() == [1, 2]


async def test_an_answer_is_taken_once() -> None:
    bench = Bench()
    envelope = bench.send(1)
    for _ in range(2):
        bench.outbox.answer(answer(envelope))
    assert bench.replies == [answer(envelope)]


async def test_an_answer_to_another_connection_is_ignored() -> None:
    bench = Bench()
    envelope = bench.send(1)
    bench.outbox.answer(Reply(99, envelope.room, envelope.id))
    assert bench.replies == []
    assert len(bench.outbox) == 1


async def test_a_command_is_measured_once_however_often_it_is_answered() -> None:
    bench = Bench()
    envelope = bench.send(1)
    bench.now += 2
    for _ in range(2):
        bench.outbox.answer(answer(envelope))
    assert bench.node.metrics.status()["answers"] == 1
    assert bench.node.metrics.status()["half_ms"] == 2_000


async def test_too_many_unanswered_commands_are_refused() -> None:
    bench = Bench()
    for number in range(5):
        bench.send(number)
    assert bench.try_to_send(5)[1] == "busy/backlog"


async def test_a_refused_command_was_never_written() -> None:
    bench = Bench()
    for number in range(5):
        bench.send(number)
    bench.try_to_send(5)
    assert 5 not in await bench.ids()


async def test_commands_are_refused_while_the_store_is_unreachable() -> None:
    bench = Bench()
    bench.store.up = False
    assert bench.try_to_send(1)[1] == "busy/store"


async def test_the_gateways_own_commands_are_never_refused() -> None:
    bench = Bench()
    bench.store.up = False
    for _ in range(9):
        bench.send_own()
    assert len(bench.outbox) == 9


async def test_a_command_that_was_accepted_stays_accepted() -> None:
    bench = Bench()
    bench.send(1)
    bench.store.up = False
    assert len(bench.outbox) == 1


async def test_only_commands_that_attach_a_connection_are_answered_before_the_steps() -> None:
    bench = Bench()
    kinds: tuple[RoomCommand, ...] = (Enter("ada"), Watch(), Say("x"))
    answers = [answer(bench.send(number, body)) for number, body in enumerate(kinds)]
    assert bench.outbox.answer_attaching(answers) == answers[2:]
    assert len(bench.outbox) == 1


async def test_commands_that_would_attach_a_lost_connection_are_abandoned() -> None:
    bench = Bench()
    kinds: tuple[RoomCommand, ...] = (Watch(), Say("x"), Enter("ada"))
    for number, body in enumerate(kinds):
        bench.send(number, body, room=1000 + number)
    bench.send(9, Watch(), room=1009, conn=2)
    assert bench.outbox.abandon(1) == [1000, 1002]


async def test_abandoned_commands_are_not_added_again_and_others_are() -> None:
    bench = Bench()
    bench.send(1, Watch())
    bench.send(2, Say("x"))
    await bench.ids()
    bench.outbox.abandon(1)
    bench.outbox.resend()
    assert await bench.ids() == [2]


async def test_a_spectator_is_expected_until_it_is_answered_or_gone() -> None:
    bench = Bench()
    first, _ = bench.send(1, Watch(), conn=2), bench.send(1, Watch(), conn=3)
    known = [bench.outbox.expects_spectator(RoomId(1000), 1)]
    bench.outbox.answer(answer(first))
    known += [bench.outbox.expects_spectator(RoomId(1000), conn) for conn in (1, 3)]
    bench.outbox.abandon(3)
    known += [bench.outbox.expects_spectator(RoomId(1000), 1)]
    assert known == [True, True, False, False]


async def test_players_and_spectators_of_other_rooms_are_not_expected_spectators() -> None:
    bench = Bench()
    bench.send(1, Enter("ada"), conn=2)
    bench.send(1, Watch(), room=OTHER, conn=3)
    assert not bench.outbox.expects_spectator(RoomId(1000), 1)


async def test_a_command_with_the_id_of_an_earlier_one_is_not_abandoned_in_its_place() -> None:
    bench = Bench()
    bench.send(1, Watch())
    bench.send(1, Say("x"))
    assert bench.outbox.abandon(1) == []
    assert len(bench.outbox) == 1


async def test_a_lost_connection_does_not_cost_a_scan_of_all_commands() -> None:
    bench = Bench()
    for conn in range(20_000):
        bench.send_own(1000 + conn, conn)
    begun = time.process_time()
    for conn in range(5_000):
        bench.outbox.abandon(conn)
        bench.outbox.expects_spectator(RoomId(1000), conn)
    assert time.process_time() - begun < 1


async def test_clear_drops_everything() -> None:
    bench = Bench()
    bench.send(1)
    bench.outbox.clear()
    assert len(bench.outbox) == 0
    assert await bench.ids() == []


OPENING: tuple[RoomCommand, ...] = (
    Open(RoomSpec("stones", 2), RoomId(100_000_000)),
    Match("stones", open=RoomSpec("stones", 2)),
    Rematch(RoomId(100_000_000)),
)


@pytest.mark.parametrize("body", OPENING)
async def test_no_room_is_opened_in_a_store_that_is_almost_full(body: RoomCommand) -> None:
    bench = Bench()
    bench.outbox.store_share = 0.79
    assert bench.try_to_send(1, body)[1] is None
    bench.outbox.store_share = 0.8
    assert bench.try_to_send(2, body)[1] == "busy/store_full"
    assert await bench.ids() == [1]


@pytest.mark.parametrize("body", [Say("x"), Match("stones"), Enter("ada", RoomSpec("stones", 2))])
async def test_rooms_that_are_there_go_on_until_the_store_is_full(body: RoomCommand) -> None:
    bench = Bench()
    bench.outbox.store_share = 0.99
    assert bench.try_to_send(1, body)[1] is None
    bench.outbox.store_share = 1.0
    assert bench.try_to_send(2, body)[1] == "busy/store_full"


async def test_the_gateways_own_commands_are_always_accepted() -> None:
    bench = Bench()
    bench.outbox.store_share = 1.2
    bench.send_own()
    assert len(await bench.ids()) == 1
