"""A connection whose client leaves, is lost, or does not read."""

from collections.abc import Iterable

import msgspec
import pytest

from gateway.dialects.contract import DeliveredStep, Dialect
from gateway.dialects.requests import Output
from gateway.transports.close_codes import BYE
from shared.bus import keys
from shared.commands import Gone, Unwatch, Watch
from shared.deliveries import Reply
from shared.ids import CommandId, Epoch, GatewayId, RoomId
from tests.support import batches
from tests.support.gateway_bench import (
    KEYS,
    PARROT,
    ROOM,
    SETTINGS,
    GatewayBench,
    Parrot,
    attach,
    reply_to,
    settle,
    step,
)
from tests.unit.gateway.play_client import attachment_of, done_by, only, seated, welcome

# --- going away -------------------------------------------------------------------------------------------------------


async def test_a_lost_connection_is_reported_to_its_rooms() -> None:
    client = await seated()
    client.connection.lost()
    assert [(type(sent.body), sent.conn) for sent in await client.bench.added()] == [(Gone, 1)]


async def test_a_view_comes_after_the_steps_that_it_shows() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 6)])
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 5))
    received = await client.received()
    assert [(message["type"], message["offset"]) for message in received] == [("update", 4), ("update", 5), ("view", 5)]
    client.bench.answer(steps=[step(6)])
    assert await client.kinds() == ["update"]


async def test_a_view_comes_after_steps_that_come_with_it() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 5)])
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 4), steps=[step(4)])
    assert [(message["type"], message["offset"]) for message in await client.received()] == [("update", 4), ("view", 4)]


async def test_a_client_that_enters_twice_is_sent_the_steps_before_the_second_answer() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 7)])
    client.say(type="join", id=1, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 5), steps=[step(4), step(5), step(6)])
    received = [(message["type"], message["offset"]) for message in await client.received()]
    assert received == [("update", 4), ("update", 5), ("entered", 5), ("update", 6)]


async def test_a_copy_of_an_answered_request_for_a_seat_is_asked_of_the_same_seat() -> None:
    client = await seated()
    client.say(type="match", id=1, game="stones")
    sent = await only(client.bench)
    assert (sent.room, sent.body) == (ROOM, Watch(again=CommandId(1)))


async def test_a_copy_whose_answer_shows_lost_steps_is_also_answered_with_a_view() -> None:
    client = await seated()
    client.say(type="match", id=1, game="stones")
    client.bench.answer(reply_to(await only(client.bench), 2, epoch=9))
    received = [(message["type"], message["offset"], message["reason"]) for message in await client.received()]
    assert received == [("view", 2, "rewound"), ("entered", 2, "rewound")]


async def test_a_copy_of_an_answered_request_takes_no_other_seat() -> None:
    client = await seated()
    client.say(type="leave", id=2, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 0))
    client.say(type="match", id=1, game="stones")
    left, refused = await client.received()
    assert (left["type"], refused["id"], refused["code"]) == ("ack", 1, "command/too_old")
    assert await client.bench.added() == []


async def test_a_copy_of_a_request_that_is_under_way_is_answered_with_it() -> None:
    client = await welcome()
    for _ in range(2):
        client.say(type="join", id=1, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 3))
    assert await client.kinds() == ["entered"]
    assert await client.bench.added() == []


async def test_a_view_takes_the_place_of_steps_that_are_lost() -> None:
    client = await seated()
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 5))
    (view,) = await client.received()
    assert (view["type"], view["id"], view["offset"], view["reason"]) == ("view", 9, 5, "rewound")
    client.bench.answer(steps=[step(6)])
    assert await client.kinds() == ["update"]


async def test_a_view_that_waits_for_steps_is_not_forgotten_when_another_is_asked_for() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 6)])
    client.say(type="view", id=8, room=ROOM)
    first = await only(client.bench)
    client.bench.store.hold()
    client.bench.answer(reply_to(first, 5))
    client.say(type="view", id=9, room=ROOM)
    await settle()
    client.bench.answer(reply_to(msgspec.structs.replace(first, id=CommandId(9)), 5))
    client.bench.store.go()
    received = [(message["type"], message["offset"]) for message in await client.received()]
    assert received == [("update", 4), ("update", 5), ("view", 5), ("view", 5)]


async def test_leaving_is_acknowledged_with_its_step() -> None:
    client = await seated()
    client.say(type="leave", id=2, room=ROOM)
    client.bench.answer(steps=[done_by(await only(client.bench), 4)])
    assert (await client.received())[-1] == {"type": "ack", "id": 2, "room": ROOM, "epoch": 7, "offset": 4}


async def test_leaving_a_game_that_is_over_is_no_step() -> None:
    client = await seated()
    client.say(type="leave", id=2, room=ROOM)
    envelope = await only(client.bench)
    client.bench.answer(Reply(envelope.conn, ROOM, envelope.id, epoch=Epoch(7)))
    assert await client.received() == [{"type": "ack", "id": 2, "room": ROOM}]


async def test_a_spectator_who_leaves_makes_no_step() -> None:
    client = await welcome()
    client.say(type="spectate", id=1, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 3, seat=None))
    client.say(type="leave", id=2, room=ROOM)
    assert (await client.received())[-1] == {"type": "ack", "id": 2, "room": ROOM}


async def test_a_room_is_informed_of_its_last_spectator() -> None:
    client = await welcome()
    client.say(type="spectate", id=1, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), seat=None))
    await settle()
    client.connection.lost()
    assert [type(sent.body) for sent in await client.bench.added()] == [Unwatch]


@pytest.mark.parametrize("lost", [False, True])
async def test_no_unwatch_is_sent_while_another_spectator_is_about_to_come(lost: bool) -> None:
    bench = GatewayBench()
    first, second = await welcome(bench), await welcome(bench, "bob")
    first.say(type="spectate", id=1, room=ROOM)
    bench.answer(reply_to(await only(bench), seat=None))
    second.say(type="spectate", id=1, room=ROOM)
    await bench.added()
    if lost:
        first.connection.lost()
    else:
        first.say(type="leave", id=2, room=ROOM)
    assert await bench.added() == []


async def test_no_unwatch_is_sent_for_a_lost_spectator_while_another_is_about_to_come() -> None:
    bench = GatewayBench()
    for name in ("ada", "bob"):
        client = await welcome(bench, name)
        client.say(type="spectate", id=1, room=ROOM)
        await bench.added()
    client.connection.lost()
    assert [type(sent.body) for sent in await bench.added()] == [Gone]


async def test_a_connection_is_lost_once() -> None:
    client = await seated()
    client.connection.lost()
    await client.bench.added()
    client.connection.lost()
    assert await client.bench.added() == []


async def test_nothing_is_sent_to_a_closed_connection() -> None:
    client = await seated()
    client.connection.close(BYE)
    client.bench.answer(steps=[step(4)])
    assert await client.kinds() == []


async def test_a_closed_client_is_reported_at_once_whenever_its_socket_closes() -> None:
    client = await seated()
    client.connection.close(BYE)
    assert [type(sent.body) for sent in await client.bench.added()] == [Gone]
    client.connection.lost()
    assert await client.bench.added() == []


async def test_a_name_is_released_under_the_gateway_id_that_claimed_it() -> None:
    client = await welcome()
    client.bench.node.identity.id = GatewayId("g-new")
    client.connection.lost()
    await settle()
    assert await client.bench.store.call("PTTL", keys.name("ada")) > 0


# --- slow and silent clients ------------------------------------------------------------------------------------------


async def test_a_slow_client_gets_no_steps_and_then_a_view() -> None:
    client = await seated()
    client.connection.pause_writing()
    client.bench.answer(steps=[step(4)])
    client.connection.resume_writing()
    client.bench.answer(reply_to(await only(client.bench), 4))
    assert [(message["type"], message.get("reason")) for message in await client.received()] == [("view", "slow")]


async def test_a_step_is_written_to_a_raw_client_without_decoding_it() -> None:
    client = await seated()
    client.connection.deliver(attachment_of(client.connection), DeliveredStep(b"not even JSON"))
    await settle()
    assert client.transport.frames == [b"not even JSON"]


async def test_a_slow_client_of_another_dialect_is_closed() -> None:
    bench = GatewayBench()
    connection, transport = bench.connect(PARROT)
    attach(connection, Reply(1, ROOM, CommandId(1), epoch=step(3).epoch, offset=step(3).offset))
    connection.pause_writing()
    bench.answer(steps=[step(4)])
    assert transport.closed is not None
    assert transport.closed.code == 4002


class Faulty(Parrot):
    def deliver(self, step: DeliveredStep, ref: object) -> Iterable[Output]:
        raise ValueError("a mistake of ours")


async def test_a_conversation_that_breaks_costs_its_own_connection_only() -> None:
    bench = GatewayBench()
    (broken, its_paper), (sound, transport) = bench.connect(Dialect("faulty", "/", Faulty)), bench.connect(PARROT)
    for connection in (broken, sound):
        attach(connection, Reply(1, ROOM, CommandId(1), epoch=step(3).epoch, offset=step(3).offset))
    bench.answer(steps=[step(4)])
    await settle()
    assert its_paper.closed is not None
    assert (its_paper.closed.code, transport.closed, transport.frames) == (1011, None, [b"4"])


async def test_a_request_that_breaks_closes_the_connection() -> None:
    client = await welcome()
    client.bench.node.games.cards = None  # type: ignore[assignment]
    client.say(type="create", id=1, game="stones", seats=2)
    await settle()
    assert client.transport.closed is not None
    assert client.transport.closed.code == 1011
    await settle()


async def test_a_client_that_stays_slow_is_closed() -> None:
    client = await seated()
    client.transport.unsent = 10
    client.connection.pause_writing()
    client.connection.check_liveness(client.bench.now + SETTINGS.write_ms / 1_000 + 1)
    assert client.transport.closed is not None
    assert client.transport.closed.code == 4002
    await settle()


async def test_a_silent_client_is_pinged() -> None:
    client = await welcome()
    client.connection.check_liveness(client.bench.now + SETTINGS.ping_ms / 1_000 + 1)
    assert client.transport.pings == 1


async def test_a_client_that_stays_silent_is_closed() -> None:
    client = await welcome()
    client.connection.check_liveness(client.bench.now + 3 * SETTINGS.ping_ms / 1_000 + 1)
    assert client.transport.closed is not None
    assert client.transport.closed.code == 1011
    await settle()


async def test_a_view_for_a_replaced_attachment_is_not_sent() -> None:
    client = await seated()
    client.connection.position_lost(attachment_of(client.connection), "trimmed")
    refresh = await only(client.bench)
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 6))
    client.bench.answer(reply_to(refresh, 4))
    assert [message["offset"] for message in await client.received()] == [6]


async def test_a_gateway_that_begins_anew_speaks_under_its_new_id() -> None:
    client = await seated()
    client.bench.node.identity.id = GatewayId("g-new")
    client.say(type="say", id=5, room=ROOM, text="hi")
    assert (await only(client.bench)).gateway == "g-new"


async def test_a_request_for_a_view_is_a_watch_command() -> None:
    client = await welcome()
    client.say(type="view", id=1, room=int(RoomId(1002)))
    assert (await only(client.bench)).body == Watch()
