"""The gateways that receive updates from a partition, and from which of its rooms.

The sets exist so that the owner of a partition finds the rooms of a gateway that has died without loading all rooms.
"""

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import GatewayId, RoomId


def adding(partition: Keys, room: RoomId, gateway: GatewayId) -> tuple[RedisCommand, RedisCommand]:
    """The commands that note that a gateway receives a room's updates."""
    return ("SADD", partition.at(gateway), room), ("SADD", partition.gateways, gateway)


def removing(partition: Keys, room: RoomId, gateway: GatewayId) -> RedisCommand:
    """The command that notes that it does so no more."""
    return ("SREM", partition.at(gateway), room)


def reading(partition: Keys) -> RedisCommand:
    """The command that reads the gateways; `parse` takes its reply."""
    return ("SMEMBERS", partition.gateways)


def parse(reply: list[bytes]) -> set[GatewayId]:
    return {GatewayId(gateway.decode()) for gateway in reply}


async def rooms_of(store: Store, partition: Keys, gateway: GatewayId) -> list[RoomId]:
    """The rooms of the partition whose updates a gateway receives, in ascending order."""
    return sorted(RoomId(int(room)) for room in await store.call("SMEMBERS", partition.at(gateway)))


async def forget(store: Store, partition: Keys, gateway: GatewayId) -> None:
    """Remove a gateway that is no more."""
    await store.pipe((("SREM", partition.gateways, gateway), ("DEL", partition.at(gateway))))
