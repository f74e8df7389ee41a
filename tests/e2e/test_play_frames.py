"""Malformed frames are answered with an error, change nothing and keep the connection open, up to a limit."""

import json

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable

NONSENSE = [
    "",
    "{",
    "null",
    "[]",
    '"hello"',
    "\x00\ufffd",
    "{}",
    '{"type": 7}',
    '{"type": "act"}',
    '{"type": "act", "id": "one", "room": 1000, "command": {}}',
    '{"type": "join", "id": 1, "room": "the big one"}',
    '{"type": "create", "id": 1, "game": "stones", "seats": 2.5}',
    '{"type": "resume", "id": 1, "room": 1000, "epoch": null, "offset": 3}',
    '{"type": "say", "id": 1, "room": 1000, "text": ["a"]}',
    "[" * 50_000,
    '{"type": "act", "id": 99999999999999999999999999, "room": 1000, "command": {}}',
]


async def _still_well(player: Player) -> None:
    await player.ping()
    assert player.closed is None


@pytest.mark.parametrize("frame", NONSENSE, ids=lambda frame: frame[:20])
async def test_a_malformed_frame_is_answered_with_an_error_and_the_connection_stays(
    calm: Cluster, new_player: NewPlayer, frame: str
) -> None:
    player = await new_player(calm.gateways[0])
    await player.send_raw(frame)
    error = await player.wait_for_message(lambda message: message["type"] == "error")
    assert error["code"] in ("frame/malformed", "frame/unknown_type")
    await _still_well(player)


async def test_a_message_of_an_unknown_type_is_named_as_such(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    error = await player.ask("teleport", room=1000)
    assert error["code"] == "frame/unknown_type"
    await _still_well(player)


async def test_a_binary_message_is_refused_and_the_connection_stays(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    await player.send_raw(b'{"type": "ping", "t": 1}')
    assert (await player.wait_for_message(lambda message: message["type"] == "error"))["code"] == "frame/binary"
    await _still_well(player)


@pytest.mark.parametrize("size", [64 * 1024 + 1, 1024 * 1024])
async def test_an_oversized_message_is_refused_and_the_connection_stays(
    calm: Cluster, new_player: NewPlayer, size: int
) -> None:
    player = await new_player(calm.gateways[0])
    await player.send_raw(" " * size)
    assert (await player.wait_for_message(lambda message: message["type"] == "error"))["code"] == "frame/too_big"
    await _still_well(player)


async def test_a_message_of_exactly_64_kib_is_read(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    ping = json.dumps({"type": "ping", "t": 5})
    await player.send_raw(ping + " " * (64 * 1024 - len(ping)))
    assert await player.wait_for_message(lambda message: message == {"type": "pong", "t": 5})


async def test_an_oversized_message_in_fragments_is_refused_and_the_connection_stays(
    calm: Cluster, new_player: NewPlayer
) -> None:
    player = await new_player(calm.gateways[0])
    await player.send_parts([" " * 40_000] * 4)
    assert (await player.wait_for_message(lambda message: message["type"] == "error"))["code"] == "frame/too_big"
    await _still_well(player)


async def test_a_message_in_fragments_is_put_together(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    await player.send_parts(['{"type": ', '"ping", ', '"t": 3}'])
    assert await player.wait_for_message(lambda message: message == {"type": "pong", "t": 3})


async def test_a_message_without_end_closes_the_connection(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    player.send_bytes(b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"\x00" * 1_000)
    assert (await player.wait_closed())[0] == 1009


async def test_twenty_malformed_frames_in_a_row_close_the_connection(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    for _ in range(20):
        await player.send_raw("nonsense")
    assert (await player.wait_closed())[0] == 1008
    assert [message["type"] for message in player.messages].count("error") == 20


async def test_a_good_frame_between_malformed_ones_starts_the_count_again(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    for _ in range(3):
        for _ in range(19):
            await player.send_raw("nonsense")
        await player.send(type="ping", t=0)
    await _still_well(player)
    assert [message["type"] for message in player.messages].count("error") == 57


async def test_a_client_without_a_hello_may_do_nothing_but_ping(calm: Cluster) -> None:
    async with Player() as player:
        await player.connect(calm.gateways[0].url)
        assert (await player.ask("create", game="stones", seats=2))["code"] == "session/none"
        assert (await player.ask("join", room=1000))["code"] == "session/none"
        assert (await player.ask("act", room=1000, command={}))["code"] == "session/none"
        assert (await player.ask("say", room=1000, text="hi"))["code"] == "session/none"
        assert (await player.ask("spectate", room=1000))["code"] == "session/none"
        assert (await player.ask("rooms"))["code"] == "session/none"
        await _still_well(player)


async def test_a_second_hello_is_refused(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    before = len(player.messages)
    await player.send(type="hello", name="another")
    error = await player.wait_for_message(lambda message: message["type"] == "error", after=before)
    assert error["code"] == "session/twice"
    assert (await player.ask("rooms"))["type"] == "rooms"


@pytest.mark.parametrize("name", ["", " ", "x" * 33, "line\nbreak", "bell\x07"])
async def test_a_bad_name_is_refused_and_a_good_one_is_taken_after_it(calm: Cluster, name: str) -> None:
    async with Player() as player:
        await player.connect(calm.gateways[0].url)
        assert (await player.hello(name=name))["code"] == "name/bad"
        assert (await player.hello(name=player.name))["type"] == "welcome"


async def test_moves_that_are_not_allowed_change_nothing(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    offset = first.rooms[table.room].offset
    refusals = [
        (await second.take(table.room))["code"],
        (await first.take(table.room, 4))["code"],
        (await first.take(table.room, 0))["code"],
        (await first.act(table.room, {"type": "give", "count": 1}))["code"],
        (await first.act(table.room, {"type": "take", "count": "many"}))["code"],
        (await first.ask("act", room=table.room, command=[1, 2]))["code"],
    ]
    assert refusals == [
        "game/not_your_turn",
        "game/illegal",
        "game/illegal",
        "command/bad",
        "command/bad",
        "command/bad",
    ]
    ack = await table.move()
    assert ack["offset"] == offset + 1
    await table.check()


async def test_a_request_that_is_sent_twice_is_carried_out_once_and_answered_twice(
    calm: Cluster, new_player: NewPlayer
) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    ack = await table.move()
    before = len(first.messages)
    await first.send(type="act", id=ack["id"], room=table.room, command={"type": "take", "count": 1})
    again = await first.wait_for_message(lambda message: message.get("id") == ack["id"], after=before)
    assert (again["type"], again["offset"]) == ("ack", ack["offset"])
    await table.moves(2)
    await table.check()


async def test_a_refusal_stays_a_refusal_when_the_request_is_sent_again(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    refused = await second.take(table.room)
    await table.move()
    before = len(second.messages)
    await second.send(type="act", id=refused["id"], room=table.room, command={"type": "take", "count": 1})
    again = await second.wait_for_message(lambda message: message.get("id") == refused["id"], after=before)
    assert again["code"] == "game/not_your_turn"
    await table.moves(2)
    await table.check()


async def test_a_request_older_than_the_last_ones_is_never_carried_out(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    await table.moves(2)
    await first.send(type="act", id=7, room=table.room, command={"type": "take", "count": 1})
    assert (await first.answer(7))["code"] == "command/too_old"
    await table.moves(2)
    await table.check()
