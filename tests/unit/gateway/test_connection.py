"""A connection with its session, on the parts of a gateway node and a store in the test process."""

import dataclasses

import msgspec
import pytest

from gateway.dialects import dialects
from gateway.dialects.contract import Dialect
from gateway.transports.close_codes import FLOOD
from shared.bus.directory import ListingChange
from shared.commands import Act, Enter, Say
from shared.deliveries import Reply
from shared.errors import ErrorCode
from shared.ids import GatewayId, RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.gateway_bench import (
    ROOM,
    SETTINGS,
    GatewayBench,
    reply_to,
    step,
)
from tests.unit.gateway.play_client import Client, done_by, only, seated, welcome

# --- commands ---------------------------------------------------------------------------------------------------------


async def test_a_move_is_on_its_way_at_once() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={"type": "take", "count": 1})
    envelope = await only(client.bench)
    assert isinstance(envelope.body, Act)
    assert (envelope.id, bytes(envelope.body.command)) == (5, b'{"type":"take","count":1}')


async def test_a_move_is_acknowledged_with_its_step() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    client.bench.answer(reply_to(await only(client.bench), 4), steps=[step(4)])
    assert await client.kinds() == ["update", "ack"]


async def test_a_step_that_names_its_command_is_the_answer() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    envelope = await only(client.bench)
    client.bench.answer(steps=[done_by(envelope, 4)])
    received = await client.received()
    assert [(message["type"], message["id"], message["offset"]) for message in received[1:]] == [("ack", 5, 4)]
    assert len(client.bench.node.outbox) == 0


async def test_a_step_that_a_command_of_another_gateway_caused_answers_nothing_here() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    envelope = await only(client.bench)
    elsewhere = msgspec.structs.replace(envelope, gateway=GatewayId("g-other"))
    client.bench.answer(steps=[done_by(elsewhere, 4)])
    assert await client.kinds() == ["update"]


async def test_a_reply_that_comes_twice_is_passed_on_once() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    envelope = await only(client.bench)
    for _ in range(2):
        client.bench.answer(reply_to(envelope, 4))
    assert await client.kinds() == ["ack"]


async def test_a_lost_answer_is_asked_for_again() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    first = await only(client.bench)
    client.bench.lose_message()
    client.bench.answer(steps=[step(4)])
    again = [envelope for envelope in await client.bench.added() if envelope.id == 5]
    assert again == [first]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "act", "command": {"type": "take"}},
        {"type": "say", "text": "hi"},
        {"type": "join"},
        {"type": "spectate"},
        {"type": "resume", "epoch": 1, "offset": 1},
        {"type": "leave"},
        {"type": "rematch"},
    ],
    ids=lambda message: str(message["type"]),
)
async def test_a_refusal_by_a_room_names_the_room(message: dict[str, object]) -> None:
    client = await welcome()
    client.say(id=2, room=ROOM, **message)
    envelope = await only(client.bench)
    client.bench.answer(Reply(envelope.conn, ROOM, envelope.id, "room/unknown"))
    (received,) = await client.received()
    assert (received["code"], received["id"], received["room"]) == ("room/unknown", 2, ROOM)


async def test_a_refused_move_is_answered_with_its_code() -> None:
    client = await seated()
    client.say(type="act", id=5, room=ROOM, command={})
    envelope = await only(client.bench)
    client.bench.answer(Reply(envelope.conn, ROOM, envelope.id, "game/over"))
    assert [(message["id"], message["code"]) for message in await client.received()] == [(5, "game/over")]


async def test_commands_keep_the_order_in_which_they_were_sent() -> None:
    client = await welcome()
    client.say(type="join", id=1, room=ROOM)
    client.say(type="say", id=2, room=ROOM, text="after")
    first = await only(client.bench)
    client.bench.answer(reply_to(first))
    second = await only(client.bench)
    assert (type(first.body), type(second.body)) == (Enter, Say)


async def test_a_busy_gateway_refuses_a_command_before_it_is_written() -> None:
    client = await seated()
    client.bench.store.up = False
    client.say(type="act", id=5, room=ROOM, command={})
    assert [message["code"] for message in await client.received()] == ["busy/store"]
    assert await client.bench.added() == []


async def test_a_frame_beyond_the_rate_is_not_carried_out() -> None:
    client = await welcome(GatewayBench(dataclasses.replace(SETTINGS, rate=1, burst=2)))
    for _ in range(2):
        client.say(type="ping")
    assert [message.get("code") for message in await client.received()] == [None, "busy/rate"]


# --- rooms ------------------------------------------------------------------------------------------------------------


async def test_a_client_that_watches_the_rooms_gets_changes_without_a_new_list() -> None:
    client = await welcome()
    rooms = client.bench.node.rooms
    rooms.change([ListingChange(room, Listing(room, "stones", 2, RoomStatus.WAITING)) for room in (ROOM, RoomId(1001))])
    client.say(type="rooms", id=1, live=True)
    await client.received()
    rooms.change([ListingChange(ROOM, Listing(ROOM, "stones", 2, RoomStatus.PLAYING)), ListingChange(RoomId(1001))])
    (received,) = await client.received()
    changed = [{"room": ROOM, "game": "stones", "seats": 2, "status": "playing"}]
    assert received == {"type": "rooms_changed", "changed": changed, "gone": [1001]}
    assert rooms._listed == {}


# --- floods -----------------------------------------------------------------------------------------------------------

TOO_MANY = 10_001


async def test_a_flood_is_answered_frame_by_frame_and_then_closed() -> None:
    bench = GatewayBench()
    client = Client(bench)
    for _ in range(SETTINGS.burst + TOO_MANY):
        client.say(type="ping")
    received = await client.received()
    assert [message["type"] for message in received].count("error") == TOO_MANY
    assert client.transport.closed == FLOOD


async def test_a_client_that_is_too_fast_now_and_then_is_never_closed() -> None:
    client = Client(GatewayBench())
    for _ in range(20):
        for _ in range(SETTINGS.burst + 1_000):
            client.say(type="ping")
        client.bench.now += 1
    assert client.transport.closed is None


@pytest.mark.parametrize("dialect", dialects({}, lambda _path: None), ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("code", ["busy/rate", "frame/binary", "frame/malformed"])
async def test_no_dialect_answers_a_flood_forever(dialect: Dialect, code: ErrorCode) -> None:
    connection, transport = GatewayBench().connect(dialect)
    for _ in range(TOO_MANY):
        connection.invalid_frame(code)
    assert transport.closed is not None
