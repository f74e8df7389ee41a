"""The loops of a gateway: lease, messages, room directory, resending, timers. gateway/drain.py ends them.

Everything that reaches outside is injected: the store, subscriptions, the clock and the source of ids. The simulation
runs this very class in virtual time; gateway/app.py runs it behind sockets.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from gateway.cluster.background import BackgroundTasks
from gateway.cluster.command_outbox import CommandOutbox
from gateway.cluster.feeds import Feeds
from gateway.cluster.game_cards import GameCards
from gateway.cluster.identity import GatewayIdentity, IdSource
from gateway.cluster.load_sharing import GatewayLoad, LoadSharing
from gateway.cluster.operator_acts import OperatorActs
from gateway.cluster.player_names import PlayerNames
from gateway.cluster.revocations import Revocations
from gateway.cluster.room_directory import RoomDirectory
from gateway.cluster.rooms_without_worker import RoomsWithoutWorker
from gateway.cluster.tokens import LATE_MS, Tokens
from gateway.connection import ConnectionServices
from gateway.connections import TICK_S, Connections
from gateway.drain import Drain
from gateway.metrics import Metrics
from gateway.performer import ClusterServices, EffectPerformer
from gateway.transports import close_codes
from shared.bus import directory, drains, keys, meta, store_figures, visibility
from shared.bus.keys import Keys
from shared.bus.registry import GATEWAYS, WORKERS
from shared.bus.store import OnMessage, Store, StoreError, StoreRefused
from shared.bus.store_counters import StoreCounters
from shared.deliveries import ControlMessage, Heartbeat, SessionRevoked
from shared.ids import GatewayId
from shared.room_views import Listing
from shared.runtime.settings import GatewaySettings
from shared.runtime.version import VERSION

log = logging.getLogger("tavolata.gateway")

_decode_control = msgspec.json.Decoder(ControlMessage).decode
_NO_WORKER = "workers"
_DRAW_LIMIT = 1_000
"""A fraction of a client is shed with that probability, to within one in a thousand."""
_LIVENESS_EVERY = 5
"""Seconds between two checks of all connections; slow ones are checked every second."""
_GAMES_EVERY_S = 5.0
_WITHOUT_WORKER_EVERY_S = 0.9
"""Less than the longest interval between two heartbeats, so that the rooms are read with each of those."""
_MOST_WATCHED = 200
"""Rooms whose number of spectators a heartbeat reports."""
_GATHER_RETRY_S = 0.2


class _WorkerStatus(msgspec.Struct, frozen=True):
    """The part of a worker's status that decides whether moves can be made."""

    unready: str = ""


_decode_worker = msgspec.json.Decoder(_WorkerStatus).decode
_decode_load = msgspec.json.Decoder(GatewayLoad).decode


class GatewayStore(Store, Protocol):
    """The store, with the state of its connection."""

    @property
    def up(self) -> bool: ...


class MessageSubscription(Protocol):
    """Channels of the store. `on_gap` is called after each subscription: earlier messages may be lost."""

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None: ...
    async def stop(self) -> None: ...


class GatewayNode:
    """One gateway without its sockets. Made inside a running loop."""

    def __init__(
        self,
        settings: GatewaySettings,
        store: GatewayStore,
        subscribe: Callable[[], MessageSubscription],
        tokens: Tokens,
        ids: IdSource,
        clock: Callable[[], float],
        process_status: Mapping[str, object],
        store_counters: StoreCounters | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.tokens = tokens
        self._subscribe_anew = subscribe
        self._ids = ids
        self._clock = clock
        self._process_status = process_status
        # The parts of the gateway. Each is made of parts above it.
        self.partitions: tuple[Keys, ...] = keys.all_keys(settings.partitions, sharded=store.sharded)
        self.metrics = Metrics(store_counters)
        self.identity = GatewayIdentity(ids.new_gateway())
        self.tasks = BackgroundTasks()
        self.rooms = RoomDirectory(asyncio.get_running_loop().call_soon)
        self.games = GameCards(store)
        self.outbox = self._make_outbox()
        self.rooms_without_worker = RoomsWithoutWorker(store, self.partitions, self.rooms, self.metrics)
        self.feeds = self._make_feeds()
        self.names = PlayerNames(self.id, store, self.partitions, self.rooms, settings.name_ms)
        self.revocations = Revocations(store, settings.token_ms + LATE_MS)
        self.acts = OperatorActs(self.outbox, store, lambda: store.up)
        self._performer = EffectPerformer(self._cluster_services())
        services = ConnectionServices(settings, self.identity, self.outbox, self._performer, self.tasks, clock)
        self.connections = Connections(services, self.rooms, ids, self.metrics)
        self._subscription = subscribe()
        self._sharing = LoadSharing(settings.balance_ms)
        self._drain = Drain(settings, self.identity, store, self.connections, self.outbox, clock)
        # The state of the loops.
        self._stop = asyncio.Event()
        self._interval_s = min(1.0, settings.gateway_lease_ms / 4_000)
        self._registered = False
        self._store_ahead_ms = 0.0
        """The store's clock minus the gateway's, as of the last heartbeat."""
        self.gathered = False
        """Whether the room directory was read since the last subscription under the present id."""
        self._reading = 0
        """The number of the last reading of the room directory."""
        self._workers_unready = _NO_WORKER
        self._games_read_at = self._without_worker_read_at = clock()

    def _make_outbox(self) -> CommandOutbox:
        return CommandOutbox(
            self.identity,
            self.store,
            self.partitions,
            self.metrics,
            self._clock,
            most=self.settings.backlog,
            linger_s=self.settings.linger_ms / 1_000,
            store_up=lambda: self.store.up,
        )

    def _make_feeds(self) -> Feeds:
        return Feeds(
            self.identity,
            self.store,
            self.partitions,
            self.outbox,
            self.metrics,
            self.tasks,
            visible_only=bool(self.settings.needed_replicas),
        )

    def _cluster_services(self) -> ClusterServices:
        return ClusterServices(
            outbox=self.outbox,
            feeds=self.feeds,
            rooms=self.rooms,
            names=self.names,
            games=self.games,
            tokens=self.tokens,
            revocations=self.revocations,
            metrics=self.metrics,
            ids=self._ids,
            tasks=self.tasks,
            now_ms=self.now_ms,
        )

    @property
    def id(self) -> GatewayId:
        return self.identity.id

    @property
    def unready(self) -> str:
        """A word for the reason why no move can be made through this gateway; empty if moves can be made."""
        if not self.connections.accepting:
            return "draining"
        if not self.store.up:
            return "store"
        if not self.gathered:
            return "starting"
        return "store_full" if self.outbox.store_share >= 1 else self._workers_unready

    def now_ms(self) -> int:
        """The time on the store's clock, in milliseconds since 1970."""
        return int(self._clock() * 1_000 + self._store_ahead_ms)

    def stop(self, *, at_once: bool = False) -> None:
        """Make `stopped` return. A second call, or `at_once`: do not wait for games either."""
        if at_once or self._stop.is_set():
            self._drain.hurry()
        self._stop.set()

    # --- from the start to the end ------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Register, read the games and subscribe; raises `StoreError`."""
        await self._heartbeat()
        await self._read_worker_status()
        await self.games.read()
        self._subscribe()

    async def run(self) -> None:
        """Run all loops until cancelled. They go on while the gateway drains: its lease must last that long."""
        await asyncio.gather(
            self._keep_lease(), self._follow_cluster(), self._tick(), self._check_connections(), self._resend()
        )

    async def stopped(self) -> None:
        """Wait until `stop` is called, or an operator asks for a drain."""
        await self._stop.wait()

    async def drain(self) -> None:
        """Close all connections without loss and unregister: see `Drain`."""
        await self._drain.run()

    async def end(self) -> None:
        """Release what `start` has taken."""
        self.tasks.cancel()
        await self._subscription.stop()

    # --- messages -----------------------------------------------------------------------------------------------------

    def _subscribe(self) -> None:
        """Subscribe under the present id. Readings of the room directory that began before do not count."""
        self._reading += 1
        self.gathered = False
        out = tuple(dict.fromkeys(partition.out(self.id) for partition in self.partitions))

        def on_message(channel: str, data: bytes) -> None:
            if channel in out:
                self.feeds.message(data)
            elif channel == keys.LISTINGS:
                self.rooms.change(directory.changed(data))
            else:
                self._control(_decode_control(data))

        def on_gap() -> None:
            self.tasks.spawn(self._gather_rooms())
            self.feeds.resubscribed()

        self._subscription.start((*out, keys.LISTINGS, keys.control(self.id)), on_message, on_gap)

    async def _gather_rooms(self) -> None:
        """Read the whole room directory. Changes that are published during the reading are collected and applied after
        it: the listings that were read may be older. A reading that ends after a later one has begun is dropped: it may
        lack changes that were lost with the subscription in between."""
        self._reading += 1
        reading = self._reading
        while reading == self._reading:
            collected = self.rooms.collect_changes()
            try:
                listings = await self._listings()
            except StoreError as error:
                log.info("cannot read the room directory, will try again: %s", error)
                await asyncio.sleep(_GATHER_RETRY_S)
                continue
            finally:
                self.rooms.discard(collected)
            if reading == self._reading:
                self.rooms.gathered(listings, collected)
                self.gathered = True
            return

    async def _listings(self) -> list[Listing]:
        if not self.settings.needed_replicas:
            return await directory.gather(self.store, self.partitions)
        async with visibility.visible_reads(self.store, self.partitions):
            return await directory.gather(self.store, self.partitions)

    def _control(self, message: ControlMessage) -> None:
        if isinstance(message, Heartbeat):
            self.feeds.heartbeat(message.last)
            return
        if isinstance(message, SessionRevoked):
            self._performer.close_session(message.sid, close_codes.REVOKED)
            return
        connection = self.connections.get(message.conn)
        # Of the session's state: the connection may have just claimed this session, and not be registered for it yet.
        if connection is not None and connection.session.state.sid == message.sid:
            connection.close(close_codes.REPLACED)

    def store_reconnected(self) -> None:
        """The connection to the store was lost and made again: commands may be lost, and are added again."""
        self.outbox.resend()

    # --- the lease ----------------------------------------------------------------------------------------------------

    async def _keep_lease(self) -> None:
        """Renew the lease, and nothing else: it must not wait for other replies."""
        while True:
            try:
                await self._heartbeat()
            except StoreError as error:
                log.warning("cannot renew the lease of gateway %s, will try again: %s", self.id, error)
            await asyncio.sleep(self._interval_s)

    async def _follow_cluster(self) -> None:
        """Read the state of the cluster regularly: memory of the store, workers, gateways, requests to drain, games."""
        while True:
            try:
                await self._read_store_share()
                await self._read_worker_status()
                await self._share_load()
                if self._clock() - self._without_worker_read_at >= _WITHOUT_WORKER_EVERY_S:
                    self._without_worker_read_at = self._clock()
                    await self.read_rooms_without_worker()
                if await drains.asked(self.store, self.id):
                    log.info("gateway %s was asked to drain", self.id)
                    self.stop()
                if self._clock() - self._games_read_at > _GAMES_EVERY_S:
                    self._games_read_at = self._clock()
                    await self.games.read()
            except StoreError as error:
                log.info("gateway %s cannot read the state of the cluster, will try again: %s", self.id, error)
            await asyncio.sleep(self._interval_s)

    async def _heartbeat(self) -> None:
        status = {
            **self._process_status,
            "version": VERSION,
            "format": meta.FORMAT,
            "connections": len(self.connections),
            "pending": len(self.outbox),
            "draining": not self.connections.accepting,
            "watched": self.feeds.audiences(_MOST_WATCHED),
            "unready": self.unready,
            **self.metrics.status(),
        }
        body = msgspec.json.encode(status)
        lease_ms = self.settings.gateway_lease_ms
        members = await GATEWAYS.heartbeat(self.store, self.id, lease_ms, body, first=not self._registered)
        if members.lease_lost:
            await self._register_anew()
            return
        self._registered = True
        self._store_ahead_ms = members.now_ms - self._clock() * 1_000
        self.names.live_gateways = frozenset(members.live)

    async def read_rooms_without_worker(self) -> None:
        """Find out which rooms no live worker can play; raises `StoreError`."""
        await self.rooms_without_worker.read()
        self.outbox.lacks_worker = self.rooms_without_worker.includes if self.rooms_without_worker.counts else None

    async def _read_store_share(self) -> None:
        try:
            self.outbox.store_share = await store_figures.used_share(self.store)
        except StoreRefused as error:  # some hosted stores do not report their memory
            log.debug("cannot read the memory of the store: %s", error)

    async def _read_worker_status(self) -> None:
        statuses = await WORKERS.live_status(self.store)
        reasons = [_decode_worker(status).unready for status in statuses.values()]
        self._workers_unready = "" if "" in reasons else next(iter(reasons), _NO_WORKER)

    async def _share_load(self) -> None:
        """Ask clients to come back while this gateway has many more connections than the others."""
        if not self.settings.balance_ms:
            return
        statuses = await GATEWAYS.live_status(self.store)
        loads = {gateway: _decode_load(status) for gateway, status in statuses.items()}
        whole, fraction = divmod(self._sharing.clients_to_shed(self.id, loads, self._clock()), 1)
        # Drawn and not summed up: otherwise gateways with the same excess would act at the same moments.
        number = int(whole) + (fraction > 0 and self._ids.draw(_DRAW_LIMIT) < fraction * _DRAW_LIMIT)
        if number and (shed := self.connections.shed(number)):
            log.info("gateway %s has more clients than others and asks %d to come back", self.id, shed)

    async def _register_anew(self) -> None:
        """The lease has expired, and workers count the players of this gateway as away. Messages under the old id may
        still be under way in both directions: all clients have to come back, and find the gateway under a new id."""
        log.warning("gateway %s has lost its lease; its clients are asked to come back", self.id)
        self._registered = self.gathered = False
        self.connections.close_for_restart()
        self.outbox.clear()
        self.identity.id = self._ids.new_gateway()
        self.names.live_gateways = frozenset((self.id,))
        try:
            await self._heartbeat()
        finally:
            await self._subscription.stop()
            self._subscription = self._subscribe_anew()
            self._subscribe()

    # --- timers -------------------------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        """One timer for all conversations that have one."""
        while True:
            await asyncio.sleep(TICK_S)
            self.connections.tick(int(self._clock() * 1_000))

    async def _check_connections(self) -> None:
        for second in itertools.count(1):
            await asyncio.sleep(1.0)
            self.connections.check_liveness(self._clock(), slow_only=second % _LIVENESS_EVERY != 0)

    async def _resend(self) -> None:
        """Add commands again that were not answered in time."""
        retry_s = self.settings.retry_ms / 1_000
        while True:
            await asyncio.sleep(min(1.0, retry_s / 2))
            if self.store.up:
                self.outbox.resend(older_than_s=retry_s)
