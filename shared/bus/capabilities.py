"""The game versions that live workers can play, as they announce them with their status, and those that unfinished
rooms need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from shared.bus import unfinished_rooms
from shared.bus.keys import Keys
from shared.bus.registry import WORKERS
from shared.bus.store import RedisCommand, Store
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


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One reading of what live workers can play and of what is needed."""

    workers: Mapping[WorkerId, WorkerCapability]
    unfinished: Sequence[Mapping[GameVersion, int]]
    """The number of unfinished rooms of each game version, by partition."""

    @property
    def announced(self) -> dict[WorkerId, frozenset[GameVersion]]:
        """The game versions of each worker that announces them."""
        return {worker: one.plays for worker, one in self.workers.items() if one.plays is not None}


async def read(store: Store, partitions: Sequence[Keys]) -> Capabilities:
    """Read everything in one round trip: this is part of the round in which leases are renewed."""
    commands: list[RedisCommand] = [*WORKERS.reading_live()]
    commands += [unfinished_rooms.reading(partition) for partition in partitions]
    now, ends, statuses, *counts = await store.pipe(commands)
    decoded = {worker: _decode(body) for worker, body in WORKERS.parse_live(now, ends, statuses).items()}
    return Capabilities(
        {WorkerId(worker): WorkerCapability(one.plays, one.partitions) for worker, one in decoded.items()},
        [unfinished_rooms.parse(reply) for reply in counts],
    )
