"""Processes that come and go: partitions are shared evenly, and nobody at a table notices."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from shared.bus import keys
from tests.e2e.conftest import NewPlayer
from tests.support.cluster import QUICK, Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def _three() -> Iterator[Cluster]:
    with Cluster(**(QUICK | {"partitions": 24})) as cluster:
        yield cluster.start(1, 3)


@pytest.fixture
def three(_three: Cluster) -> Iterator[Cluster]:
    """One gateway and three workers, whatever came and went before."""
    yield _three
    for extra in (*_three.gateways[1:], *_three.workers[3:]):
        extra.close()
    del _three.gateways[1:], _three.workers[3:]
    _three.mend()


async def test_a_fourth_worker_takes_its_share_and_hands_it_back_unnoticed(
    three: Cluster, new_player: NewPlayer
) -> None:
    gateway = three.gateways[0]
    tables = [await StonesTable.open(await new_player(gateway), await new_player(gateway)) for _ in range(8)]
    playing = asyncio.gather(*(table.moves(60) for table in tables))
    await tables[0].players[0].wait_for_step(tables[0].room, 5)
    fourth = three.node("worker").start()
    three.await_shares()
    with three.redis() as store:
        statuses = [json.loads(status) for status in store.hvals(keys.WORKER_STATUS)]
    assert sorted(len(status["partitions"]) for status in statuses) == [6, 6, 6, 6]
    assert sorted(number for status in statuses for number in status["partitions"]) == list(range(24))
    assert await asyncio.to_thread(fourth.terminate) == 0
    three.await_shares()
    assert sorted(len(status["partitions"]) for status in three.shares().values()) == [8, 8, 8]
    await playing
    for table in tables:
        await table.moves(1)
        await table.check()
    players = [player for table in tables for player in table.players]
    assert {player.connections for player in players} == {1}
    assert not [message for player in players for message in player.messages if message["type"] == "error"]


async def test_all_workers_are_replaced_one_after_the_other_during_play(three: Cluster, new_player: NewPlayer) -> None:
    gateway = three.gateways[0]
    tables = [await StonesTable.open(await new_player(gateway), await new_player(gateway)) for _ in range(6)]
    playing = asyncio.gather(*(table.moves(80) for table in tables))
    for worker in list(three.workers):
        await asyncio.to_thread(worker.terminate)
        worker.start()
    await playing
    for table in tables:
        await table.check()
    players = [player for table in tables for player in table.players]
    assert not [message for player in players for message in player.messages if message["type"] == "error"]


async def test_a_name_at_a_gateway_that_came_a_moment_ago_is_in_use(three: Cluster) -> None:
    newcomer = three.node("gateway").start()
    async with Player() as player, Player() as other:
        await player.log_in(newcomer.url)
        await other.connect(three.gateways[0].url)
        assert (await other.hello(name=player.name))["code"] == "name/taken"


async def test_entries_of_dead_workers_leave_the_registry(three: Cluster) -> None:
    three.workers[0].kill()
    three.await_shares()
    with three.redis() as store:
        eventually(lambda: store.zcard(keys.WORKERS) == 2 and store.hlen(keys.WORKER_STATUS) == 2, "it is struck off")


async def test_command_streams_are_trimmed_and_finished_rooms_expire(three: Cluster, new_player: NewPlayer) -> None:
    gateway = three.gateways[0]
    table = await StonesTable.open(await new_player(gateway), await new_player(gateway), stones=300)
    await table.moves(300)
    await table.players[0].wait_for_event(table.room, "room.ended")
    with three.redis() as store:
        (journal,) = store.scan_iter(f"*:room:{table.room}:journal")
        stream = journal.partition(":")[0] + ":commands"
        assert store.xlen(stream) < 300
        kept = [store.pttl(key) for key in store.scan_iter(f"*:room:{table.room}:*")]
        assert len(kept) == 3
        assert all(0 < left <= 7 * 24 * 3_600_000 for left in kept)
