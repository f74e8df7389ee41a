"""Readers who are too slow are spared what they cannot take, or closed; the others notice nothing. And great crowds."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import HOST, Cluster, Node
from tests.support.player import Message, Player
from tests.support.stones import StonesTable
from tests.support.waiting import eventually_async

CROWD = 1_000
OUTBOX = 20_000
SPECTATORS = OUTBOX // 4
"""With so much unread, spectators are spared the rest."""


@pytest.fixture(scope="module")
def narrow() -> Iterator[Cluster]:
    """A gateway that gives slow readers all the time they need, and one that does not."""
    with Cluster(lease_ms=900, outbox_bytes=OUTBOX, rate=100_000, burst=100_000, chat_bytes=10**9) as cluster:
        cluster.node("gateway", write_ms=600_000)
        cluster.node("gateway", write_ms=1_500)
        yield cluster.start(0, 1)


async def _slow(gateway: Node) -> Player:
    """A player with small buffers, who can stop reading."""
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    narrow.setblocking(False)
    await asyncio.get_running_loop().sock_connect(narrow, (HOST, gateway.port))
    player = Player()
    await player.connect(gateway.url, sock=narrow, max_queue=1)
    await player.hello(name=player.name)
    return player


async def _chatty_room(new_player: NewPlayer, gateway: Node) -> int:
    """A room whose views are long. Chat has a rate, so two players write it."""
    first, second = await new_player(gateway), await new_player(gateway)
    table = await StonesTable.open(first, second)
    for speaker in (first, second):
        for _ in range(18):
            assert (await speaker.ask("say", room=table.room, text="x" * 500))["type"] == "ack"
    return table.room


async def _clog(slow: Player, gateway: Node, chatty_room: int, enough: int) -> None:
    """Let the slow one ask for answers without reading them, until the gateway holds as much for it as it may keep. The
    gateway stops reading then, so the last requests cannot be sent."""

    async def ask() -> None:
        while True:
            await slow.send(type="ping", t="x" * 60_000)
            for _ in range(5):
                await slow.request("view", room=chatty_room)

    slow.reading.clear()
    asking = asyncio.create_task(ask())
    await eventually_async(lambda: gateway.metrics()["tavolata_outbox_bytes"] >= enough, "the client is slow")
    asking.cancel()


def _after_slowness(message: Message) -> bool:
    return message["type"] == "view" and message.get("reason") == "slow" and not message["view"].get("chat")


async def test_a_slow_reader_gets_a_view_when_it_reads_again_and_the_others_everything(
    narrow: Cluster, new_player: NewPlayer
) -> None:
    gateway = narrow.gateways[0]
    first, second = await new_player(gateway), await new_player(gateway)
    table = await StonesTable.open(first, second)
    chatty_room = await _chatty_room(new_player, narrow.gateways[0])
    async with await _slow(gateway) as slow:
        await slow.ask("spectate", room=table.room)
        await _clog(slow, gateway, chatty_room, SPECTATORS)
        await table.moves(4)
        slow.reading.set()
        await slow.wait_for_message(_after_slowness)
        await table.moves(2)
        await slow.wait_for_step(table.room, first.rooms[table.room].offset)
    await table.check()


async def test_a_slow_player_is_resynced_and_plays_on(narrow: Cluster, new_player: NewPlayer) -> None:
    gateway = narrow.gateways[0]
    fast, chatty_room = await new_player(gateway), await _chatty_room(new_player, gateway)
    async with await _slow(gateway) as slow:
        opened = await fast.ask("create", game="stones", seats=2, options={"stones": 100})
        await slow.ask("join", room=opened["room"])
        await slow.wait_for_event(opened["room"], "room.started")
        await _clog(slow, gateway, chatty_room, OUTBOX)
        assert (await fast.take(opened["room"]))["type"] == "ack"
        slow.reading.set()
        view = await slow.wait_for_message(_after_slowness)
        assert view["seat"] == 1
        await slow.wait_for_step(opened["room"], fast.rooms[opened["room"]].offset)
        assert (await slow.take(opened["room"]))["type"] == "ack"


async def test_a_reader_who_stays_slow_is_closed_and_comes_back(narrow: Cluster, new_player: NewPlayer) -> None:
    gateway = narrow.gateways[1]
    first, second = await new_player(narrow.gateways[0]), await new_player(narrow.gateways[0])
    table = await StonesTable.open(first, second)
    chatty_room = await _chatty_room(new_player, narrow.gateways[0])
    async with await _slow(gateway) as slow:
        await slow.ask("spectate", room=table.room)
        await _clog(slow, gateway, chatty_room, SPECTATORS)
        await table.moves(4)
        await eventually_async(lambda: "reads too slowly" in gateway.log(), "the gateway gives it up")
        slow.reading.set()
        assert (await slow.wait_closed())[0] == 4002
        await slow.reconnect(gateway.url)
        await table.moves(2)
        await slow.wait_for_step(table.room, first.rooms[table.room].offset)
    await table.check()


async def test_a_thousand_clients_come_back_at_once(narrow: Cluster) -> None:
    gateway = narrow.gateways[0]
    crowd = [Player() for _ in range(CROWD)]

    async def seat(first: Player, second: Player) -> Message:
        await first.log_in(gateway.url)
        await second.log_in(gateway.url)
        return await _table(first, second)

    pairs = list(zip(crowd[::2], crowd[1::2], strict=True))
    for at in range(0, len(pairs), 50):
        await asyncio.gather(*(seat(*pair) for pair in pairs[at : at + 50]))
    for player in crowd:
        player.drop()
    await asyncio.gather(*(player.wait_closed() for player in crowd))
    await asyncio.gather(*(player.reconnect(gateway.url) for player in crowd))
    for first, second in pairs:
        (room,) = first.rooms
        assert (await first.take(room))["type"] == "ack"
        await second.wait_for_step(room, first.rooms[room].offset)
    assert gateway.metrics()['tavolata_connections{dialect="play"}'] == CROWD
    await asyncio.gather(*(player.close() for player in crowd))
    assert not [fault for player in crowd for fault in player.faults]


async def _table(first: Player, second: Player) -> Message:
    opened = await first.ask("create", game="stones", seats=2)
    await second.ask("join", room=opened["room"])
    return await second.wait_for_event(opened["room"], "room.started")
