"""Lists of rooms that are asked for or sent to many: the gateway keeps and sends no more than a client reads."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from typing import Any

import pytest

from tests.support.cluster import Cluster
from tests.support.control import Control, Limits
from tests.support.hostile import HostileClient, message
from tests.support.player import new_name

OWNERS = 80
ROOMS_EACH = 4
REQUESTS = 1_000
WATCHERS = 20
CHANGES = 25
MOST_LISTED = 100
"""Rooms in one answer to `rooms`."""


def _open_rooms(client: HostileClient) -> int:
    """Open waiting rooms of Eriantys; returns the first one."""
    client.login(new_name())
    create = {"type": "create", "game": "eriantys", "seats": 4}
    client.send(b"".join(message(id=number, **create) for number in range(1, ROOMS_EACH + 1)))
    answers = client.answers(1, ROOMS_EACH)
    assert [answer["type"] for answer in answers] == ["entered"] * ROOMS_EACH, answers
    return int(answers[0]["room"])


@pytest.fixture(scope="module")
def owners(_cluster: Cluster) -> Iterator[dict[int, HostileClient]]:
    """Players with waiting rooms, by the first of their rooms. The rooms wait as long as their players are there."""
    port = _cluster.gateways[0].port
    with ExitStack() as stack, ThreadPoolExecutor(8) as threads:
        clients = [stack.enter_context(HostileClient(port, address="127.0.0.11")) for _ in range(OWNERS)]
        yield dict(zip(threads.map(_open_rooms, clients), clients, strict=True))


@pytest.mark.usefixtures("owners")
async def test_a_thousand_requests_for_the_list_without_reading_cost_no_memory(attacked: Cluster) -> None:
    requests = b"".join(message(type="rooms", id=number) for number in range(1, REQUESTS + 1))
    async with Control(attacked, Limits(gateway=16)) as control:
        with HostileClient(attacked.gateways[0].port, window=4_096) as hostile:
            await asyncio.to_thread(hostile.login, new_name())
            await asyncio.to_thread(hostile.send, requests, 2.0)
            await control.rounds(30)  # the answers stay unread all the while


@pytest.mark.usefixtures("owners")
async def test_a_list_is_given_in_portions(attacked: Cluster) -> None:
    def listed(**fields: Any) -> list[Any]:
        """All portions of the list."""
        with HostileClient(attacked.gateways[0].port).login(new_name()) as client:
            found, after = [], 0
            for number in range(1, 20):
                client.send(message(type="rooms", id=number, after=after, **fields))
                answer = client.answers(number, number)[0]
                assert len(answer["rooms"]) <= MOST_LISTED
                found += answer["rooms"]
                if not answer.get("more"):
                    return found
                after = answer["rooms"][-1]["room"]
        raise AssertionError("the list has no end")

    rooms = await asyncio.to_thread(listed, game="eriantys")
    numbers = [room["room"] for room in rooms]
    assert len(numbers) >= OWNERS * ROOMS_EACH
    assert len(numbers) == len(set(numbers))


async def test_watchers_of_prompts_get_the_list_once_a_second_at_most(
    attacked: Cluster, owners: dict[int, HostileClient]
) -> None:
    def attack() -> tuple[list[int], float]:
        with ExitStack() as stack:
            sockets = [stack.enter_context(HostileClient(attacked.gateways[0].port)) for _ in range(WATCHERS)]
            watchers = [client.upgrade("/ws/eriantys/prompts") for client in sockets]
            begun = time.monotonic()
            for room, owner in islice(owners.items(), CHANGES):
                owner.send(message(type="leave", id=ROOMS_EACH + 1, room=room))
                owner.answers(ROOMS_EACH + 1, ROOMS_EACH + 1)
            lasted = time.monotonic() - begun
            return [_welcomes(watcher) for watcher in watchers], lasted

    async with Control(attacked) as control:
        welcomes, lasted = await asyncio.to_thread(attack)
        await control.rounds(3)
    # One at the opening, one a second, and one for a second that has begun.
    assert max(welcomes) <= lasted + 3
    assert min(welcomes) >= 1


def _welcomes(watcher: HostileClient) -> int:
    """The number of lists that a watcher has received so far."""
    watcher.pause(0.1)
    return sum(b'"Welcome"' in payload for payload in watcher.received_frames())
