"""Large levels from players: refused by size, and those that are accepted delay no other room of the worker."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from tests.support.cluster import Cluster
from tests.support.control import Control, Limits
from tests.support.hostile import HostileClient, message
from tests.support.player import new_name

ATTACKERS = 40
LARGE = 170
"""Rows and columns of a level whose `create` takes 58 KB."""
SIDES = (150, 120, 100, 90, 80, 70, 60, 50, 45, 40, 35, 30, 25, 20, 15, 10)
REFUSED = "room/bad_options"


def _level(side: int) -> dict[str, Any]:
    """One room with walls around it, the key and the exit in opposite corners."""
    edge, inside = [0] * side, [0] + [1] * (side - 2) + [0]
    layout = [edge, *[inside] * (side - 2), edge]
    room = {"type": "room", "origin": [0, 0], "bounds": {"rows": side, "columns": side}, "layout": layout}
    things = [{"type": "key", "position": [1, 1]}, {"type": "exit", "position": [side - 2, side - 2]}]
    return {"type": "level", "rooms": [room], "hallways": [], "objects": things}


def _create(side: int) -> bytes:
    return message(type="create", id=1, game="snarl", seats=2, options={"levels": [_level(side)]})


def _create_at_once(port: int, side: int) -> list[Any]:
    """One `create` on each of many connections, all sent before an answer is read."""
    with ExitStack() as stack, ThreadPoolExecutor(ATTACKERS) as threads:
        hostile = [stack.enter_context(HostileClient(port)).login(new_name()) for _ in range(ATTACKERS)]
        data = _create(side)
        list(threads.map(lambda client: client.send(data), hostile))
        return [client.answers(1, 1)[0] for client in hostile]


def _largest_accepted(port: int) -> int:
    """The side of the largest square level that a player may bring."""
    for side in SIDES:
        with HostileClient(port, address="127.0.0.10").login(new_name()) as client:
            client.send(_create(side))
            if client.answers(1, 1)[0]["type"] == "entered":
                return side
    raise AssertionError("no level is accepted")


async def test_forty_levels_of_58_kb_are_refused_and_delay_no_other_room(attacked: Cluster) -> None:
    async with Control(attacked) as control:
        answers = await asyncio.to_thread(_create_at_once, attacked.gateways[0].port, LARGE)
        await control.rounds(5)
    assert [answer.get("code") for answer in answers] == [REFUSED] * ATTACKERS


async def test_forty_of_the_largest_levels_that_are_accepted_delay_no_other_room(attacked: Cluster) -> None:
    port = attacked.gateways[0].port
    side = await asyncio.to_thread(_largest_accepted, port)
    assert side < LARGE
    async with Control(attacked, Limits(worker=16)) as control:
        answers = await asyncio.to_thread(_create_at_once, port, side)
        await control.rounds(5)
    assert [answer["type"] for answer in answers] == ["entered"] * ATTACKERS
