"""Assignment of partitions to workers: capability first, then rendezvous hashing with a cap, so that the numbers of
partitions differ by one at most where all workers can play the same games."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from shared.ids import GameVersion, Partition, WorkerId

Plays = frozenset[GameVersion]
"""Game versions that a worker can play."""
_NONE: Plays = frozenset()


def assign(
    partitions: int,
    workers: Sequence[WorkerId],
    plays: Mapping[WorkerId, Plays] | None = None,
    needs: Sequence[Plays] = (),
) -> dict[Partition, WorkerId]:
    """The worker that should own each partition. All workers that read the same facts compute the same assignment, and
    a worker that comes or goes moves few partitions.

    `needs` are the game versions of each partition's unfinished rooms. A partition goes to a worker that can play all
    of them, else to one of those that can play most. A worker that is not in `plays` counts as able to play all."""
    if not workers:
        return {}
    shares = _Shares(partitions, workers)
    able = {Partition(number): _able(workers, plays or {}, _needed(needs, number)) for number in range(partitions)}
    # The partitions with the least choice first: the others then even out the shares.
    for partition in sorted(able, key=lambda number: (len(able[number]), number)):
        shares.give(partition, able[partition])
    return shares.owners


def _needed(needs: Sequence[Plays], number: int) -> Plays:
    return needs[number] if number < len(needs) else _NONE


def _able(workers: Sequence[WorkerId], plays: Mapping[WorkerId, Plays], needed: Plays) -> list[WorkerId]:
    """The workers that can play most of the needed game versions."""
    played = {worker: len(needed & plays.get(worker, needed)) for worker in workers}
    most = max(played.values())
    return [worker for worker in workers if played[worker] == most]


class _Shares:
    """The partitions given to each worker so far."""

    def __init__(self, partitions: int, workers: Sequence[WorkerId]) -> None:
        self.owners: dict[Partition, WorkerId] = {}
        self._counts = dict.fromkeys(workers, 0)
        self._most = -(-partitions // len(workers))
        self._fuller = partitions % len(workers) or len(workers)
        """The number of workers that get the higher of the two even shares."""

    def give(self, partition: Partition, able: Sequence[WorkerId]) -> None:
        """Give a partition to the first in rank that has not its share yet, or to the one with the fewest."""
        ranked = sorted(able, key=lambda worker: _rank(worker, partition))
        open_to_more = [worker for worker in ranked if self._has_space(worker)]
        worker = open_to_more[0] if open_to_more else min(ranked, key=self._counts.__getitem__)
        self.owners[partition] = worker
        self._counts[worker] += 1

    def _has_space(self, worker: WorkerId) -> bool:
        full = sum(1 for count in self._counts.values() if count >= self._most)
        count = self._counts[worker]
        return count < self._most - 1 or (count == self._most - 1 and full < self._fuller)


def _rank(worker: WorkerId, partition: Partition) -> bytes:
    return blake2b(f"{worker}/{partition}".encode(), digest_size=8).digest()
