"""Commands on their way to the rooms: same id, same order, until they are answered."""

import time

import pytest

from gateway.cluster.command_outbox import Busy, CommandOutbox
from shared.commands import Enter, Envelope, Gone, RoomCommand, Say, Unwatch, Watch
from shared.deliveries import Reply
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId
from tests.support.gateway_bench import KEYS, GatewayBench, settle
from tests.support.waiting import eventually_async

OTHER = RoomId(1001)


class Bench(GatewayBench):
    def __init__(self, linger_s: float = 0.0) -> None:
        super().__init__()
        self.outgoing = CommandOutbox(self.store, KEYS, 5, lambda: self.now, linger_s)

    def send(
        self, number: int, body: RoomCommand = Say("x"), *, room: int = 1000, conn: int = 1, urgent: bool = False
    ) -> Envelope:
        envelope = Envelope(RoomId(room), SessionId("s"), CommandId(number), body, GatewayId("g"), conn)
        self.outgoing.send(envelope, urgent=urgent)
        return envelope

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


async def test_after_many_commands_the_next_wait_for_others() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number)
    await settle()
    bench.send(6, urgent=True)
    await settle()
    before = len(bench.store.casts)
    bench.send(7, urgent=True)
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert (before, await bench.ids()) == (1, [1, 2, 3, 4, 5, 6, 7])


async def test_after_few_commands_the_next_wait_for_nothing() -> None:
    bench = Bench(linger_s=3_600)
    for number in range(1, 4):
        bench.send(number)
        await settle()
    assert len(bench.store.casts) == 3


async def test_an_unanswered_command_is_added_again() -> None:
    bench = Bench()
    bench.send(1)
    await bench.ids()
    bench.outgoing.repeat()
    assert await bench.ids() == [1]


async def test_an_answered_command_is_not_added_again() -> None:
    bench = Bench()
    bench.outgoing.answered(answer(bench.send(1)))
    await bench.ids()
    assert bench.outgoing.repeat() == 0


async def test_commands_are_added_again_in_the_same_order() -> None:
    bench = Bench()
    sent = [bench.send(number) for number in range(1, 6)]
    await bench.ids()
    bench.outgoing.answered(answer(sent[1]))
    bench.outgoing.repeat()
    assert await bench.ids() == [1, 3, 4, 5]


async def test_a_command_that_waits_for_others_stays_behind_those_that_are_added_again() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number)
    await bench.ids()
    bench.send(6, urgent=True)
    bench.outgoing.repeat()
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert await bench.ids() == [1, 2, 3, 4, 5, 6]


async def test_a_command_that_waits_for_others_is_not_lost_when_older_ones_are_added_again() -> None:
    bench = Bench(linger_s=0.001)
    for number in range(1, 6):
        bench.send(number, room=OTHER)
    await bench.ids()
    bench.now += 5
    bench.send(6, urgent=True)
    bench.outgoing.repeat(Partition(0), older_than=5)
    await eventually_async(lambda: len(bench.store.casts) == 2)
    assert await bench.ids() == [6]


async def test_only_commands_of_a_partition_are_added_again_after_its_gap() -> None:
    bench = Bench()
    bench.send(1)
    bench.send(2, room=OTHER)
    await bench.ids()
    bench.outgoing.repeat(Partition(1))
    assert await bench.ids() == [2]


async def test_commands_that_were_tried_just_now_are_not_tried_again() -> None:
    bench = Bench()
    bench.send(1)
    bench.now += 4
    bench.send(2)
    bench.now += 1
    await bench.ids()
    bench.outgoing.repeat(older_than=5.0)
    assert await bench.ids() == [1]


async def test_who_came_to_look_on_after_the_last_one_went_is_added_again_behind_that() -> None:
    bench = Bench()
    bench.send(1, Unwatch())
    bench.now += 4
    bench.send(2, Watch())
    bench.send(3, room=1002)
    await bench.ids()
    bench.now += 1
    bench.outgoing.repeat(older_than=5)
    assert await bench.ids() == [1, 2]


async def test_an_answer_is_taken_once() -> None:
    bench = Bench()
    envelope = bench.send(1)
    answers = [bench.outgoing.answered(answer(envelope)) for _ in range(2)]
    assert (answers[0] is not None, answers[1]) == (True, None)


async def test_an_answer_to_another_connection_is_not_ours() -> None:
    bench = Bench()
    envelope = bench.send(1)
    assert bench.outgoing.answered(Reply(99, envelope.room, envelope.id)) is None


async def test_too_many_unanswered_commands_are_refused() -> None:
    bench = Bench()
    for number in range(5):
        bench.send(number)
    with pytest.raises(Busy, match="busy/backlog"):
        bench.send(5)


async def test_a_refused_command_was_never_written() -> None:
    bench = Bench()
    for number in range(5):
        bench.send(number)
    with pytest.raises(Busy):
        bench.send(5)
    assert 5 not in await bench.ids()


async def test_a_store_that_is_away_makes_busy() -> None:
    bench = Bench()
    bench.outgoing.up = lambda: False
    with pytest.raises(Busy, match="busy/store"):
        bench.send(1)


async def test_the_gateways_own_commands_are_never_refused() -> None:
    bench = Bench()
    bench.outgoing.up = lambda: False
    for number in range(9):
        bench.send(-number, Gone(), urgent=True)
    assert len(bench.outgoing) == 9


async def test_a_command_that_was_written_is_never_called_busy() -> None:
    bench = Bench()
    bench.send(1)
    bench.outgoing.up = lambda: False
    assert len(bench.outgoing) == 1


async def test_commands_that_make_a_connection_attend_are_known() -> None:
    bench = Bench()
    kinds: tuple[RoomCommand, ...] = (Enter("ada"), Watch(), Say("x"))
    sent = [bench.send(number, body) for number, body in enumerate(kinds)]
    assert [bench.outgoing.attaches(answer(envelope)) for envelope in sent] == [True, True, False]


async def test_what_a_lost_connection_wanted_to_attend_to_is_abandoned() -> None:
    bench = Bench()
    kinds: tuple[RoomCommand, ...] = (Watch(), Say("x"), Enter("ada"))
    for number, body in enumerate(kinds):
        bench.send(number, body, room=1000 + number)
    bench.send(9, Watch(), room=1009, conn=2)
    assert bench.outgoing.abandon(1) == [1000, 1002]


async def test_what_was_abandoned_is_not_added_again_and_the_rest_is() -> None:
    bench = Bench()
    bench.send(1, Watch())
    bench.send(2, Say("x"))
    await bench.ids()
    bench.outgoing.abandon(1)
    bench.outgoing.repeat()
    assert await bench.ids() == [2]


async def test_others_who_come_to_look_on_are_known_until_they_are_answered_or_gone() -> None:
    bench = Bench()
    first, _ = bench.send(1, Watch(), conn=2), bench.send(1, Watch(), conn=3)
    known = [bench.outgoing.others_come(RoomId(1000), 1)]
    bench.outgoing.answered(answer(first))
    known += [bench.outgoing.others_come(RoomId(1000), conn) for conn in (1, 3)]
    bench.outgoing.abandon(3)
    known += [bench.outgoing.others_come(RoomId(1000), 1)]
    assert known == [True, True, False, False]


async def test_who_comes_to_play_or_goes_elsewhere_does_not_come_to_look_on() -> None:
    bench = Bench()
    bench.send(1, Enter("ada"), conn=2)
    bench.send(1, Watch(), room=OTHER, conn=3)
    assert not bench.outgoing.others_come(RoomId(1000), 1)


async def test_a_command_that_took_the_number_of_another_is_not_abandoned_in_its_place() -> None:
    bench = Bench()
    bench.send(1, Watch())
    bench.send(1, Say("x"))
    assert (bench.outgoing.abandon(1), len(bench.outgoing)) == ([], 1)


async def test_lost_connections_cost_no_look_at_the_commands_of_all_others() -> None:
    bench = Bench()
    for conn in range(20_000):
        bench.send(-1, Gone(), room=1000 + conn, conn=conn, urgent=True)
    begun = time.process_time()
    for conn in range(5_000):
        bench.outgoing.abandon(conn)
        bench.outgoing.others_come(RoomId(1000), conn)
    assert time.process_time() - begun < 1


async def test_a_gateway_that_begins_anew_forgets_everything() -> None:
    bench = Bench()
    bench.send(1)
    bench.outgoing.forget()
    assert (len(bench.outgoing), await bench.ids()) == (0, [])
