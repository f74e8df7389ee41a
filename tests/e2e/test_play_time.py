"""Time in rooms: bots, turn timers, the grace of a lost player. Every duration is a setting or a wish of the table."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable


@pytest.fixture(scope="module")
def hasty() -> Iterator[Cluster]:
    """A cluster that waits for nobody."""
    with Cluster(lease_ms=900, bot_ms=1, away_ms=30, grace_ms=30, abandoned_ms=1_000) as cluster:
        yield cluster.start(2, 1)


def _over(player: Player, room: int) -> bool:
    return "room.ended" in player.rooms[room].kinds()


async def _go_on(player: Player, room: int, offset: int) -> None:
    await player.until(lambda: player.rooms[room].offset > offset or _over(player, room), "the next step")


async def test_a_whole_game_against_bots_can_be_played(hasty: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(hasty.gateways[0])
    opened = await player.ask("create", game="stones", seats=4, bots=3, options={"stones": 12}, wants=["options"])
    room = opened["room"]
    await player.wait_for_event(room, "room.started")
    while not _over(player, room):
        top = player.rooms[room].offset
        if player.rooms[room].steps[top].get("options"):
            await player.take(room)
        await _go_on(player, room, top)
    played = [event for event in player.rooms[room].events if event["type"] == "room.played"]
    assert {event["reason"] for event in played} == {"bot"}
    assert {event["seat"] for event in played} == {1, 2, 3}


async def test_a_turn_that_takes_too_long_is_played_by_the_room(hasty: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hasty.gateways]
    table = await StonesTable.open(first, second, turn_ms=50, stones=5)
    ended = await first.wait_for_event(table.room, "room.ended")
    assert ended["reason"] == "last_stone"
    played = [event for event in first.rooms[table.room].events if event["type"] == "room.played"]
    assert {event["reason"] for event in played} == {"time"}
    assert {event["seat"] for event in played} == {0, 1}
    clocks = [event["due_ms"] for event in first.rooms[table.room].events if event["type"] == "room.clock"]
    assert clocks[-1] == 0
    assert clocks[:-1] == sorted(set(clocks[:-1]))
    await table.check()


async def test_a_move_in_time_starts_the_clock_of_the_next(hasty: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hasty.gateways]
    table = await StonesTable.open(first, second, turn_ms=600_000)
    await table.moves(4)
    clocks = [event["due_ms"] for event in second.rooms[table.room].events if event["type"] == "room.clock"]
    assert 1 < len(clocks) <= 5, "a move within the same millisecond leaves the clock as it is"
    assert clocks == sorted(set(clocks))
    assert "room.played" not in second.rooms[table.room].kinds()


async def test_a_game_goes_on_without_a_player_who_stays_away(hasty: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hasty.gateways]
    table = await StonesTable.open(first, second)
    await table.move()
    second.drop()
    played = await first.wait_for_event(table.room, "room.played")
    assert (played["seat"], played["reason"]) == (1, "away")
    await first.take(table.room)
    await second.reconnect(hasty.gateways[0].url)
    await second.wait_for_event(table.room, "room.back")
    await table.check()


async def test_a_game_goes_on_at_once_without_a_player_who_left(hasty: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in hasty.gateways]
    table = await StonesTable.open(first, second, stones=6)
    await second.ask("leave", room=table.room)
    for _ in range(2):
        offset = (await first.take(table.room))["offset"]
        await first.wait_for_event(table.room, "room.played", after=offset)
    assert (await second.ask("join", room=table.room))["code"] == "room/started"


async def test_the_seat_of_a_player_who_is_lost_while_waiting_is_free_again(
    hasty: Cluster, new_player: NewPlayer
) -> None:
    first, second, third = [await new_player(hasty.gateways[number % 2]) for number in range(3)]
    room = (await first.ask("create", game="stones", seats=3))["room"]
    await second.ask("join", room=room)
    second.drop()
    left = await first.wait_for_event(room, "room.left")
    assert (left["name"], left["reason"]) == (second.name, "gone")
    assert (await third.ask("join", room=room))["seat"] == 1


async def test_a_table_that_everybody_abandoned_is_closed(hasty: Cluster, new_player: NewPlayer) -> None:
    first, second, watcher = [await new_player(hasty.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second, bots=0)
    await watcher.ask("spectate", room=table.room)
    first.drop()
    second.drop()
    closed = await watcher.wait_for_event(table.room, "room.closed")
    assert closed["reason"] == "abandoned"


async def test_fired_deadlines_leave_nothing_behind(hasty: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(hasty.gateways[0])
    opened = await player.ask("create", game="stones", seats=2, bots=1, options={"stones": 6})
    room = opened["room"]
    while not _over(player, room):
        top = (await player.take(room))["offset"]
        await _go_on(player, room, top)
    with hasty.redis() as store:
        left = [
            member
            for key in store.scan_iter("*:deadlines")
            for member in store.zrange(key, 0, -1)
            if member.startswith(f"{room}:")
        ]
    assert left == []
