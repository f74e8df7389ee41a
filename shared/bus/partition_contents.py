"""The first reading of a partition by its new owner: deadlines, gateways, quarantined rooms."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus import attendance, deadlines, quarantine
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand, Store
from shared.ids import GatewayId, RoomId
from shared.results import DueDeadline

_READS = 3


@dataclass(frozen=True, slots=True)
class PartitionContents:
    deadlines: list[DueDeadline]
    gateways: set[GatewayId]
    quarantined: set[RoomId]


async def read(store: Store, partitions: Sequence[Keys]) -> list[PartitionContents]:
    """The contents of each partition, in one round trip for all."""
    reads: list[RedisCommand] = []
    for partition in partitions:
        reads += (deadlines.reading(partition), attendance.reading(partition), quarantine.reading(partition))
    replies = await store.pipe(reads)
    return [
        PartitionContents(
            deadlines.parse(replies[at]), attendance.parse(replies[at + 1]), quarantine.parse(replies[at + 2])
        )
        for at in range(0, len(replies), _READS)
    ]
