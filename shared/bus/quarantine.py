"""The rooms of a partition that are set aside until an operator frees them, each with the reason."""

from collections.abc import Sequence

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import RoomId


def marking(partition: Keys, room: RoomId, reason: str) -> RedisCommand:
    """The command that sets a room aside."""
    return ("HSET", partition.quarantine, room, reason)


def reading(partition: Keys) -> RedisCommand:
    """The command that reads which rooms are set aside; `parse` takes its reply."""
    return ("HKEYS", partition.quarantine)


def parse(reply: list[bytes]) -> set[RoomId]:
    return {RoomId(int(room)) for room in reply}


async def mark(store: Store, rooms: Sequence[tuple[Keys, RoomId, str]]) -> None:
    """Set rooms aside: partition, room and reason of each."""
    if rooms:
        await store.pipe([marking(partition, room, reason) for partition, room, reason in rooms])


async def marked(store: Store, partitions: Sequence[Keys]) -> list[set[RoomId]]:
    """For each partition the rooms that are set aside."""
    return [parse(reply) for reply in await store.pipe([reading(partition) for partition in partitions])]
