"""Reading rooms again: in portions, for few at once, and from where one was."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from gateway.http import room_records
from gateway.http.room_records import MOST_STEPS, RoomRecords
from shared.bus import keys
from shared.bus.store import Argument, RedisCommand
from shared.deliveries import StepMessage
from shared.ids import Epoch, Offset, RoomId, Seat, SessionId
from shared.journal_records import JournalRecord
from tests.support import batches
from tests.support.fake_store import FakeStore

PARTITIONS = keys.all_keys(1)
P = PARTITIONS[0]
ROOM = RoomId(1_000)
OPENED = b'{"type":"room.opened","spec":{"game":"stones","seats":2,"private":true},"version":1}'
STARTED = b'{"type":"room.started","seats":[0,1],"order":[0,1]}'
ENDED = b'{"type":"room.ended","winners":[0],"names":["x"]}'
MOVED = b'{"type":"taken","seat":0,"count":1}'


class Counting(FakeStore):
    """Counts the entries that it gives, and can keep everybody waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []
        self.read: list[int] = []
        """The numbers of entries of logs."""
        self.asked = 0
        self.answers = asyncio.Event()
        self.answers.set()

    async def call(self, *command: Argument) -> Any:
        reply = await super().call(*command)
        self.given.append(len(reply))
        return reply

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        self.asked += 1
        await self.answers.wait()
        replies = await super().pipe(commands, errors=errors)
        self.read += [len(reply) for command, reply in zip(commands, replies, strict=True) if command[0] == "XRANGE"]
        return replies

    def add(self, *commands: RedisCommand) -> None:
        self.cast(commands)


@pytest.fixture
async def store() -> Counting:
    return Counting()


@pytest.fixture
async def recordings(store: Counting) -> RoomRecords:
    return RoomRecords(store, PARTITIONS)


def joined(sid: str, seat: int) -> bytes:
    return b'{"type":"room.joined","seat":%d,"name":"x","sid":"%s"}' % (seat, sid.encode())


def filed(first: int, *events: bytes, epoch: int = 7, room: RoomId = ROOM) -> Sequence[RedisCommand]:
    """Records of one event each."""
    return [
        batches.filed(P, room, offset, 0, JournalRecord(offset, Epoch(epoch), events=msgspec.Raw(b"[%s]" % event)))
        for offset, event in enumerate(events, first)
    ]


def updates_of(first: int, last: int, wide: int = 0) -> Sequence[RedisCommand]:
    def step(offset: int) -> StepMessage:
        public = b'{"room":1000,"epoch":7,"offset":%d,"at":1,"events":[{"type":"%s"}]}' % (offset, b"x" * wide)
        return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(public), {})

    return [batches.written(P, step(offset)) for offset in range(first, last + 1)]


async def test_a_long_journal_is_read_in_portions(store: Counting, recordings: RoomRecords) -> None:
    store.add(*filed(1, OPENED, joined("s-1", 0), *[MOVED] * 1_000, joined("s-2", 1), ENDED))
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert (recording.holders, recording.private) == ({SessionId("s-1"): Seat(0), SessionId("s-2"): Seat(1)}, True)
    assert recording.finished
    assert recording.public_spec == {"game": "stones", "seats": 2, "private": True}
    assert (max(store.given), sum(store.given)) == (8, 1_004)


@pytest.mark.parametrize("kind", [b"room.joined", b"room.back"])
async def test_a_session_that_gave_its_seat_up_cannot_read_later_updates_of_the_seat(
    store: Counting, recordings: RoomRecords, kind: bytes
) -> None:
    left = b'{"type":"room.left","seat":0,"name":"x","reason":"left"}'
    store.add(*filed(1, OPENED, joined("s-1", 0), joined("s-2", 1), STARTED, left))
    store.add(*filed(6, joined("s-3", 0).replace(b"room.joined", kind), MOVED))
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert recording.holders == {SessionId("s-2"): Seat(1), SessionId("s-3"): Seat(0)}


async def test_a_room_that_never_was_is_not_remembered(store: Counting, recordings: RoomRecords) -> None:
    assert await recordings.of(ROOM) is None
    store.add(*filed(1, OPENED))
    assert await recordings.of(ROOM) is not None


async def test_a_second_request_reads_only_the_records_since_the_first(
    store: Counting, recordings: RoomRecords
) -> None:
    store.add(*filed(1, OPENED, joined("s-1", 0), *[MOVED] * 500))
    before = await recordings.of(ROOM)
    store.given.clear()
    store.add(*filed(503, joined("s-2", 1)))
    after = await recordings.of(ROOM)
    assert before is not None
    assert after is not None
    assert (len(before.seats), len(after.seats)) == (1, 2)
    assert sum(store.given) == 2


async def test_refusals_that_were_deleted_meanwhile_are_not_missed(store: Counting, recordings: RoomRecords) -> None:
    store.add(*filed(1, OPENED, joined("s-1", 0), *[MOVED] * 500))
    store.add(batches.filed(P, ROOM, 502, 1, JournalRecord(1, Epoch(7), code="game/illegal")))
    await recordings.of(ROOM)
    store.given.clear()
    store.add(("XDEL", P.journal(ROOM), "502-1"), *filed(503, joined("s-2", 1)))
    after = await recordings.of(ROOM)
    assert after is not None
    assert len(after.seats) == 2
    assert sum(store.given) == 2


@pytest.mark.parametrize("top", [2, 3, 4])
async def test_records_that_the_store_has_lost_are_forgotten(
    store: Counting, recordings: RoomRecords, top: int
) -> None:
    store.add(*filed(1, OPENED, MOVED, joined("s-ghost", 0)))
    await recordings.of(ROOM)
    store.add(("DEL", P.journal(ROOM)), *filed(1, OPENED, MOVED))
    store.add(*filed(3, *[MOVED] * (top - 2), epoch=8))
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert recording.holders == {}


async def test_only_the_rooms_that_were_asked_for_last_are_remembered(
    store: Counting, recordings: RoomRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_records, "_REMEMBERED", 2)
    for number in range(3):
        store.add(*filed(1, OPENED, MOVED, room=RoomId(ROOM + number)))
    read = []
    for number in (0, 1, 0, 2, 0, 1):
        store.given.clear()
        await recordings.of(RoomId(ROOM + number))
        read.append(sum(store.given))
    assert read == [2, 2, 1, 2, 1, 2]


def logged(commit: int, first: int, *events: bytes, epoch: int = 7) -> RedisCommand:
    """A commit with records of one event each."""
    records = [
        [ROOM, offset, 0, JournalRecord(offset, Epoch(epoch), events=msgspec.Raw(b"[%s]" % event))]
        for offset, event in enumerate(events, first)
    ]
    return ("XADD", P.journal_log, f"{commit}-{epoch}", "b", msgspec.json.encode([records, []]))


async def test_records_that_only_the_log_has_are_read_from_there(store: Counting, recordings: RoomRecords) -> None:
    store.add(*filed(1, OPENED), logged(4, 1, OPENED), logged(5, 2, joined("s-1", 0)))
    before = await recordings.of(ROOM)
    store.add(logged(6, 3, joined("s-2", 1)))
    store.add(*filed(2, joined("s-1", 0), joined("s-2", 1)))
    after = await recordings.of(ROOM)
    assert before is not None
    assert after is not None
    assert (len(before.seats), before.offset) == (1, 2)
    assert (len(after.seats), after.offset) == (2, 3)


async def test_a_log_is_read_on_from_where_the_last_reading_ended(store: Counting, recordings: RoomRecords) -> None:
    store.add(*(logged(number, number, OPENED) for number in range(1, 301)))
    await recordings.of(ROOM)
    store.read.clear()
    store.add(logged(301, 301, joined("s-1", 0)))
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert recording.offset == 301
    assert sum(store.read) <= 3


async def test_commits_that_the_store_lost_are_forgotten(store: Counting, recordings: RoomRecords) -> None:
    store.add(logged(1, 1, OPENED), logged(2, 2, joined("s-ghost", 0)))
    await recordings.of(ROOM)
    store.add(("DEL", P.journal_log), logged(1, 1, OPENED), logged(2, 2, MOVED, epoch=8), logged(3, 3, MOVED, epoch=8))
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert (recording.holders, recording.offset) == ({}, 3)


async def test_a_long_game_comes_in_pages(store: Counting, recordings: RoomRecords) -> None:
    store.add(*updates_of(1, MOST_STEPS + 300))
    first = await recordings.steps(ROOM, 0)
    second = await recordings.steps(ROOM, first.steps[-1].offset)
    assert [step.offset for step in first.steps + second.steps] == list(range(1, MOST_STEPS + 301))
    assert (len(first.steps), first.more, second.more) == (MOST_STEPS, True, False)
    assert max(store.given) == 8
    assert not first.trimmed | second.trimmed


async def test_a_page_of_large_steps_is_shorter(store: Counting, recordings: RoomRecords) -> None:
    store.add(*updates_of(1, 500, wide=50_000))
    first = await recordings.steps(ROOM, 0)
    assert (len(first.steps), first.more) == (48, True)


async def test_an_answer_says_that_steps_are_trimmed(store: Counting, recordings: RoomRecords) -> None:
    store.add(*updates_of(5, 300))
    assert (await recordings.steps(ROOM, 0)).trimmed
    assert not (await recordings.steps(ROOM, 4)).trimmed


async def test_few_read_at_once_and_nobody_for_too_long(
    store: Counting, recordings: RoomRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_records, "_TIMEOUT_S", 0.01)
    store.add(*filed(1, OPENED))
    store.answers.clear()
    requests = [recordings.of(ROOM) for _ in range(10)]
    outcomes = await asyncio.gather(*requests, return_exceptions=True)
    assert all(isinstance(outcome, TimeoutError) for outcome in outcomes)
    assert store.asked == 4
    store.answers.set()
    assert await recordings.of(ROOM) is not None


async def test_a_request_after_a_timeout_goes_on_where_the_last_one_ended(
    store: Counting, recordings: RoomRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(*filed(1, OPENED, joined("s-1", 0), *[MOVED] * 500))
    monkeypatch.setattr(room_records, "_TIMEOUT_S", 0.05)
    answer = store.call

    async def once(*command: Argument) -> Any:
        if store.given:
            store.answers.clear()
        return await answer(*command)

    monkeypatch.setattr(store, "call", once)
    with pytest.raises(TimeoutError):
        await recordings.of(ROOM)
    monkeypatch.undo()
    store.answers.set()
    store.given.clear()
    recording = await recordings.of(ROOM)
    assert recording is not None
    assert len(recording.seats) == 1
    assert sum(store.given) == 1 + 494
