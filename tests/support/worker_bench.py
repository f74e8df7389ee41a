"""A worker without its loops, over a store in the test process: each step is taken by the test."""

from collections.abc import Sequence
from typing import Any

from shared.bus import command_streams, journal, keys, meta, partition_log
from shared.bus.command_streams import StreamReader
from shared.bus.scripts import script
from shared.bus.store import OutcomeUnknown, RedisCommand
from shared.commands import Compensate, Envelope, RoomCommand
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId, WorkerId
from shared.room_events import RoomSpec
from shared.runtime.settings import WorkerSettings
from tests.support.fake_store import FakeServer, FakeStore, VirtualTime
from tests.support.room_bench import CATALOG
from worker.games import GameCatalog
from worker.metrics import WorkerMetrics
from worker.partitions.consumer import Consumer
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock

SETTINGS = WorkerSettings(partitions=2, lease_ms=1_000, gateway_lease_ms=1_000)
KEYS = keys.all_keys(2)
ROOM = RoomId(1000)
G1 = GatewayId("g-1")
TOY = RoomSpec("toy", 2, turn_ms=9_000)


class FlakyStore(FakeStore):
    """Loses the reply to the next commit on request."""

    lose_next = False

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await super().pipe(wanted, errors=errors)
        if self.lose_next and errors:
            self.lose_next = False
            raise OutcomeUnknown("lost")
        return replies


class SlowStore(FlakyStore):
    """Delays the renewal of leases: the request, the reply, or a reply that never comes."""

    def __init__(self, time: VirtualTime, server: FakeServer) -> None:
        super().__init__(server)
        self._time = time
        self.there_ms = self.back_ms = 0
        self.lost = False

    async def pipe(self, wanted: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        renewing = any(command[:2] == script("renew", (), ())[:2] for command in wanted)
        self._time.advance(self.there_ms if renewing else 0)
        replies = await super().pipe(wanted, errors=errors)
        self._time.advance(self.back_ms if renewing else 0)
        if renewing and self.lost:
            raise OutcomeUnknown("lost")
        return replies


class WorkerBench:
    """Ownership and consumer of one worker."""

    def __init__(
        self, time: VirtualTime, server: FakeServer, name: str = "w-1", catalog: GameCatalog = CATALOG
    ) -> None:
        def monotonic() -> float:
            return time.now_s

        self.time = time
        self.cpu_s = 0.0
        """The CPU time that the worker has used. It also is the time that its turns take: the worker never waits."""
        self.store = SlowStore(time, server)
        self.ownership = Ownership(WorkerId(name), self.store, SETTINGS, catalog, StoreClock(monotonic), monotonic)
        self.consumer = Consumer(
            StreamReader(self.store, self.store),
            self.store,
            self.ownership,
            SETTINGS,
            WorkerMetrics(16),
            lambda: self.cpu_s,
            lambda: self.cpu_s,
        )
        self._ids = 0

    async def add(self, *bodies: RoomCommand, room: RoomId = ROOM, who: str = "ada") -> None:
        for body in bodies:
            self._ids += 1
            envelope = Envelope(room, SessionId(who), CommandId(self._ids), body, G1, 1)
            await self.store.call(*command_streams.adding(KEYS[room % 2], [envelope]))

    async def write_last_format(self) -> None:
        """Let the worker write the format of the release before."""
        await self.store.call("HSET", keys.META, "format", meta.LAST_FORMAT)

    async def journal(self, room: RoomId = ROOM) -> int:
        """The number of records of a room, in its own journal or in the log of its partition."""
        partition = KEYS[room % 2]
        (entries,) = await partition_log.read(self.store, [(partition.journal_log, "-")])
        logged = [one for _, body in entries for of, one in partition_log.logged_records(body) if of == room]
        places = {partition_log.decode_logged(one).place for one in logged}
        async for records in journal.portions(self.store, partition, room):
            places |= {record[:2] for record in records}
        return len(places)

    async def compensations(self) -> list[RoomCommand]:
        entries = await command_streams.read(self.store, {Partition(0): (KEYS[0], "0-0")}, 100, None)
        bodies = [envelope.body for _, some in entries[Partition(0)] for envelope in some]
        return [body for body in bodies if isinstance(body, Compensate)]
