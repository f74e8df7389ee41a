"""Workers that die, freeze or leave in mid game: no acknowledged move is lost or doubled, and nobody reconnects."""

import asyncio

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.waiting import eventually, eventually_async


async def _tables(cluster: Cluster, new_player: NewPlayer, number: int) -> list[StonesTable]:
    """A number of tables, each between players of both gateways."""
    return [
        await StonesTable.open(await new_player(cluster.gateways[0]), await new_player(cluster.gateways[1]))
        for _ in range(number)
    ]


async def _play_on(tables: list[StonesTable], moves: int) -> None:
    await asyncio.gather(*(table.moves(moves) for table in tables))


def _everybody(tables: list[StonesTable]) -> list[Player]:
    return [player for table in tables for player in table.players]


async def _all_is_well(tables: list[StonesTable]) -> None:
    for table in tables:
        await table.check()
    assert {player.connections for player in _everybody(tables)} == {1}
    assert all(player.closed is None for player in _everybody(tables))


async def test_a_worker_killed_in_mid_game_costs_nothing_but_a_moment(hurt: Cluster, new_player: NewPlayer) -> None:
    tables = await _tables(hurt, new_player, 8)
    await _play_on(tables, 4)
    playing = asyncio.gather(*(table.moves(30) for table in tables))
    await tables[0].players[0].wait_for_step(tables[0].room, 10)
    hurt.owner(tables[0].room).kill()
    await playing
    await _all_is_well(tables)


async def test_moves_on_their_way_when_the_worker_dies_happen_once(hurt: Cluster, new_player: NewPlayer) -> None:
    tables = await _tables(hurt, new_player, 4)
    victim = hurt.owner(tables[0].room)
    victim.pause()
    asked = [(table, table.turn, await table.turn.request("act", room=table.room, command=_TAKE)) for table in tables]
    victim.kill()
    for table, player, number in asked:
        ack = await player.answer(number)
        table.acked.append((number, ack["offset"]))
        await table.seen(ack["offset"])
    await _play_on(tables, 2)
    await _all_is_well(tables)
    for table in tables:
        assert table.players[0].rooms[table.room].kinds().count("taken") == 3


async def test_games_go_on_after_all_workers_were_killed_and_started_again(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    tables = await _tables(hurt, new_player, 4)
    await _play_on(tables, 3)
    for worker in hurt.workers:
        worker.kill()
    asked = [(table, table.turn, await table.turn.request("act", room=table.room, command=_TAKE)) for table in tables]
    hurt.mend()
    for table, player, number in asked:
        ack = await player.answer(number)
        table.acked.append((number, ack["offset"]))
        await table.seen(ack["offset"])
    await _play_on(tables, 3)
    await _all_is_well(tables)


async def test_a_worker_frozen_beyond_its_lease_cannot_commit_when_it_wakes(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    tables = await _tables(hurt, new_player, 6)
    await _play_on(tables, 3)
    sleeper = hurt.owner(tables[0].room)
    held = [table for table in tables if hurt.owner(table.room) is sleeper]
    sleeper.pause()
    await _play_on(held, 6)
    assert sleeper.alive
    sleeper.go_on()
    await eventually_async(lambda: "were lost" in sleeper.log() or "FENCED" in sleeper.log(), "the sleeper gives up")
    await _play_on(tables, 4)
    await _all_is_well(tables)
    await asyncio.to_thread(hurt.await_shares)
    await _play_on(tables, 2)
    await _all_is_well(tables)


async def test_a_worker_that_is_told_to_stop_hands_everything_over(hurt: Cluster, new_player: NewPlayer) -> None:
    tables = await _tables(hurt, new_player, 6)
    leaving = hurt.owner(tables[0].room)
    playing = asyncio.gather(*(table.moves(40) for table in tables))
    await tables[0].players[0].wait_for_step(tables[0].room, 6)
    assert await asyncio.to_thread(leaving.terminate) == 0
    assert "not all partitions could be handed over" not in leaving.log()
    await playing
    await asyncio.to_thread(hurt.await_shares)
    (status,) = hurt.shares().values()
    assert status["partitions"] == list(range(hurt.partitions))
    await _play_on(tables, 2)
    await _all_is_well(tables)
    assert not [message for player in _everybody(tables) for message in player.messages if message["type"] == "error"]


async def test_clocks_are_put_back_by_the_time_that_nobody_ran_the_room(hurt: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hurt.gateways]
    table = await StonesTable.open(first, second, turn_ms=3_000)
    await table.move()
    due = [event["due_ms"] for event in first.rooms[table.room].events if event["type"] == "room.clock"][-1]
    offset = first.rooms[table.room].offset
    for worker in hurt.workers:
        worker.kill()
    with hurt.redis() as store:
        owners = {key: store.hget(key, "renewed") for key in store.scan_iter("*:owner")}
        eventually(lambda: _now_ms(store) > max(map(int, owners.values())) + 1_500, "an outage worth the name")
    hurt.mend()
    shifted = await first.wait_for_event(table.room, "room.shifted", after=offset)
    clock = await first.wait_for_event(table.room, "room.clock", after=offset)
    assert shifted["by_ms"] >= 1_500
    assert clock["due_ms"] == due + shifted["by_ms"]
    played = await second.wait_for_event(table.room, "room.played", after=offset)
    assert played["reason"] == "time"
    step = next(step for step in second.rooms[table.room].steps.values() if played in step["events"])
    assert step["at"] >= clock["due_ms"] - 300
    await table.check()


def _now_ms(store: object) -> int:
    seconds, micros = store.time()  # type: ignore[attr-defined]
    return int(seconds) * 1_000 + int(micros) // 1_000


_TAKE = {"type": "take", "count": 1}
