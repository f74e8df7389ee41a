"""The rooms of a partition that are set aside until an operator frees them, each with the reason."""

from collections.abc import Sequence

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import RoomId


def marking(partition: Keys, room: RoomId, reason: str) -> RedisCommand:
    """The command that sets a room aside."""
    return ("HSET", partition.quarantine, room, reason)


def freeing(partition: Keys, room: RoomId) -> RedisCommand:
    """The command that ends the quarantine of a room."""
    return ("HDEL", partition.quarantine, room)


def reading(partition: Keys) -> RedisCommand:
    """The command that reads which rooms are set aside; `parse` takes its reply."""
    return ("HKEYS", partition.quarantine)


def parse(reply: list[bytes]) -> set[RoomId]:
    return {RoomId(int(room)) for room in reply}


async def mark(store: Store, rooms: Sequence[tuple[Keys, RoomId, str]]) -> None:
    """Set rooms aside: partition, room and reason of each."""
    if rooms:
        await store.pipe([marking(partition, room, reason) for partition, room, reason in rooms])


async def reasons(store: Store, partitions: Sequence[Keys]) -> dict[RoomId, str]:
    """The rooms of all partitions that are set aside, each with the reason."""
    replies = await store.pipe([("HGETALL", partition.quarantine) for partition in partitions])
    flat = [word for reply in replies for word in reply]
    return {RoomId(int(room)): reason.decode() for room, reason in zip(flat[::2], flat[1::2], strict=True)}


async def reason(store: Store, partition: Keys, room: RoomId) -> str | None:
    """The reason why a room is set aside; None: it is not."""
    found = await store.call("HGET", partition.quarantine, room)
    return None if found is None else found.decode()


async def marked(store: Store, partitions: Sequence[Keys]) -> list[set[RoomId]]:
    """For each partition the rooms that are set aside."""
    return [parse(reply) for reply in await store.pipe([reading(partition) for partition in partitions])]
