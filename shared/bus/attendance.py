"""The gateways that receive updates from a partition, and from which of its rooms.

The sets exist so that the owner of a partition finds the rooms of a gateway that has died without loading all rooms.
"""

from collections.abc import Sequence

from shared.bus.keys import Keys
from shared.bus.scripts import script
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


def forgetting(partition: Keys, gateway: GatewayId, silent: Sequence[RoomId]) -> RedisCommand:
    """The command that removes a gateway that is no more, unless one of its rooms has not handled that yet. Its reply
    is 1 if the gateway is removed. Rooms that are `silent` will not handle it, and do not count."""
    return script("forget_gateway", (partition.gateways, partition.at(gateway)), (gateway, *silent))
