"""A store that fills up: no new rooms from 80 % on, and games in play go on once there is space again."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable


@pytest.fixture
def filling(hurt: Cluster) -> Iterator[Callable[[float], None]]:
    """Sets the memory limit so that the given share of it is in use; 0 lifts it."""

    def fill(share: float) -> None:
        info = hurt.store.ask("INFO", "memory").decode()
        used = int(info.partition("used_memory:")[2].splitlines()[0])
        hurt.store.ask("CONFIG", "SET", "maxmemory", str(int(used / share) if share else 0))

    yield fill
    fill(0)


async def _create_until(player: Player, code: str) -> None:
    """Open rooms until the answer has this code: gateways read the store's memory once a second."""
    while (await player.ask("create", game="stones", seats=2)).get("code", "") != code:
        await player.pause()


async def test_new_rooms_are_refused_at_80_percent_and_games_go_on(
    hurt: Cluster, new_player: NewPlayer, filling: Callable[[float], None]
) -> None:
    table = await StonesTable.open(await new_player(hurt.gateways[0]), await new_player(hurt.gateways[1]))
    stranger = await new_player(hurt.gateways[0])
    filling(0.9)
    await _create_until(stranger, "busy/store_full")
    await table.moves(4)
    filling(0)
    await _create_until(stranger, "")
    await table.check()


async def test_a_game_goes_on_after_the_store_was_full(
    hurt: Cluster, new_player: NewPlayer, filling: Callable[[float], None]
) -> None:
    table = await StonesTable.open(await new_player(hurt.gateways[0]), await new_player(hurt.gateways[0]))
    stranger = await new_player(hurt.gateways[0])
    await table.moves(3)
    epoch = table.players[0].rooms[table.room].epoch
    filling(1.5)
    # Commands that the gateway adds before it knows are refused by the store, and added again when there is space.
    early = [await stranger.request("say", room=table.room, text="am I heard?")]
    while not any(message.get("code") == "busy/store_full" for message in stranger.messages):
        early.append(await stranger.request("say", room=table.room, text="am I heard?"))
        await stranger.pause()
    assert (await table.turn.take(table.room))["code"] == "busy/store_full"
    status, body = hurt.gateways[0].get("/readyz")
    assert status == 503
    assert json.loads(body)["reason"] == "store_full"
    filling(0)
    codes = {(await stranger.answer(number))["code"] for number in early}
    assert codes == {"busy/store_full", "room/not_seated"}
    await _create_until(stranger, "")
    await table.moves(3)
    await table.check()
    assert table.players[0].rooms[table.room].epoch == epoch
