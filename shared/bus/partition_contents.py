"""The first reading of a partition by its new owner: deadlines, gateways, rooms and their unwritten history."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus import attendance, deadlines, outages, parked_commands, partition_log, quarantine, unfinished_rooms
from shared.bus.keys import Keys
from shared.bus.outages import Outage
from shared.bus.parked_commands import ParkedCommands
from shared.bus.partition_log import UnwrittenRooms
from shared.bus.store import RedisCommand, Store
from shared.ids import GameVersion, GatewayId, RoomId
from shared.results import DueDeadline

_READS = 6


@dataclass(frozen=True, slots=True)
class PartitionContents:
    deadlines: list[DueDeadline]
    gateways: set[GatewayId]
    quarantined: set[RoomId]
    unfinished: dict[GameVersion, int]
    parked: ParkedCommands
    outages: list[Outage]
    unwritten: UnwrittenRooms


async def read(store: Store, partitions: Sequence[Keys]) -> list[PartitionContents]:
    """The contents of each partition."""
    reads: list[RedisCommand] = []
    for partition in partitions:
        reads += (deadlines.reading(partition), attendance.reading(partition), quarantine.reading(partition))
        reads += (unfinished_rooms.reading(partition), parked_commands.reading(partition), outages.reading(partition))
    replies = await store.pipe(reads)
    unwritten = await partition_log.unwritten(store, partitions)
    return [
        PartitionContents(
            deadlines.parse(replies[at]),
            attendance.parse(replies[at + 1]),
            quarantine.parse(replies[at + 2]),
            unfinished_rooms.parse(replies[at + 3]),
            parked_commands.parse(replies[at + 4]),
            outages.parse(replies[at + 5]),
            rooms,
        )
        for at, rooms in zip(range(0, len(replies), _READS), unwritten, strict=True)
    ]
