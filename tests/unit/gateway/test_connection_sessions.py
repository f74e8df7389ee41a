"""A connection with its session: saying hello, and taking seats."""

import dataclasses

import pytest

from gateway.transports.close_codes import BYE
from shared.bus.meta import announce
from shared.commands import Enter, Gone, Match, Unwatch
from shared.deliveries import Reply
from shared.ids import LOBBY
from shared.room_events import RoomSpec
from tests.support import batches
from tests.support.gateway_bench import (
    KEYS,
    ROOM,
    SETTINGS,
    GatewayBench,
    reply_to,
    settle,
    step,
)
from tests.unit.gateway.play_client import CARD, Client, only, welcome

# --- hello ------------------------------------------------------------------------------------------------------------


async def test_a_name_is_claimed_with_hello() -> None:
    bench = GatewayBench()
    await welcome(bench)
    other = Client(bench)
    other.say(type="hello", name="ada")
    assert [message["code"] for message in await other.received()] == ["name/taken"]


@pytest.mark.parametrize("name", ["\u0645\u06cc\u200c\u062e", "\U0001f469\u200d\U0001f4bb", "x" * 32])
async def test_a_name_may_be_written_in_any_script(name: str) -> None:
    await welcome(name=name)


async def test_all_refusals_are_counted_once() -> None:
    bench = GatewayBench()
    client = Client(bench)
    client.say(type="rooms", id=1)
    client.say(type="nothing", id=2)
    client.connection.receive(b"?")
    client.connection.invalid_frame("frame/binary")
    client.say(type="hello", name="")
    codes = [str(message["code"]) for message in await client.received()]
    assert codes == ["session/none", "frame/unknown_type", "frame/malformed", "frame/binary", "name/bad"]
    counted = [bench.node.metrics.registry.get_sample_value("tavolata_rejections_total", {"code": c}) for c in codes]
    assert counted == [1.0] * 5


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 33, "a\nb", "\u200b", "a\u2028b", "a\u202eb", "a\x1b[2Jb", "a\u00a0b", "Bot1"]
)
async def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    client = Client(GatewayBench())
    client.say(type="hello", name=name)
    assert [message["code"] for message in await client.received()] == ["name/bad"]


async def test_a_token_takes_the_session_up_again() -> None:
    bench = GatewayBench()
    first = await welcome(bench)
    token = bench.node.tokens.issue(first.connection.sid, "ada", bench.node.now_ms())
    second = Client(bench)
    second.say(type="hello", token=token)
    (received,) = await second.received()
    assert (received["session"], received["name"]) == (first.connection.sid, "ada")


async def test_the_newer_connection_of_a_session_wins() -> None:
    bench = GatewayBench()
    first = await welcome(bench)
    second = Client(bench)
    second.say(type="hello", token=bench.node.tokens.issue(first.connection.sid, "ada", bench.node.now_ms()))
    await settle()
    assert first.transport.closed is not None
    assert first.transport.closed.code == 4001


async def test_a_forged_token_is_refused() -> None:
    client = Client(GatewayBench())
    client.say(type="hello", token="a.b")
    assert [message["code"] for message in await client.received()] == ["token/bad"]


async def test_a_second_hello_is_refused() -> None:
    client = await welcome()
    client.say(type="hello", name="eve")
    assert [message["code"] for message in await client.received()] == ["session/twice"]


async def test_hello_can_be_repeated_if_the_store_failed_in_the_middle_of_it() -> None:
    bench = GatewayBench()
    first = await welcome(bench)
    token = bench.node.tokens.issue(first.connection.sid, "ada", bench.node.now_ms())
    second = Client(bench)
    bench.store.broken = "HKEYS"
    second.say(type="hello", token=token)
    assert [message["code"] for message in await second.received()] == ["busy/store"]
    bench.store.broken = ""
    second.say(type="hello", token=token)
    assert await second.kinds() == ["welcome"]


async def test_a_name_is_free_again_if_its_connection_was_lost_before_the_store_answered() -> None:
    bench = GatewayBench(dataclasses.replace(SETTINGS, name_ms=0))
    first = Client(bench)
    bench.store.silent = True
    first.say(type="hello", name="ada")
    await settle()
    first.connection.lost()
    await settle()
    bench.store.silent = False
    await welcome(bench, "ada")


# --- seats ------------------------------------------------------------------------------------------------------------


async def test_joining_asks_the_room() -> None:
    client = await welcome()
    client.say(type="join", id=1, room=ROOM)
    envelope = await only(client.bench)
    assert (envelope.room, envelope.sid, envelope.id, envelope.conn) == (1000, client.connection.sid, 1, 1)
    assert isinstance(envelope.body, Enter)


async def test_a_match_asks_the_lobby_and_then_the_room() -> None:
    client = await welcome()
    await announce(client.bench.store, [CARD])
    client.say(type="match", id=1, game="stones")
    asked = await only(client.bench)
    client.bench.answer(Reply(asked.conn, LOBBY, asked.id, to=ROOM, spec=RoomSpec("stones", 2)))
    entering = await only(client.bench)
    assert (isinstance(asked.body, Match), entering.room) == (True, ROOM)


async def test_an_unknown_game_is_refused_without_asking_anybody() -> None:
    client = await welcome()
    await announce(client.bench.store, [CARD])
    client.say(type="match", id=1, game="chess")
    assert [message["code"] for message in await client.received()] == ["game/unknown"]


async def test_a_player_whom_a_table_refuses_is_matched_with_another_one() -> None:
    client = await welcome()
    await announce(client.bench.store, [CARD])
    client.say(type="match", id=1, game="stones")
    asked = await only(client.bench)
    client.bench.answer(Reply(asked.conn, LOBBY, asked.id, to=ROOM, spec=RoomSpec("stones", 2, {"stones": "bad"})))
    entering = await only(client.bench)
    client.bench.answer(Reply(entering.conn, ROOM, entering.id, "room/bad_options"))
    again = await only(client.bench)
    assert isinstance(again.body, Match)
    assert again.body.avoid == (ROOM,)


async def test_a_match_that_is_asked_for_again_goes_on_where_its_first_sending_stopped() -> None:
    client = await welcome()
    await announce(client.bench.store, [CARD])
    client.say(type="match", id=1, game="stones")
    first = await only(client.bench)
    client.bench.answer(Reply(first.conn, LOBBY, first.id, "command/too_old"))
    second = await only(client.bench)
    client.bench.answer(Reply(second.conn, LOBBY, second.id, to=ROOM, spec=RoomSpec("stones", 2)))
    entering = await only(client.bench)
    assert (second.id, entering.room) == (first.id + 1, ROOM)


async def test_a_match_that_later_requests_have_overtaken_is_refused() -> None:
    client = await welcome()
    await announce(client.bench.store, [CARD])
    client.say(type="match", id=1, game="stones")
    for _ in range(6):
        asked = await only(client.bench)
        client.bench.answer(Reply(asked.conn, LOBBY, asked.id, "command/too_old"))
    assert [message["code"] for message in await client.received()] == ["command/too_old"]


async def test_a_player_who_enters_gets_the_steps_right_behind_the_reply() -> None:
    client = await welcome()
    client.say(type="join", id=1, room=ROOM)
    envelope = await only(client.bench)
    client.bench.answer(reply_to(envelope, 2), steps=[step(2), step(3)])
    assert [(message["type"], message["offset"]) for message in await client.received()] == [
        ("entered", 2),
        ("update", 3),
    ]


async def test_a_client_that_resumes_gets_the_missed_steps() -> None:
    client = await welcome()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 5)])
    client.say(type="resume", id=1, room=ROOM, epoch=7, offset=2)
    client.bench.answer(reply_to(await only(client.bench), 4))
    assert [(message["type"], message["offset"]) for message in await client.received()] == [
        ("resumed", 2),
        ("update", 3),
        ("update", 4),
    ]


async def test_a_client_that_resumes_from_a_lost_step_gets_a_view() -> None:
    client = await welcome()
    await client.bench.store.pipe([batches.written(KEYS[0], step(number)) for number in range(1, 3)])
    client.say(type="resume", id=1, room=ROOM, epoch=6, offset=2)
    client.bench.answer(reply_to(await only(client.bench), 2))
    asked = await only(client.bench)
    client.bench.answer(reply_to(asked, 2))
    found = await client.received()
    assert [(message["type"], message.get("reason")) for message in found] == [
        ("resumed", None),
        ("view", "rewound"),
    ]


async def test_a_seat_given_to_a_closed_connection_is_reported_as_gone() -> None:
    client = await welcome()
    client.say(type="join", id=1, room=ROOM)
    envelope = await only(client.bench)
    client.connection.close(BYE)
    client.bench.answer(reply_to(envelope))
    assert Gone in [type(sent.body) for sent in await client.bench.added()]


async def test_a_join_without_an_answer_is_not_repeated_once_its_connection_is_lost() -> None:
    client = await welcome()
    client.say(type="join", id=1, room=ROOM)
    await client.bench.added()
    client.connection.lost()
    await client.bench.added()
    client.bench.node.outbox.resend()
    assert {type(sent.body) for sent in await client.bench.added()} == {Gone, Unwatch}
