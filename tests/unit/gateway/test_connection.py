"""A connection with its session, on the parts of a gateway node and a store in the test process."""

import dataclasses
from collections.abc import Iterable

import msgspec
import pytest

from gateway.connection import Connection
from gateway.dialects import dialects
from gateway.dialects.contract import DeliveredStep, Dialect
from gateway.dialects.requests import Output
from gateway.session.attachments import Attachment
from gateway.transports.close_codes import BYE, FLOOD
from shared.bus import keys
from shared.bus.directory import ListingChange
from shared.bus.meta import GameCard, announce
from shared.commands import Act, Enter, Envelope, Gone, Match, Say, Unwatch, Watch
from shared.deliveries import CompletedCommand, Reply, StepMessage
from shared.errors import ErrorCode
from shared.ids import LOBBY, CommandId, Epoch, GatewayId, RoomId
from shared.room_events import RoomSpec, RoomStatus
from shared.room_views import Listing
from tests.support import batches
from tests.support.gateway_bench import (
    KEYS,
    PARROT,
    ROOM,
    SETTINGS,
    GatewayBench,
    Paper,
    Parrot,
    attach,
    reply_to,
    settle,
    step,
)


def done_by(envelope: Envelope, offset: int) -> StepMessage:
    return msgspec.structs.replace(step(offset), done=CompletedCommand(envelope.gateway, envelope.conn, envelope.id))


CARD = GameCard("stones", "Stones", 1, (2, 3), msgspec.Raw(b"{}"), msgspec.Raw(b"{}"))


class Client:
    """A play client that has said hello."""

    def __init__(self, bench: GatewayBench) -> None:
        self.bench = bench
        self.connection: Connection
        self.paper: Paper
        self.connection, self.paper = bench.connect()

    def say(self, **message: object) -> None:
        self.connection.receive(msgspec.json.encode(message))

    async def received(self) -> list[dict[str, object]]:
        await settle()
        return self.paper.messages()

    async def kinds(self) -> list[object]:
        return [message["type"] for message in await self.received()]


async def welcome(bench: GatewayBench | None = None, name: str = "ada") -> Client:
    client = Client(bench or GatewayBench())
    client.say(type="hello", name=name)
    assert await client.kinds() == ["welcome"]
    return client


async def seated(bench: GatewayBench | None = None, name: str = "ada", offset: int = 3) -> Client:
    client = await welcome(bench, name)
    client.say(type="join", id=1, room=ROOM)
    (envelope,) = await client.bench.added()
    client.bench.answer(reply_to(envelope, offset))
    assert await client.kinds() == ["entered"]
    return client


def attachment_of(connection: Connection) -> Attachment:
    attachment = connection.session.state.attachments.get(ROOM)
    assert attachment is not None
    return attachment


async def only(bench: GatewayBench) -> Envelope:
    (envelope,) = await bench.added()
    return envelope


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
    (told,) = await second.received()
    assert (told["session"], told["name"]) == (first.connection.sid, "ada")


async def test_the_newer_connection_of_a_session_wins() -> None:
    bench = GatewayBench()
    first = await welcome(bench)
    second = Client(bench)
    second.say(type="hello", token=bench.node.tokens.issue(first.connection.sid, "ada", bench.node.now_ms()))
    await settle()
    assert first.paper.closed is not None
    assert first.paper.closed.code == 4001


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
    await client.bench.store.pipe([batches.told(KEYS[0], step(number)) for number in range(1, 5)])
    client.say(type="resume", id=1, room=ROOM, epoch=7, offset=2)
    client.bench.answer(reply_to(await only(client.bench), 4))
    assert [(message["type"], message["offset"]) for message in await client.received()] == [
        ("resumed", 2),
        ("update", 3),
        ("update", 4),
    ]


async def test_a_client_that_resumes_from_a_lost_step_gets_a_view() -> None:
    client = await welcome()
    await client.bench.store.pipe([batches.told(KEYS[0], step(number)) for number in range(1, 3)])
    client.say(type="resume", id=1, room=ROOM, epoch=6, offset=2)
    client.bench.answer(reply_to(await only(client.bench), 2))
    asked = await only(client.bench)
    client.bench.answer(reply_to(asked, 2))
    told = await client.received()
    assert [(message["type"], message.get("reason")) for message in told] == [("resumed", None), ("view", "rewound")]


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
    (told,) = await client.received()
    assert (told["code"], told["id"], told["room"]) == ("room/unknown", 2, ROOM)


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
    (told,) = await client.received()
    changed = [{"room": ROOM, "game": "stones", "seats": 2, "status": "playing"}]
    assert told == {"type": "rooms_changed", "changed": changed, "gone": [1001]}
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
    assert client.paper.closed == FLOOD


async def test_a_client_that_is_too_fast_now_and_then_is_never_closed() -> None:
    client = Client(GatewayBench())
    for _ in range(20):
        for _ in range(SETTINGS.burst + 1_000):
            client.say(type="ping")
        client.bench.now += 1
    assert client.paper.closed is None


@pytest.mark.parametrize("dialect", dialects({}, lambda _path: None), ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("code", ["busy/rate", "frame/binary", "frame/malformed"])
async def test_no_dialect_answers_a_flood_forever(dialect: Dialect, code: ErrorCode) -> None:
    connection, paper = GatewayBench().connect(dialect)
    for _ in range(TOO_MANY):
        connection.invalid_frame(code)
    assert paper.closed is not None


# --- going away -------------------------------------------------------------------------------------------------------


async def test_a_lost_connection_is_reported_to_its_rooms() -> None:
    client = await seated()
    client.connection.lost()
    assert [(type(sent.body), sent.conn) for sent in await client.bench.added()] == [(Gone, 1)]


async def test_a_view_comes_after_the_steps_that_it_shows() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.told(KEYS[0], step(number)) for number in range(1, 6)])
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 5))
    received = await client.received()
    assert [(message["type"], message["offset"]) for message in received] == [("update", 4), ("update", 5), ("view", 5)]
    client.bench.answer(steps=[step(6)])
    assert await client.kinds() == ["update"]


async def test_a_view_comes_after_steps_that_come_with_it() -> None:
    client = await seated()
    await client.bench.store.pipe([batches.told(KEYS[0], step(number)) for number in range(1, 5)])
    client.say(type="view", id=9, room=ROOM)
    client.bench.answer(reply_to(await only(client.bench), 4), steps=[step(4)])
    assert [(message["type"], message["offset"]) for message in await client.received()] == [("update", 4), ("view", 4)]


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
    await client.bench.store.pipe([batches.told(KEYS[0], step(number)) for number in range(1, 6)])
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
    assert client.paper.frames == [b"not even JSON"]


async def test_a_slow_client_of_another_dialect_is_closed() -> None:
    bench = GatewayBench()
    connection, paper = bench.connect(PARROT)
    attach(connection, Reply(1, ROOM, CommandId(1), epoch=step(3).epoch, offset=step(3).offset))
    connection.pause_writing()
    bench.answer(steps=[step(4)])
    assert paper.closed is not None
    assert paper.closed.code == 4002


class Faulty(Parrot):
    def deliver(self, step: DeliveredStep, ref: object) -> Iterable[Output]:
        raise ValueError("a mistake of ours")


async def test_a_conversation_that_breaks_costs_its_own_connection_only() -> None:
    bench = GatewayBench()
    (broken, its_paper), (sound, paper) = bench.connect(Dialect("faulty", "/", Faulty)), bench.connect(PARROT)
    for connection in (broken, sound):
        attach(connection, Reply(1, ROOM, CommandId(1), epoch=step(3).epoch, offset=step(3).offset))
    bench.answer(steps=[step(4)])
    await settle()
    assert its_paper.closed is not None
    assert (its_paper.closed.code, paper.closed, paper.frames) == (1011, None, [b"4"])


async def test_a_request_that_breaks_closes_the_connection() -> None:
    client = await welcome()
    client.bench.node.games.cards = None  # type: ignore[assignment]
    client.say(type="create", id=1, game="stones", seats=2)
    await settle()
    assert client.paper.closed is not None
    assert client.paper.closed.code == 1011
    await settle()


async def test_a_client_that_stays_slow_is_closed() -> None:
    client = await seated()
    client.paper.unsent = 10
    client.connection.pause_writing()
    client.connection.check_liveness(client.bench.now + SETTINGS.write_ms / 1_000 + 1)
    assert client.paper.closed is not None
    assert client.paper.closed.code == 4002
    await settle()


async def test_a_silent_client_is_pinged() -> None:
    client = await welcome()
    client.connection.check_liveness(client.bench.now + SETTINGS.ping_ms / 1_000 + 1)
    assert client.paper.pings == 1


async def test_a_client_that_stays_silent_is_closed() -> None:
    client = await welcome()
    client.connection.check_liveness(client.bench.now + 3 * SETTINGS.ping_ms / 1_000 + 1)
    assert client.paper.closed is not None
    assert client.paper.closed.code == 1011
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
