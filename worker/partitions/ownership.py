"""Which partitions this worker holds: taking, renewing, handing over and giving up; and who else is alive."""

import asyncio
import logging
from collections.abc import Callable

import msgspec

from shared.bus import command_streams, keys, leases
from shared.bus.registry import GATEWAYS, WORKERS, Members
from shared.bus.store import RedisCommand, Store, StoreError
from shared.commands import Compensate, Envelope, GatewayLost
from shared.deliveries import Heartbeat
from shared.ids import CommandId, GatewayId, Partition, RoomId, SessionId, WorkerId
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog
from worker.partitions.assignment import assign
from worker.partitions.deadlines import DeadlineScheduler
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock
from worker.partitions.watchdog import Watchdog
from worker.room.batch import DueDeadline

log = logging.getLogger("tavolata.tenancy")

_encode = msgspec.json.Encoder().encode
_OUTAGE_MS = 1_000
"""Clocks are put back if nobody had a partition for at least so long."""
_CHUNK = 200


class Ownership:
    """A worker's partitions. `tick` is called every third of a lease, and whenever something has changed."""

    def __init__(
        self,
        worker: WorkerId,
        store: Store,
        settings: WorkerSettings,
        engines: GameCatalog,
        clock: StoreClock,
        monotonic: Callable[[], float],
    ) -> None:
        self.worker = worker
        self.holdings: dict[Partition, OwnedPartition] = {}
        self.alarm = DeadlineScheduler(store, clock, self.holdings, self.may_work)
        self.watch = Watchdog()
        self.changed = asyncio.Event()
        """Set whenever holdings were added."""
        self._store = store
        self._settings = settings
        self._engines = engines
        self._clock = clock
        self._monotonic = monotonic
        self._keys = keys.all_keys(settings.partitions)
        self._registered = False
        self._renewed = monotonic()
        self._connected_since = monotonic()
        self.draining = False

    # --- the regular round ------------------------------------------------------------------------------------------

    async def tick(self, status: bytes = b"{}") -> None:
        """One round: a sign of life, renewals, taking and marking for hand-over, dead gateways, last words."""
        lease_ms = self._settings.lease_ms
        roll = Members(0, {})
        if not self.draining:
            roll = await WORKERS.beat(self._store, self.worker, lease_ms, status, first=not self._registered)
            if not self._registered:
                await self._store.call("PUBLISH", keys.TENANCY, self.worker)
            self._registered = not roll.struck
            self._clock.set(roll.now_ms)
        await self._renew()
        if self.draining:
            return
        await self._strike_dead_workers(roll)
        await self._share(roll)
        await self._look_after_gateways()
        await self._last_words()
        await self._reconsider_quarantine()
        idle_since = self._clock.now_ms() - self._settings.rematch_ms
        for holding in self.holdings.values():
            holding.evict(idle_since)

    def now_ms(self) -> int:
        """The store's time."""
        return self._clock.now_ms()

    def may_work(self) -> bool:
        """False if the leases may run out before a batch is committed; the fence would refuse it anyway."""
        return (self._monotonic() - self._renewed) * 1_000 < self._settings.lease_ms * 2 / 3

    def reconnected(self) -> None:
        """The store was away: nobody counts as dead before one full lease has passed."""
        self._connected_since = self._monotonic()

    def drop(self, holding: OwnedPartition) -> None:
        """Forget a partition: our memory of it may be wrong, or it is not ours any more."""
        if self.holdings.get(holding.partition) is holding:
            del self.holdings[holding.partition]

    async def _renew(self) -> None:
        """What ran out while the store or we stood still is dropped like what somebody else took. If it is still free
        it is taken again, which also makes up for the time that was lost."""
        held = list(self.holdings.values())
        sent = self._monotonic()
        kept = await leases.renew(self._store, [(one.keys, one.tenure) for one in held], self._settings.lease_ms)
        self._renewed = sent
        lost = [holding for holding, ours in zip(held, kept, strict=True) if not ours]
        for holding in lost:
            self.drop(holding)
        if lost:
            log.warning("the leases on %d partitions were lost", len(lost))

    async def _strike_dead_workers(self, roll: Members) -> None:
        for worker in roll.expired:
            if roll.now_ms - roll.ends[worker] > 10 * self._settings.lease_ms:
                await WORKERS.strike(self._store, worker, expired=True)

    async def _share(self, roll: Members) -> None:
        live = [WorkerId(worker) for worker in roll.live]
        owners = assign(self._settings.partitions, live)
        wanted = [partition for partition, owner in owners.items() if owner == self.worker]
        missing = [partition for partition in wanted if partition not in self.holdings]
        await self.take(missing)
        for partition, holding in self.holdings.items():
            holding.leaving = self.draining or owners.get(partition, self.worker) != self.worker
        if any(holding.leaving for holding in self.holdings.values()):
            self.changed.set()

    # --- taking and giving ------------------------------------------------------------------------------------------

    async def take(self, partitions: list[Partition]) -> None:
        """Take those of the partitions that are free, and learn what is going on in them."""
        if not partitions:
            return
        lease_ms = self._settings.lease_ms
        takings = [leases.taking(self._keys[partition], self.worker, lease_ms) for partition in partitions]
        replies = await self._store.pipe(takings)
        taken = [
            OwnedPartition(partition, self._keys[partition], tenure, self._engines, self._settings, self.watch)
            for partition, reply in zip(partitions, replies, strict=True)
            if (tenure := leases.tenure(reply)) is not None
        ]
        if taken:
            await self._learn(taken)
            log.info("holding %d partitions (%d new)", len(self.holdings), len(taken))
            self.changed.set()

    async def _learn(self, taken: list[OwnedPartition]) -> None:
        """They are ours, with all that is going on in them, once the time that was lost is on its way to their rooms: a
        worker that dies before leaves that to the next."""
        lease_ms = self._settings.lease_ms
        reads: list[RedisCommand] = []
        for holding in taken:
            reads.append(("ZRANGE", holding.keys.deadlines, 0, -1, "WITHSCORES"))
            reads.append(("SMEMBERS", holding.keys.gateways))
            reads.append(("HKEYS", holding.keys.quarantine))
        replies = await self._store.pipe(reads)
        adds: list[RedisCommand] = []
        learned: list[list[DueDeadline]] = []
        for at, holding in enumerate(taken):
            deadlines, gateways, quarantined = replies[3 * at : 3 * at + 3]
            dues = [
                DueDeadline.parse(deadlines[place].decode(), int(float(deadlines[place + 1])))
                for place in range(0, len(deadlines), 2)
            ]
            holding.gateways = {GatewayId(gateway.decode()) for gateway in gateways}
            holding.numbers = dict.fromkeys(holding.gateways, 0)
            holding.quarantined = {RoomId(int(room)) for room in quarantined}
            if holding.tenure.idle_ms >= _OUTAGE_MS:
                adds += _in_chunks(holding, sorted({due.room for due in dues}), Compensate(holding.tenure.idle_ms))
            learned.append(dues)
        await self._store.pipe([*adds, *(leases.renewing(one.keys, one.tenure, lease_ms) for one in taken)])
        for holding, dues in zip(taken, learned, strict=True):
            self.holdings[holding.partition] = holding
            self.alarm.add(holding.partition, dues)

    async def release(self, holding: OwnedPartition) -> None:
        """Hand a partition over, between two of its batches."""
        self.drop(holding)
        await leases.release(self._store, holding.keys, holding.tenure)

    async def drain(self) -> None:
        """Leave the registry, so that the others take over, and mark everything for hand-over."""
        self.draining = True
        await WORKERS.strike(self._store, self.worker)
        for holding in self.holdings.values():
            holding.leaving = True
        self.changed.set()
        await self._store.call("PUBLISH", keys.TENANCY, self.worker)

    # --- gateways ---------------------------------------------------------------------------------------------------

    async def _look_after_gateways(self) -> None:
        """Players of a dead gateway are gone, exactly as if their sockets had closed. Who comes while we look is not on
        the roll, and not among those that we knew before."""
        known = [(holding, set(holding.gateways)) for holding in self.holdings.values()]
        roll = await GATEWAYS.roll(self._store)
        if (self._monotonic() - self._connected_since) * 1_000 < self._settings.gateway_lease_ms:
            return
        for gateway in roll.expired:
            if await GATEWAYS.strike(self._store, gateway, expired=True):
                log.warning("gateway %s is dead", gateway)
                del roll.ends[gateway]
        for holding, gateways in known:
            for gateway in sorted(gateways - roll.ends.keys()):
                await self._bury(holding, gateway)

    async def _bury(self, holding: OwnedPartition, gateway: GatewayId) -> None:
        at = holding.keys.at(gateway)
        rooms = sorted(RoomId(int(room)) for room in await self._store.call("SMEMBERS", at))
        if rooms:
            await self._store.pipe(_in_chunks(holding, rooms, GatewayLost(gateway)))
        await self._store.pipe((("SREM", holding.keys.gateways, gateway), ("DEL", at)))
        holding.gateways.discard(gateway)
        holding.numbers.pop(gateway, None)

    async def _reconsider_quarantine(self) -> None:
        """An operator who has mended a room takes its mark away; then it is loaded again when it is needed."""
        watched = [holding for holding in self.holdings.values() if holding.quarantined]
        if watched:
            replies = await self._store.pipe([("HKEYS", holding.keys.quarantine) for holding in watched])
            for holding, marked in zip(watched, replies, strict=True):
                holding.quarantined &= {RoomId(int(room)) for room in marked}

    async def _last_words(self) -> None:
        """Tell every gateway the number of the last message to it, so that a lost one is noticed."""
        last: dict[GatewayId, Heartbeat] = {}
        for partition, holding in self.holdings.items():
            for gateway, number in holding.numbers.items():
                last.setdefault(gateway, Heartbeat({})).last[partition] = (holding.tenure.epoch, number)
        if last:
            await self._store.pipe(
                [("PUBLISH", keys.control(gateway), _encode(beat)) for gateway, beat in sorted(last.items())]
            )

    async def run(self, wake: asyncio.Event, status: Callable[[], bytes]) -> None:
        """Tick for ever: regularly, and soon after `wake`."""
        pause_s = self._settings.lease_ms / 3_000
        while True:
            wake.clear()
            try:
                await self.tick(status())
            except StoreError as error:
                log.warning("leases wait for the store: %s", error)
                wake.clear()
            try:
                async with asyncio.timeout(pause_s):
                    await wake.wait()
            except TimeoutError:
                pass


def _in_chunks(holding: OwnedPartition, rooms: list[RoomId], body: Compensate | GatewayLost) -> list[RedisCommand]:
    """Commands of the cluster's own to many rooms of a partition."""
    envelopes = [Envelope(room, SessionId(""), CommandId(0), body) for room in rooms]
    return [
        command_streams.adding(holding.keys, envelopes[at : at + _CHUNK]) for at in range(0, len(envelopes), _CHUNK)
    ]
