"""Assignment of partitions to workers: rendezvous hashing with a cap, so that the numbers differ by one at most."""

from collections.abc import Sequence
from hashlib import blake2b

from shared.ids import Partition, WorkerId


def assign(partitions: int, workers: Sequence[WorkerId]) -> dict[Partition, WorkerId]:
    """The worker that should own each partition. All workers that see the same members compute the same assignment, and
    a worker that comes or goes moves few partitions."""
    if not workers:
        return {}
    most = -(-partitions // len(workers))
    fuller = partitions % len(workers) or len(workers)
    assigned: dict[WorkerId, int] = dict.fromkeys(workers, 0)
    owners: dict[Partition, WorkerId] = {}
    for number in range(partitions):
        partition = Partition(number)
        for worker in sorted(workers, key=lambda worker: _rank(worker, partition)):
            full = sum(1 for count in assigned.values() if count == most)
            if assigned[worker] < most - 1 or (assigned[worker] == most - 1 and full < fuller):
                owners[partition] = worker
                assigned[worker] += 1
                break
    return owners


def _rank(worker: WorkerId, partition: Partition) -> bytes:
    return blake2b(f"{worker}/{partition}".encode(), digest_size=8).digest()
