"""What a batch of commands comes to, until it is committed in one go."""

import msgspec
import pytest

from shared.bus.journal import JournalRecord
from shared.bus.keys import Keys
from shared.commands import Envelope, Gone
from shared.deliveries import Delivery, Reply, StepMessage
from shared.ids import CommandId, Epoch, GatewayId, Offset, Partition, RoomId, SessionId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from worker.room.batch import Batch, DueDeadline

ROOM = RoomId(1000)
G1, G2 = GatewayId("g-1"), GatewayId("g-2")
RECORD = JournalRecord(1, Epoch(7))
LISTING = Listing(ROOM, "stones", 2, RoomStatus.WAITING)
_decode = msgspec.json.Decoder(Delivery).decode


KEYS = Keys(Partition(0), 4)


def batch() -> Batch:
    return Batch(KEYS, Epoch(7))


def envelope(gateway: GatewayId = G1) -> Envelope:
    return Envelope(ROOM, SessionId("s"), CommandId(1), Gone(), gateway, 1)


def reply(number: int) -> Reply:
    return Reply(1, ROOM, CommandId(number))


def told(offset: int) -> StepMessage:
    return StepMessage(ROOM, Epoch(7), Offset(offset), msgspec.Raw(b"{}"))


def messages(one: Batch, numbers: dict[GatewayId, int]) -> dict[str, Delivery]:
    _, published = one.seal(numbers)
    return {channel.split(":")[2]: _decode(items) for channel, items in published}


def test_everything_for_a_gateway_is_one_message() -> None:
    one = batch()
    one.step(RECORD, told(1), (G1, G2))
    one.step(RECORD, told(2), (G1,))
    one.reply(envelope(), reply(1))
    assert messages(one, {})["g-1"] == Delivery(Partition(0), Epoch(7), 1, (told(1), told(2)), (reply(1),))


def test_messages_to_a_gateway_are_numbered() -> None:
    one = batch()
    one.reply(envelope(), reply(1))
    numbers = {G1: 41, G2: 5}
    messages(one, numbers)
    assert numbers == {G1: 42, G2: 5}


def test_a_gateway_with_nothing_to_hear_is_sent_nothing() -> None:
    assert messages(batch(), {G1: 3}) == {}


def test_the_updates_of_a_room_are_trimmed_now_and_then_once_there_are_too_many() -> None:
    one = Batch(Keys(Partition(0), 4), Epoch(7), 500)
    for offset in range(1, 501):
        one.step(RECORD, told(offset), ())
    assert not one.writes
    for offset in range(501, 600):
        one.step(RECORD, told(offset), ())
    trims = [write for write in one.writes if write[0] == "XTRIM"]
    assert trims == [("XTRIM", one.partition.updates(ROOM), "MAXLEN", "~", 500)] * 3


def test_many_records_are_deleted_with_several_commands() -> None:
    one = batch()
    places = [(Offset(3), number) for number in range(1, 2_501)]
    one.forget(ROOM, places)
    assert [len(write) for write in one.writes] == [1_002, 1_002, 502]
    deleted = [word for write in one.writes for word in write[2:]]
    assert deleted == [f"{offset}-{number}" for offset, number in places]


def test_an_answer_to_nobody_is_not_sent() -> None:
    one = batch()
    one.reply(envelope(GatewayId("")), reply(1))
    assert messages(one, {}) == {}


def test_what_a_broken_command_came_to_is_rolled_back() -> None:
    one, clean = batch(), batch()
    for each in (one, clean):
        each.step(RECORD, told(1), (G1,))
        each.reply(envelope(), reply(1))
        each.listings[ROOM] = None
        each.start(DueDeadline(5, ROOM, "turn", 1))
    mark = one.mark(ROOM)
    one.step(RECORD, told(2), (G1, G2))
    one.reply(envelope(G2), reply(2))
    one.listings[ROOM] = LISTING
    one.start(DueDeadline(6, ROOM, "turn", 2))
    one.onward.append(envelope())
    one.roll_back(mark)
    assert (one, one.seal({})) == (clean, clean.seal({}))


def test_a_broken_command_leaves_no_room_in_the_directory() -> None:
    one = batch()
    mark = one.mark(ROOM)
    one.listings[ROOM] = LISTING
    one.roll_back(mark)
    assert one.listings == {}


@pytest.mark.parametrize("name", ["turn", "seat.3", "game.a:b:c"])
def test_a_deadline_is_read_as_it_was_written(name: str) -> None:
    due = DueDeadline(123, ROOM, name, 9)
    assert DueDeadline.parse(due.member, 123) == due
