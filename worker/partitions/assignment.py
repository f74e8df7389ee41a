"""Who should hold which partition: rendezvous hashing with a cap, so that the shares differ by one at most."""

from collections.abc import Sequence
from hashlib import blake2b

from shared.ids import Partition, WorkerId


def assign(partitions: int, workers: Sequence[WorkerId]) -> dict[Partition, WorkerId]:
    """The same answer for everybody who sees the same workers. One that comes or goes moves few partitions."""
    if not workers:
        return {}
    most = -(-partitions // len(workers))
    fuller = partitions % len(workers) or len(workers)
    held: dict[WorkerId, int] = dict.fromkeys(workers, 0)
    owners: dict[Partition, WorkerId] = {}
    for number in range(partitions):
        partition = Partition(number)
        for worker in sorted(workers, key=lambda worker: _rank(worker, partition)):
            full = sum(1 for count in held.values() if count == most)
            if held[worker] < most - 1 or (held[worker] == most - 1 and full < fuller):
                owners[partition] = worker
                held[worker] += 1
                break
    return owners


def _rank(worker: WorkerId, partition: Partition) -> bytes:
    return blake2b(f"{worker}/{partition}".encode(), digest_size=8).digest()
