"""The identifiers that everything else is typed with, and where a room lives."""

from typing import NewType

RoomId = NewType("RoomId", int)
Seat = NewType("Seat", int)
SessionId = NewType("SessionId", str)
GatewayId = NewType("GatewayId", str)
WorkerId = NewType("WorkerId", str)
Partition = NewType("Partition", int)
Epoch = NewType("Epoch", int)
Offset = NewType("Offset", int)
CommandId = NewType("CommandId", int)
TraceId = NewType("TraceId", str)

LOBBY = RoomId(0)
"""The lobby is an entity like a room; no room has its number."""

FIRST_ROOM = 1000
PRIVATE_ROOMS = range(100_000_000, 1_000_000_000)


def partition_of(room: RoomId, partitions: int) -> Partition:
    return Partition(room % partitions)
