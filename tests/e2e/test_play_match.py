"""Quick match: players who come at once, wherever they come, meet at one table."""

import asyncio

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster


async def test_two_who_come_at_once_at_different_gateways_meet_at_one_table(
    calm: Cluster, new_player: NewPlayer
) -> None:
    for number in range(20):
        pair = [await new_player(gateway) for gateway in calm.gateways]
        options = {"stones": 100 + number}
        answers = await asyncio.gather(*(player.ask("match", game="stones", options=options) for player in pair))
        assert [answer["type"] for answer in answers] == ["entered", "entered"]
        assert answers[0]["room"] == answers[1]["room"]
        assert {answer["seat"] for answer in answers} == {0, 1}
        for player in pair:
            await player.wait_for_event(answers[0]["room"], "room.started")


async def test_a_crowd_that_comes_at_once_fills_tables_without_a_gap(calm: Cluster, new_player: NewPlayer) -> None:
    crowd = [await new_player(calm.gateways[number % 2]) for number in range(24)]
    options = {"stones": 77}
    answers = await asyncio.gather(*(player.ask("match", game="stones", seats=4, options=options) for player in crowd))
    rooms = [answer["room"] for answer in answers]
    assert sorted(rooms.count(room) for room in set(rooms)) == [4] * 6


async def test_a_match_takes_the_oldest_table_that_fits(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third, late = [await new_player(calm.gateways[number % 2]) for number in range(4)]
    options = {"stones": 501}
    oldest = (await first.ask("create", game="stones", seats=3, options=options))["room"]
    fitting = (await second.ask("create", game="stones", seats=2, options=options))["room"]
    await third.ask("create", game="stones", seats=2, options={"stones": 502})
    assert (await late.ask("match", game="stones", seats=2, options=options))["room"] == fitting
    assert (await third.ask("match", game="stones", options=options))["room"] == oldest


async def test_a_seat_that_became_free_is_matched_again(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    options = {"stones": 601}
    room = (await first.ask("match", game="stones", seats=3, options=options))["room"]
    assert (await second.ask("match", game="stones", seats=3, options=options))["room"] == room
    await second.ask("leave", room=room)
    await first.wait_for_event(room, "room.left")
    assert (await third.ask("match", game="stones", seats=3, options=options))["room"] == room
