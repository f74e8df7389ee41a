"""A store that dies, loses its last moments, freezes or is cut off: nothing acknowledged is missing, games go on."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import HOST, QUICK, Cluster
from tests.support.player import Message, Player
from tests.support.proxy import Proxy
from tests.support.stones import StonesTable


async def _tables(cluster: Cluster, new_player: NewPlayer, number: int) -> list[StonesTable]:
    return [
        await StonesTable.open(await new_player(cluster.gateways[0]), await new_player(cluster.gateways[1]))
        for _ in range(number)
    ]


async def _take(player: Player, room: int) -> Message:
    """A move, tried again with a new id as long as the cluster says that it is busy."""
    while True:
        answer = await player.take(room)
        if not answer.get("code", "").startswith("busy/"):
            return answer
        await player.pause()


async def _move(table: StonesTable) -> None:
    ack = await _take(table.turn, table.room)
    assert ack["type"] == "ack", ack
    table.acked.append((ack["id"], ack["offset"]))
    await table.seen(ack["offset"])


async def _moves(table: StonesTable, number: int) -> None:
    for _ in range(number):
        await _move(table)


async def test_a_killed_store_comes_back_with_everything_that_was_acknowledged(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    tables = await _tables(hurt, new_player, 6)
    playing = asyncio.gather(*(_moves(table, 40) for table in tables))
    await tables[0].players[0].wait_for_step(tables[0].room, 12)
    hurt.store.kill()
    hurt.store.restart()
    await playing
    for table in tables:
        await table.check()
    assert {player.connections for table in tables for player in table.players} == {1}


async def test_a_store_killed_again_and_again_loses_nothing(hurt: Cluster, new_player: NewPlayer) -> None:
    tables = await _tables(hurt, new_player, 3)
    playing = asyncio.gather(*(_moves(table, 40) for table in tables))
    for offset in (8, 16, 24):
        await tables[0].players[0].wait_for_step(tables[0].room, offset)
        hurt.store.restart()
    await playing
    for table in tables:
        await table.check()


async def test_a_store_without_its_last_moments_makes_everybody_go_back_and_play_on(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    tables = await _tables(hurt, new_player, 3)
    for table in tables:
        await table.moves(4)
    kept = {table.room: table.players[0].rooms[table.room].offset for table in tables}
    copy = hurt.store.copy_data()
    for table in tables[:2]:
        await table.moves(5)
    hurt.store.rewind(copy)
    for table in tables[:2]:
        for player in table.players:
            view = await player.wait_for_message(lambda message: message.get("reason") == "rewound")
            assert view["room"] == table.room
            assert view["offset"] == kept[table.room]
            assert view["view"]["game"]["stones"] == 996
    for table in tables:
        table.acked = [(number, offset) for number, offset in table.acked if offset <= kept[table.room]]
        await _moves(table, 4)
        await table.check()
    unhurt = [
        message for player in tables[2].players for message in player.messages if message.get("reason") == "rewound"
    ]
    assert unhurt == []


async def test_a_player_whose_entry_the_store_lost_is_notified_and_may_enter_again(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    opener, guest = [await new_player(gateway) for gateway in hurt.gateways]
    room = (await opener.ask("create", game="stones", seats=3))["room"]
    copy = hurt.store.copy_data()
    assert (await guest.ask("join", room=room))["seat"] == 1
    await opener.wait_for_event(room, "room.joined")
    hurt.store.rewind(copy)
    for player, seat in ((opener, 0), (guest, None)):
        view = await player.wait_for_message(lambda message: message.get("reason") == "rewound")
        assert view["seat"] == seat
        assert [place["name"] for place in view["view"]["seats"]] == [opener.name]
    while (answer := await guest.ask("join", room=room)).get("code", "").startswith("busy/"):
        await guest.pause()
    assert answer["seat"] == 1
    await opener.until(lambda: opener.rooms[room].kinds().count("room.joined") == 1, "the guest is back")


@pytest.fixture
def cut_off() -> Iterator[tuple[Cluster, Proxy]]:
    """A cluster that reaches its store through a proxy."""
    cluster = Cluster(**QUICK)
    with cluster, Proxy(lambda: cluster.store.port) as proxy:
        cluster.reach_store_at(f"redis://{HOST}:{proxy.port}/0")
        yield cluster.start(), proxy


async def test_an_unreachable_store_is_said_to_be_busy_and_nothing_is_lost(
    cut_off: tuple[Cluster, Proxy], new_player: NewPlayer
) -> None:
    cluster, proxy = cut_off
    tables = await _tables(cluster, new_player, 4)
    for table in tables:
        await table.moves(3)
    proxy.cut()
    for table in tables:
        busy = await _until_busy(table)
        assert busy["code"] == "busy/store"
    stranger = Player()
    await stranger.connect(cluster.gateways[0].url)
    assert (await stranger.hello(name=stranger.name))["code"] == "busy/store"
    await stranger.close()
    status, body = cluster.gateways[0].get("/api/replays/1000")
    assert (status, b"busy/store" in body) == (503, True)
    assert cluster.gateways[0].get("/readyz")[0] == 503
    assert cluster.gateways[0].get("/healthz")[0] == 200
    proxy.mend()
    for table in tables:
        await _moves(table, 3)
        await table.check()
    assert {player.connections for table in tables for player in table.players} == {1}
    assert all(node.alive for node in (*cluster.gateways, *cluster.workers))


_ON_ITS_WAY_S = 1.0
"""Commands that have no answer after this time were sent before the gateway noticed the loss of the store."""


async def _until_busy(table: StonesTable) -> Message:
    """A gateway notices a moment later that its store is gone; a move that was on its way stays on it."""
    asked: list[int] = []
    while True:
        player = table.turn
        asked.append(await player.request("say", room=table.room, text="anybody there?"))
        try:
            async with asyncio.timeout(_ON_ITS_WAY_S):
                message = await player.wait_for_message(
                    lambda message: message.get("id") in asked and message["type"] in ("error", "ack")
                )
        except TimeoutError:
            continue
        if message["type"] == "error":
            return message
        asked.clear()


async def test_a_frozen_store_is_said_to_be_busy_and_nothing_is_lost(hurt: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hurt.gateways]
    table = await StonesTable.open(first, second, turn_ms=6_000)
    await table.moves(2)
    offset = first.rooms[table.room].offset
    hurt.store.pause()
    asked = await table.turn.request("act", room=table.room, command={"type": "take", "count": 1})
    mover, waiting = table.turn, table.players[(table.players.index(table.turn) + 1) % 2]
    while not any(message.get("code") == "busy/store" for message in waiting.messages):
        await waiting.request("say", room=table.room, text="hello?")
        await waiting.ping()
        await waiting.pause()
    hurt.store.go_on()
    ack = await mover.answer(asked)
    assert ack["type"] == "ack"
    table.acked.append((asked, ack["offset"]))
    await first.wait_for_event(table.room, "room.shifted", after=offset)
    assert "room.played" not in first.rooms[table.room].kinds()
    await _moves(table, 3)
    await table.check()
    assert {player.connections for player in table.players} == {1}
