"""Rooms without a worker: no live worker can play their game versions.

A command to such a room is refused before it is added (`busy/no_worker`). A worker could not refuse it: a copy of the
command may be carried out by the next owner, and the client may have sent it again under another id.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence

from gateway.cluster.room_directory import RoomDirectory
from gateway.metrics import Metrics
from shared.bus import capabilities
from shared.bus.capabilities import WorkerCapability
from shared.bus.keys import Keys
from shared.bus.store import Store
from shared.ids import GameVersion, Partition, RoomId, game_version, partition_of

log = logging.getLogger("tavolata.gateway")


class RoomsWithoutWorker:
    """The game versions that no live worker plays now, by partition."""

    def __init__(self, store: Store, partitions: Sequence[Keys], rooms: RoomDirectory, metrics: Metrics) -> None:
        self._store = store
        self._partitions = partitions
        self._rooms = rooms
        self._metrics = metrics
        self._unplayed: frozenset[tuple[Partition, GameVersion]] = frozenset()
        self.counts: Counter[GameVersion] = Counter()
        """The number of rooms without a worker, by game version."""

    def includes(self, room: RoomId) -> bool:
        """Whether no live worker can play the room."""
        listing = self._rooms.get(room) if self._unplayed else None
        if listing is None:
            return False
        place = partition_of(room, len(self._partitions))
        return (place, game_version(listing.game, listing.version)) in self._unplayed

    async def read(self) -> None:
        """Compare the unfinished rooms with the workers that are alive; raises `StoreError`."""
        found = await capabilities.read(self._store, self._partitions)
        workers = list(found.workers.values())
        unplayed = {
            (Partition(number), game): rooms
            for number, games in enumerate(found.unfinished)
            for game, rooms in games.items()
            if rooms and not _is_played(workers, Partition(number), game)
        }
        self._unplayed = frozenset(unplayed)
        self._note((game, rooms) for (_, game), rooms in unplayed.items())

    def _note(self, found: Iterable[tuple[GameVersion, int]]) -> None:
        before, self.counts = self.counts, Counter()
        for game, rooms in found:
            self.counts[game] += rooms
        for game in self.counts.keys() - before.keys():
            log.warning("%d rooms wait: no live worker plays %s, start one that does", self.counts[game], game)
        for game in before.keys() - self.counts.keys():
            log.info("a live worker plays %s again: its rooms go on", game)
        self._metrics.rooms_without_worker(self.counts, before.keys() - self.counts.keys())


def _is_played(workers: Sequence[WorkerCapability], partition: Partition, game: GameVersion) -> bool:
    """Whether commands to a room can be carried out soon. The owner of its partition decides, if it is known. Without
    any worker commands wait: most likely the workers are being restarted."""
    owners = [worker for worker in workers if partition in worker.partitions]
    able = [worker for worker in owners or workers if worker.can_play(game)]
    return bool(able) or not workers
