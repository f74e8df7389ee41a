"""The cost of a move in a worker's core, without IO: decoding an entry, handling it, encoding the commit.

python -m benchmarks.spine [moves per batch] [MiB]

With MiB, that much memory is written between two batches, as other processes do between two turns of a worker. The
caches of the processor then hold less of the rooms and of the code.
"""

import sys
import time

import hiredis
import msgspec

from shared.bus.command_streams import StreamEntry
from shared.bus.commits import committing
from shared.bus.journal import StoredRoom
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.commands import Act, Enter, Envelope
from shared.ids import CommandId, Epoch, GatewayId, Partition, RoomId, SessionId
from shared.room_events import RoomSpec
from shared.runtime.settings import WorkerSettings
from worker.games import load_catalog
from worker.partitions.partition import OwnedPartition

ROOMS = 200
ROUNDS = 100
_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    others = memoryview(bytearray((int(sys.argv[2]) if len(sys.argv) > 2 else 0) * 1024 * 1024))
    zeros = bytes(others)
    keys = Keys(Partition(0), 64)
    catalog, settings = load_catalog(""), WorkerSettings(snapshot_every=1_000_000, log_bytes=1 << 30)
    partition = OwnedPartition(Partition(0), keys, Lease(Epoch(1), "t", "0-0", 0), catalog, settings)
    rooms = [RoomId(1_000 + number) for number in range(ROOMS)]
    spec = RoomSpec("stones", 2, {"stones": 1_000_000})
    for room in rooms:
        partition.load(room, StoredRoom(None, ()))
        for seat in range(2):
            enter = Enter(f"p{seat}", spec, 7)
            _handle(partition, [("1-0", (_envelope(room, seat, 1, enter),))])
    best = float("inf")
    act = Act(msgspec.Raw(b'{"type":"take","count":1}'))
    for number in range(ROUNDS):
        lines = [_encode((_envelope(room, number % 2, 10 + number, act),)) for room in rooms]
        used = 0.0
        for at in range(0, ROOMS, size):
            others[:] = zeros
            start = time.process_time()
            _handle(partition, [(f"{number}-{at}", _decode(line)) for line in lines[at : at + size]])
            used += time.process_time() - start
        best = min(best, used)
    _say(
        f"{best / ROOMS * 1e6:.1f} us of worker CPU per move without IO in the best of {ROUNDS} rounds, "
        f"{size} moves per batch"
    )


def _handle(partition: OwnedPartition, entries: list[StreamEntry]) -> None:
    commit = partition.encode(partition.handle(entries), entries[-1][0])
    hiredis.pack_command(committing([commit]))
    partition.committed(commit)


def _envelope(room: RoomId, seat: int, number: int, body: Enter | Act) -> Envelope:
    gateway = GatewayId(f"g-{seat}")
    return Envelope(room, SessionId(f"s-{room}-{seat}"), CommandId(number), body, gateway, seat)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
