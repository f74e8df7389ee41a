"""Gateways that die, freeze or leave, and lost messages: clients resume elsewhere with exactly what they missed."""

import asyncio
import re

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.waiting import eventually_async


async def test_players_of_a_killed_gateway_resume_at_another_one_and_the_others_see_them_go_and_return(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    there, here = hurt.gateways
    first, second, third = await new_player(there), await new_player(here), await new_player(there)
    table = await StonesTable.open(first, second, third)
    await table.moves(4)
    before = first.rooms[table.room].offset
    there.kill()
    assert (await first.wait_closed())[0] == 1006
    await third.wait_closed()
    await second.until(lambda: second.rooms[table.room].kinds().count("room.away") == 2, "both are away")
    assert (await second.take(table.room))["type"] == "ack"
    await first.reconnect(here.url)
    await third.reconnect(here.url)
    await second.until(lambda: second.rooms[table.room].kinds().count("room.back") == 2, "both are back")
    await table.seen(second.rooms[table.room].offset)
    missed = [first.rooms[table.room].steps[at] for at in sorted(first.rooms[table.room].steps) if at > before]
    assert missed == [step for at, step in sorted(second.rooms[table.room].steps.items()) if at > before]
    await table.moves(3)
    await table.check()


async def test_a_player_who_returns_before_anybody_noticed_misses_nothing(hurt: Cluster, new_player: NewPlayer) -> None:
    there, here = hurt.gateways
    first, second = await new_player(there), await new_player(here)
    table = await StonesTable.open(first, second)
    await table.moves(3)
    asked = await first.request("say", room=table.room, text="did that get through?")
    there.kill()
    await first.wait_closed()
    await first.reconnect(here.url)
    await first.send(type="say", id=asked, room=table.room, text="did that get through?")
    ack = await first.answer(asked)
    await table.seen(ack["offset"])
    chat = [event for event in second.rooms[table.room].events if event["type"] == "room.said"]
    assert len(chat) == 1
    await table.moves(3)
    await table.check()


async def test_the_name_of_a_dead_gateways_player_is_the_sessions_own_and_then_free(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    there, here = hurt.gateways
    seated, idle = await new_player(there), await new_player(there)
    await seated.ask("create", game="stones", seats=2)
    there.kill()
    await idle.wait_closed()
    async with Player() as other:
        await other.connect(here.url)
        while (answer := await other.hello(name=idle.name))["type"] != "welcome":
            assert answer["code"] == "name/taken"
            await other.pause()
    async with Player() as thief:
        await thief.connect(here.url)
        assert (await thief.hello(name=seated.name))["code"] == "name/taken"
    await seated.reconnect(here.url)


async def test_a_gateway_that_stops_asks_everybody_to_come_back(hurt: Cluster, new_player: NewPlayer) -> None:
    leaving, staying = hurt.gateways
    players = [await new_player(leaving) for _ in range(6)]
    tables = [await StonesTable.open(*players[at : at + 2]) for at in range(0, 6, 2)]
    ending = asyncio.create_task(asyncio.to_thread(leaving.terminate))
    for player in players:
        code, reason = await player.wait_closed()
        assert code == 1012
        assert re.fullmatch(r"come back in \d+ ms", reason)
        await player.reconnect(staying.url)
    assert await ending == 0
    for table in tables:
        await table.moves(2)
        await table.check()


async def test_a_gateway_frozen_beyond_its_lease_asks_its_players_to_come_back(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    frozen, here = hurt.gateways
    first, second = await new_player(frozen), await new_player(here)
    table = await StonesTable.open(first, second)
    await table.moves(2)
    frozen.pause()
    await second.wait_for_event(table.room, "room.away")
    frozen.go_on()
    assert (await first.wait_closed())[0] == 1012
    await first.reconnect(here.url)
    await table.moves(4)
    await table.check()


async def test_messages_lost_with_a_broken_subscription_are_delivered_all_the_same(
    hurt: Cluster, new_player: NewPlayer
) -> None:
    tables = [await StonesTable.open(*[await new_player(gateway) for gateway in hurt.gateways]) for _ in range(4)]
    playing = asyncio.gather(*(table.moves(60) for table in tables))
    for round_ in range(1, 6):
        await tables[0].players[0].wait_for_step(tables[0].room, 8 * round_)
        with hurt.redis() as store:
            store.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await playing
    for table in tables:
        await table.check()
    assert {player.connections for table in tables for player in table.players} == {1}
    for gateway in hurt.gateways:
        assert gateway.metrics()["tavolata_gaps_filled_total"] > 0


async def test_a_lost_last_message_is_noticed_without_another_one(hurt: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hurt.gateways]
    table = await StonesTable.open(first, second)
    await table.moves(2)
    with hurt.redis() as store:
        store.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    ack = await first.take(table.room)
    assert ack["type"] == "ack"
    await second.wait_for_step(table.room, ack["offset"])
    await table.check()


async def test_the_list_of_rooms_survives_a_broken_subscription(hurt: Cluster, new_player: NewPlayer) -> None:
    watcher, player = [await new_player(gateway) for gateway in hurt.gateways]
    with hurt.redis() as store:
        store.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    room = (await player.ask("create", game="stones", seats=2))["room"]

    def listed() -> bool:
        return room in [entry["room"] for entry in hurt.gateways[0].json("/api/rooms")["rooms"]]

    await eventually_async(listed, "the room is listed")
    await player.ask("leave", room=room)
    await eventually_async(lambda: not listed(), "the room is listed no more")
    assert watcher.closed is None
