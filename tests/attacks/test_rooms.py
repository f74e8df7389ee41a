"""Rooms that are opened and never played: the store forgets them within minutes."""

import asyncio
from typing import Any

from shared.bus.keys import Keys
from shared.ids import RoomId, partition_of
from tests.support.cluster import Cluster
from tests.support.control import Control
from tests.support.hostile import HostileClient, message
from tests.support.player import new_name
from tests.support.waiting import eventually_async

ROOMS = 60
MOST_BYTES = 16_000
"""Bytes that the store keeps of a room that was left before its start."""
MOST_TTL_S = 10 * 60


def _open_and_leave(hostile: HostileClient) -> list[int]:
    """Open and leave rooms in a loop; returns the rooms. Some requests may be refused as too fast."""
    rooms: list[int] = []
    for number in range(1, 2 * ROOMS, 2):
        hostile.send(message(type="create", id=number, game="stones", seats=2))
        answer: Any = hostile.answers(number, number)[0]
        if answer["type"] == "entered":
            rooms.append(answer["room"])
            hostile.send(message(type="leave", id=number + 1, room=answer["room"]))
            assert hostile.answers(number + 1, number + 1)[0]["type"] == "ack"
        else:
            assert answer["code"].startswith("busy/"), answer
    return rooms


def _kept(cluster: Cluster, room: int) -> tuple[int, list[int]]:
    """Bytes and times to live, in seconds, of the keys of a room; -1 for a key that is kept for ever."""
    keys = Keys(partition_of(RoomId(room), cluster.partitions), cluster.partitions)
    with cluster.redis() as store:
        of_room = (keys.journal(RoomId(room)), keys.updates(RoomId(room)), keys.snapshot(RoomId(room)))
        names = [name for name in of_room if store.exists(name)]
        return sum(store.memory_usage(name) or 0 for name in names), [store.ttl(name) for name in names]


async def test_rooms_that_are_opened_and_left_expire_within_minutes(attacked: Cluster) -> None:
    def attack() -> list[int]:
        with HostileClient(attacked.gateways[0].port, address="127.0.1.40").login(new_name()) as hostile:
            return _open_and_leave(hostile)

    async with Control(attacked):
        rooms = await asyncio.to_thread(attack)
    assert rooms
    for room in rooms:
        size, ttls = _kept(attacked, room)
        assert size <= MOST_BYTES
        assert ttls
        assert all(0 <= ttl <= MOST_TTL_S for ttl in ttls), ttls


async def test_a_waiting_room_whose_player_has_gone_expires_within_minutes(attacked: Cluster) -> None:
    def attack() -> int:
        with HostileClient(attacked.gateways[0].port, address="127.0.1.41").login(new_name()) as hostile:
            hostile.send(message(type="create", id=1, game="stones", seats=2))
            return int(hostile.answers(1, 1)[0]["room"])

    room = await asyncio.to_thread(attack)

    def expires() -> bool:
        ttls = _kept(attacked, room)[1]
        return bool(ttls) and all(0 <= ttl <= MOST_TTL_S for ttl in ttls)

    await eventually_async(expires, "the room is closed and expires")
