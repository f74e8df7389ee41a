"""The cost of a move in a worker, without IO: whole turns of the consumer over a store that answers at once, with rooms
in random order, and with snapshots and portions of history as a running worker writes them.

python -m benchmarks.worker [--rooms 1000] [--moves 230] [--wipe 8]
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

import hiredis
import msgspec

from shared.bus import keys
from shared.bus.command_streams import Cursors, StreamEntry
from shared.bus.commits import CommitOutcome
from shared.bus.journal import StoredRoom
from shared.bus.leases import Lease
from shared.bus.store import RedisCommand, Store
from shared.commands import Act, Enter, Envelope
from shared.ids import CommandId, Epoch, GatewayId, Partition, RoomId, Seat, SessionId, TraceId, partition_of
from shared.room_events import RoomSpec
from shared.runtime.bootstrap import tune_memory
from shared.runtime.settings import WorkerSettings
from worker.games import load_catalog
from worker.metrics import WorkerMetrics
from worker.partitions.consumer import Consumer
from worker.partitions.deadlines import DeadlineScheduler
from worker.partitions.ownership import Ownership
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock
from worker.partitions.watchdog import Watchdog

PARTITIONS = 16
MEASURED = 120_000
"""Moves that are measured, after as many that are not: by then the logs are full, and histories are written."""
_COMMANDS_IN_AN_ENTRY = 2
_NOW_MS = 1_700_000_000_000
_ACT = Act(msgspec.Raw(b'{"type":"take","count":1}'))
_SPEC = RoomSpec("stones", 2, {"stones": 1_000_000_000})
_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(tuple[Envelope, ...]).decode


class CommittingStore:
    """A store that encodes commands, as a connection does, drops them, and commits everything."""

    sharded = False

    def __init__(self) -> None:
        self.sent = 0
        """Bytes."""
        self._owners = {partition.owner for partition in keys.all_keys(PARTITIONS)}

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        self.sent += sum(len(hiredis.pack_command(command)) for command in commands)
        return [[CommitOutcome.OK.encode() for word in command if word in self._owners] for command in commands]


class TurnReader:
    """Hands the consumer the entries of one turn, still encoded."""

    def __init__(self) -> None:
        self.entries: dict[Partition, list[tuple[str, bytes]]] = {}

    async def read(self, cursors: Cursors, count: int, block_ms: int | None) -> dict[Partition, list[StreamEntry]]:
        return {
            number: [(entry_id, _decode(body)) for entry_id, body in entries]
            for number, entries in self.entries.items()
        }

    async def wake(self) -> None: ...


class OwnsAll:
    """Ownership of all partitions, which nobody contests."""

    def __init__(self, settings: WorkerSettings) -> None:
        catalog, self.watchdog = load_catalog(""), Watchdog()
        self.partitions: dict[Partition, OwnedPartition] = {}
        self.deadlines = DeadlineScheduler(cast(Store, CommittingStore()), StoreClock(), self.partitions, lambda: True)
        self.partitions |= {
            Partition(number): OwnedPartition(
                Partition(number), place, Lease(Epoch(1), "t", "0-0", 0), catalog, settings, self.watchdog
            )
            for number, place in enumerate(keys.all_keys(PARTITIONS))
        }

    def now_ms(self) -> int:
        return _NOW_MS

    async def renew_if_due(self) -> None: ...


class WorkerTurns:
    """A worker with rooms for two players, at two gateways."""

    def __init__(self, rooms: int) -> None:
        settings = WorkerSettings()
        self.rooms = [RoomId(1_000 + number) for number in range(rooms)]
        self._turns = dict.fromkeys(self.rooms, Seat(0))
        self.store, self._source, self._ownership = CommittingStore(), TurnReader(), OwnsAll(settings)
        self._consumer = Consumer(
            self._source,
            cast(Store, self.store),
            cast(Ownership, self._ownership),
            settings,
            WorkerMetrics(PARTITIONS),
            time.process_time,
            time.monotonic,
        )
        self._entries = 0
        self._commands = 0

    async def open(self) -> None:
        for room in self.rooms:
            self._ownership.partitions[partition_of(room, PARTITIONS)].load(room, StoredRoom(None, ()))
        for seat in (Seat(0), Seat(1)):
            await self._turn([(room, seat, Enter(f"p{seat}", _SPEC, 7)) for room in self.rooms])

    async def play(self, rooms: Sequence[RoomId]) -> float:
        """A move in each of these rooms, in one turn; its CPU time in seconds."""
        moves = [(room, self._turns[room], _ACT) for room in rooms]
        for room in rooms:
            self._turns[room] = Seat(1 - self._turns[room])
        return await self._turn(moves)

    async def _turn(self, commands: Sequence[tuple[RoomId, Seat, Enter | Act]]) -> float:
        by_stream: dict[tuple[Partition, Seat], list[Envelope]] = defaultdict(list)
        for room, seat, body in commands:
            by_stream[partition_of(room, PARTITIONS), seat].append(self._envelope(room, seat, body))
        entries: dict[Partition, list[tuple[str, bytes]]] = defaultdict(list)
        for (partition, _), envelopes in by_stream.items():
            for at in range(0, len(envelopes), _COMMANDS_IN_AN_ENTRY):
                self._entries += 1
                encoded = _encode(envelopes[at : at + _COMMANDS_IN_AN_ENTRY])
                entries[partition].append((f"{_NOW_MS + self._entries}-0", encoded))
        self._source.entries = entries
        began = time.process_time()
        handled = await self._consumer.consume(0)
        took = time.process_time() - began
        assert handled == len(commands), "the turn has ended early"
        return took

    def _envelope(self, room: RoomId, seat: Seat, body: Enter | Act) -> Envelope:
        self._commands += 1
        session, trace = SessionId(f"s-{room:08x}{seat:08x}"), TraceId(f"{seat:08x}-{self._commands}")
        gateway = GatewayId(f"g-{seat:08x}")
        return Envelope(room, session, CommandId(self._commands), body, gateway, 2 * room + seat, trace)


async def main(rooms: int, moves: int, wipe_mib: int) -> None:
    tune_memory()
    worker, dice = WorkerTurns(rooms), random.Random(1)
    others, zeros = bytearray(wipe_mib * 1024 * 1024), bytes(wipe_mib * 1024 * 1024)
    await worker.open()
    turns = MEASURED // moves
    took: list[float] = []
    for turn in range(2 * turns):
        if turn == turns:
            worker.store.sent = 0
        others[:] = zeros
        took.append(await worker.play(dice.sample(worker.rooms, moves)) / moves * 1e6)
    measured = took[turns:]
    sys.stdout.write(
        f"{statistics.median(measured):.2f} us of worker CPU per move without IO (median of {turns} turns, "
        f"mean {statistics.mean(measured):.2f}), {worker.store.sent / turns / moves:.0f} bytes sent\n"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=1_000)
    parser.add_argument("--moves", type=int, default=230, help="moves in a turn: one in a room at most")
    parser.add_argument(
        "--wipe", type=int, default=0, metavar="MIB", help="memory that is written between two turns, as others do"
    )
    given = parser.parse_args()
    if given.moves > given.rooms:
        parser.error("--moves: a turn has one move in a room at most (--rooms)")
    return given


if __name__ == "__main__":
    given = _arguments()
    asyncio.run(main(given.rooms, given.moves, given.wipe))
