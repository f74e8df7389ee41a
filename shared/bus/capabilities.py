"""The game versions that workers can play, as they announce them with their status in the registry."""

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from shared.bus.registry import WORKERS
from shared.bus.store import Store
from shared.ids import GameVersion, Partition, WorkerId


class _Status(msgspec.Struct, frozen=True):
    """The part of a worker's status that says what it plays, and where."""

    plays: frozenset[GameVersion] | None = None
    partitions: frozenset[Partition] = frozenset()


_decode = msgspec.json.Decoder(_Status).decode


@dataclass(frozen=True, slots=True)
class WorkerCapability:
    """A worker's partitions, and the game versions that it can play; None: it does not announce them."""

    plays: frozenset[GameVersion] | None
    partitions: frozenset[Partition]

    def can_play(self, game: GameVersion) -> bool:
        return self.plays is None or game in self.plays


async def of_workers(store: Store, workers: Collection[str]) -> dict[WorkerId, frozenset[GameVersion]]:
    """The game versions that each of these workers can play. A worker that does not announce them is left out."""
    statuses = await WORKERS.status(store)
    decoded = {WorkerId(worker): _decode(body).plays for worker, body in statuses.items() if worker in workers}
    return {worker: plays for worker, plays in decoded.items() if plays is not None}


async def of_live_workers(store: Store) -> list[WorkerCapability]:
    members, statuses = await WORKERS.members(store), await WORKERS.status(store)
    decoded = [_decode(statuses[worker]) for worker in members.live if worker in statuses]
    return [WorkerCapability(status.plays, status.partitions) for status in decoded]
