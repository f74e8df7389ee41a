"""Ownership: which partitions this worker owns. It takes, renews, hands over and drops them, and cleans up after
processes that have died."""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shared.bus import (
    attendance,
    capabilities,
    command_streams,
    heartbeats,
    keys,
    leases,
    meta,
    outages,
    partition_contents,
    quarantine,
    visibility,
)
from shared.bus.keys import Keys
from shared.bus.leases import Lease
from shared.bus.outages import Outage
from shared.bus.partition_contents import PartitionContents
from shared.bus.registry import GATEWAYS, WORKERS, Members
from shared.bus.store import RedisCommand, Store, StoreError
from shared.commands import Compensate, Envelope, GatewayLost
from shared.deliveries import Heartbeat
from shared.ids import CommandId, GameVersion, GatewayId, Partition, RoomId, SessionId, WorkerId
from shared.runtime.events import set_within
from shared.runtime.settings import WorkerSettings
from worker.games import GameCatalog
from worker.partitions.assignment import assign
from worker.partitions.deadlines import DeadlineScheduler
from worker.partitions.partition import OwnedPartition
from worker.partitions.store_clock import StoreClock
from worker.partitions.watchdog import Watchdog

log = logging.getLogger("tavolata.ownership")

_OUTAGE_MS = 1_000
"""Deadlines are moved back if a partition had no owner for at least this long."""
_FORGET_AFTER_LEASES = 10
"""A dead worker stays in the registry for this many leases, so that operators see it."""


class Ownership:
    """A worker's partitions. `tick` is called every third of a lease, and whenever the members have changed."""

    def __init__(
        self,
        worker: WorkerId,
        store: Store,
        settings: WorkerSettings,
        catalog: GameCatalog,
        clock: StoreClock,
        monotonic: Callable[[], float],
        commit_store: Store | None = None,
    ) -> None:
        """`commit_store` is a connection on which waiting for replicas holds up nothing else."""
        self.worker = worker
        self.partitions: dict[Partition, OwnedPartition] = {}
        self.deadlines = DeadlineScheduler(store, clock, self.partitions, self.may_work)
        self.watchdog = Watchdog()
        self.changed = asyncio.Event()
        """Set whenever partitions were added, or shall be handed over."""
        self.draining = False
        self._round = asyncio.Lock()
        """Held during a round, which may be taking partitions."""
        self._store = store
        self._commit_store = commit_store or store
        self._settings = settings
        self._catalog = catalog
        self._clock = clock
        self._monotonic = monotonic
        self._keys = keys.all_keys(settings.partitions, sharded=store.sharded)
        self._registered = False
        self._status = b"{}"
        self._renewed = monotonic()
        self._connected_since = monotonic()
        self._known_workers: list[WorkerId] = []
        self._plays: Mapping[WorkerId, frozenset[GameVersion]] = {}
        self._needs: Sequence[frozenset[GameVersion]] = ()
        self._capabilities_read = -math.inf

    # --- the regular round ------------------------------------------------------------------------------------------

    async def tick(self, status: bytes = b"{}") -> None:
        """One round: heartbeat, renewal of leases, assignment, dead processes, heartbeats to gateways."""
        self._status = status
        async with self._round:
            members = await self._renew_and_register()
            if members is None or self.draining:
                return
            await self._unregister_dead_workers(members)
            await self._follow_assignment(members)
            await self._look_for_lost_gateways()
            await self._send_heartbeats()
            await self._release_freed_rooms()
        now_ms = self._clock.now_ms()
        for partition in self.partitions.values():
            partition.evict(now_ms - self._settings.rematch_ms, now_ms)

    async def run(self, wake: asyncio.Event, status: Callable[[], bytes]) -> None:
        """Tick until cancelled: regularly, and soon after `wake`."""
        pause_s = self._settings.lease_ms / 3_000
        while True:
            wake.clear()
            try:
                await self.tick(status())
            except StoreError as error:
                log.warning("cannot renew the leases, will try again: %s", error)
                wake.clear()
            if await set_within(wake, pause_s):
                self._capabilities_read = -math.inf  # the others may have followed newer needs

    def now_ms(self) -> int:
        """The store's time."""
        return self._clock.now_ms()

    def may_work(self) -> bool:
        """False if the leases may end before a batch is committed. The fence would refuse that batch anyway; not
        beginning it saves the work."""
        return (self._monotonic() - self._renewed) * 1_000 < self._settings.lease_ms * 2 / 3

    def reconnected(self) -> None:
        """Note that the store was unreachable: gateways could not renew their leases either, so that none counts as
        dead before one full lease has passed."""
        self._connected_since = self._monotonic()

    async def wait_for_partitions(self) -> None:
        self.changed.clear()
        await self.changed.wait()

    async def renew_if_due(self) -> None:
        """Renew the leases if the regular round is late. Under load each of its round trips waits for a whole turn of
        the consumer, and looking for lost gateways takes many of them."""
        if (self._monotonic() - self._renewed) * 1_000 >= self._settings.lease_ms / 3:
            await self._renew_and_register()

    async def _renew_and_register(self) -> Members | None:
        """Renew the leases, and send a heartbeat unless this worker drains. Both are sent at once: under load a second
        round trip may take as long as a lease has left."""
        if self.draining:
            await self._renew()
            return None
        _, members = await asyncio.gather(self._renew(), self._heartbeat())
        return members

    async def _heartbeat(self) -> Members:
        first = not self._registered
        members = await WORKERS.heartbeat(self._store, self.worker, self._settings.lease_ms, self._status, first=first)
        if first:
            await leases.announce_worker(self._store, self.worker)
        self._registered = not members.lease_lost
        self._clock.set(members.now_ms)
        return members

    async def _renew(self) -> None:
        """Renew all leases. A lease that ended while the store or this process stood still is lost, even if no other
        worker took the partition: taking it anew measures how long it had no owner, which renewing would hide."""
        owned = list(self.partitions.values())
        sent = self._monotonic()  # before the call: the lease may begin at any time until the reply
        kept = await leases.renew(self._store, [(one.keys, one.lease) for one in owned], self._settings.lease_ms)
        self._renewed = sent
        lost = [partition for partition, renewed in zip(owned, kept, strict=True) if not renewed]
        for partition in lost:
            self.drop(partition)
        if lost:
            log.warning("the leases on %d partitions were lost", len(lost))

    async def _unregister_dead_workers(self, members: Members) -> None:
        for worker in members.expired:
            if members.now_ms - members.ends[worker] > _FORGET_AFTER_LEASES * self._settings.lease_ms:
                await WORKERS.unregister(self._store, worker, expired=True)

    async def _follow_assignment(self, members: Members) -> None:
        live = [WorkerId(worker) for worker in members.live]
        await self._follow_capabilities(live)
        owners = assign(self._settings.partitions, live, self._plays, self._needs)
        wanted = [number for number, owner in owners.items() if owner == self.worker]
        await self.take([number for number in wanted if number not in self.partitions])
        for number, partition in self.partitions.items():
            partition.leaving = self.draining or owners.get(number, self.worker) != self.worker
        if any(partition.leaving for partition in self.partitions.values()):
            self.changed.set()

    async def _follow_capabilities(self, live: list[WorkerId]) -> None:
        """Read what can be played and what is needed: when workers have come or gone, and once in a lease. Each round
        trip here delays the next renewal of the leases."""
        now = self._monotonic()
        if live == self._known_workers and (now - self._capabilities_read) * 1_000 < self._settings.lease_ms:
            return
        try:
            found = await capabilities.read(self._store, self._keys)
        except StoreError as error:
            if not self._store.sharded:
                raise
            # A node of a Cluster does not answer. The partitions of the others are assigned by what was known.
            log.info("cannot read what workers can play: %s", error)
            return
        self._known_workers, self._capabilities_read = live, now
        self._plays, self._needs = found.announced, [frozenset(games) for games in found.unfinished]
        if self._catalog.follow([plays for worker, plays in self._plays.items() if worker != self.worker]):
            await meta.announce(self._store, self._catalog.cards())

    # --- taking and handing over ------------------------------------------------------------------------------------

    async def take(self, numbers: list[Partition]) -> None:
        """Take those of the partitions that are free."""
        if not numbers:
            return
        wanted = [self._keys[number] for number in numbers]
        servers = [self._server_of(partition) for partition in wanted]  # before the call: it may move meanwhile
        store, replicas = self._commit_store, self._settings.needed_replicas
        found = await leases.take(store, wanted, self.worker, self._settings.lease_ms, replicas)
        taken = [
            OwnedPartition(number, self._keys[number], lease, self._catalog, self._settings, self.watchdog, server)
            for number, lease, server in zip(numbers, found, servers, strict=True)
            if lease is not None
        ]
        if taken:
            await self._begin(taken)
            log.info("owns %d partitions (%d new)", len(self.partitions), len(taken))
            self.changed.set()

    async def _begin(self, taken: list[OwnedPartition]) -> None:
        """Read the contents of partitions that were just taken, compensate their rooms, and begin to serve them.

        The first renewal of a lease makes the store forget how long the partition had no owner. It therefore travels
        behind the compensation: if this worker dies in between, the next one sees the same idle time."""
        contents = await partition_contents.read(self._store, [one.keys for one in taken])
        stored_format = await meta.stored_format(self._store)
        commands: list[RedisCommand] = []
        for partition, found in zip(taken, contents, strict=True):
            partition.gateways = found.gateways
            partition.numbers = dict.fromkeys(found.gateways, 0)
            partition.quarantined = found.quarantined
            partition.unwritten = found.unwritten
            partition.unfinished = found.unfinished
            partition.begin(found.parked)
            commands += self._note_outages(partition, found, stored_format)
        commands += [leases.renewing(one.keys, one.lease, self._settings.lease_ms) for one in taken]
        if self._settings.needed_replicas:
            # Taking has waited for replicas, so that they have everything which the last owner has left.
            commands += [visibility.revealing(one.keys, one.lease.token, one.lease.commit) for one in taken]
        await self._store.pipe(commands)
        for partition, found in zip(taken, contents, strict=True):
            if self._server_of(partition.keys) == partition.server:
                self.partitions[partition.partition] = partition
                self.deadlines.add(partition.partition, found.deadlines)

    def _note_outages(
        self, partition: OwnedPartition, found: PartitionContents, stored_format: int
    ) -> list[RedisCommand]:
        """The commands that note for how long rooms were not played. Processes of the release before do not read these
        notes: in their format, rooms with deadlines get commands instead."""
        lease = partition.lease
        commands: list[RedisCommand] = []
        new = _outages_of_games(found, lease, self._catalog)
        if lease.idle_ms >= _OUTAGE_MS and stored_format == meta.LAST_FORMAT:
            rooms = sorted({due.room for due in found.deadlines})
            commands += _to_rooms(partition, rooms, Compensate(lease.idle_ms))
        elif lease.idle_ms >= _OUTAGE_MS:
            new.append(Outage(lease.taken_ms - lease.idle_ms, lease.taken_ms))
        changed = {outage.field for outage in new}
        partition.outages = [outage for outage in found.outages if outage.field not in changed] + new
        commands += outages.noting(partition.keys, new)
        commands += outages.forgetting(partition.keys, partition.outages, lease.taken_ms)
        return commands

    def drop(self, partition: OwnedPartition) -> None:
        """Forget a partition: our memory of it may be wrong, or it is not ours any more."""
        if self.partitions.get(partition.partition) is partition:
            del self.partitions[partition.partition]

    def drop_moved(self) -> int:
        """Drop the partitions that are not served by the server that they were taken from; how many. Without the
        event, the next commit would be refused: its cursor is not the one of a server that has lost commits."""
        moved = [one for one in self.partitions.values() if self._server_of(one.keys) not in ("", one.server)]
        for partition in moved:
            self.drop(partition)
        return len(moved)

    def _server_of(self, partition: Keys) -> str:
        return self._store.server_of(partition.owner)

    async def release(self, partition: OwnedPartition) -> None:
        """Hand a partition over, between two of its batches."""
        self.drop(partition)
        await leases.release(self._store, partition.keys, partition.lease)

    async def drain(self) -> None:
        """Leave the registry, so that the others take over, and mark everything for hand-over, with the partitions that
        a round is about to take: otherwise they would have no owner until their leases end."""
        self.draining = True
        async with self._round:
            await WORKERS.unregister(self._store, self.worker)
            for partition in self.partitions.values():
                partition.leaving = True
        log.info("worker %s hands over %d partitions", self.worker, len(self.partitions))
        self.changed.set()
        await leases.announce_worker(self._store, self.worker)

    # --- gateways and quarantine ------------------------------------------------------------------------------------

    async def _look_for_lost_gateways(self) -> None:
        """Find gateways that have died; their players are away, exactly as if their connections had closed.

        The gateways of each partition are noted before the registry is read: one that registers meanwhile, and to which
        a partition begins to send, is in neither list and must not be taken for dead."""
        before = [(partition, set(partition.gateways)) for partition in self.partitions.values()]
        members = await GATEWAYS.members(self._store)
        if (self._monotonic() - self._connected_since) * 1_000 < self._settings.gateway_lease_ms:
            return
        for gateway in members.expired:
            if await GATEWAYS.unregister(self._store, gateway, expired=True):
                log.warning("gateway %s has died; its players are marked as away", gateway)
                del members.ends[gateway]
        for partition, gateways in before:
            for gateway in sorted(gateways - members.ends.keys()):
                await self._mark_players_away(partition, gateway)

    async def _mark_players_away(self, partition: OwnedPartition, gateway: GatewayId) -> None:
        """Notify the rooms of a dead gateway. It is removed when all of them have handled that, in this round or a
        later one: commands that it had added before its death may still be waiting, and seat players. If this worker
        dies in between, the next owner still finds the gateway, and repeats it."""
        rooms = await attendance.rooms_of(self._store, partition.keys, gateway)
        silent = [room for room in rooms if room in partition.quarantined or room in partition.unplayable]
        # Before the call: if a commit adds the gateway again meanwhile, it must stay.
        partition.forget_gateway(gateway)
        commands = _to_rooms(partition, rooms, GatewayLost(gateway)) if rooms else []
        *_, forgotten = await self._store.pipe([*commands, attendance.forgetting(partition.keys, gateway, silent)])
        if not forgotten:
            partition.gateways.add(gateway)

    async def _release_freed_rooms(self) -> None:
        """End the quarantine of rooms that an operator has freed; they are loaded again when they are needed."""
        affected = [partition for partition in self.partitions.values() if partition.quarantined]
        if affected:
            marked = await quarantine.marked(self._store, [partition.keys for partition in affected])
            for partition, rooms in zip(affected, marked, strict=True):
                partition.quarantined &= rooms

    async def _send_heartbeats(self) -> None:
        """Repeat to every gateway the number of the last delivery to it, so that a lost one is noticed."""
        beats: dict[GatewayId, Heartbeat] = {}
        for number, partition in self.partitions.items():
            for gateway, delivered in partition.numbers.items():
                beats.setdefault(gateway, Heartbeat({})).last[number] = (partition.lease.epoch, delivered)
        await heartbeats.send(self._store, beats)


def _outages_of_games(found: PartitionContents, lease: Lease, catalog: GameCatalog) -> list[Outage]:
    """The outages of game versions that begin or end with a new owner."""
    going_on = {outage.game: outage for outage in found.outages if not outage.end_ms}
    ended = [replace(outage, end_ms=lease.taken_ms) for game, outage in going_on.items() if catalog.can_play(game)]
    unplayed = [game for game in found.unfinished if game not in going_on and not catalog.can_play(game)]
    return ended + [Outage(lease.taken_ms - lease.idle_ms, 0, game) for game in unplayed]


def _to_rooms(partition: OwnedPartition, rooms: list[RoomId], body: Compensate | GatewayLost) -> list[RedisCommand]:
    """A command of the cluster itself to many rooms of a partition."""
    envelopes = [Envelope(room, SessionId(""), CommandId(0), body) for room in rooms]
    return command_streams.adding_many(partition.keys, envelopes)
