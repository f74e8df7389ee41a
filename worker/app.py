"""A worker put together: connections, leases, intake, alarm and the page for health and metrics."""

import asyncio
import logging
import os
import secrets
import signal
import socket
import time

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shared.bus import drains, keys, meta
from shared.bus.address import Address
from shared.bus.connection import StoreClient
from shared.bus.scripts import LOADING
from shared.bus.store import StoreError
from shared.bus.subscription import Subscription
from shared.ids import Partition, WorkerId
from shared.runtime.http_server import listening_socket, serve
from shared.runtime.settings import WorkerSettings
from worker.games import load_catalog
from worker.metrics import Metrics
from worker.partitions.consumer import Consumer
from worker.partitions.ownership import Ownership
from worker.partitions.store_clock import StoreClock

log = logging.getLogger("tavolata.worker")

_HAND_OVER_S = 10.0
_LOOK_MS = 200
"""A command may always take so long."""


class Worker:
    """One process that owns rooms."""

    def __init__(self, settings: WorkerSettings) -> None:
        self.id = WorkerId(f"w-{secrets.token_hex(4)}")
        self._settings = settings
        address = Address.parse(settings.redis_url)
        self._store = StoreClient(address, greeting=LOADING, on_connect=self._reconnected)
        self._reader = StoreClient(address, greeting=(("CLIENT", "SETNAME", self.id),))
        self._news = Subscription(address)
        self._metrics = Metrics()
        self._engines = load_catalog(settings.games)
        clock = StoreClock()
        self._tenancy = Ownership(self.id, self._store, settings, self._engines, clock, time.monotonic)
        self._intake = Consumer(self._reader, self._store, self._tenancy, settings, self._metrics)
        self._wake = asyncio.Event()
        self._run_id = ""
        self._port = 0
        self._background: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Work until SIGTERM or SIGINT. Raises `StoreError`, `meta.Unfit` or `PortTaken` if it cannot begin."""
        await self._store.start()
        await self._reader.start()
        await meta.agree(self._store, self._settings.partitions)
        await meta.check_durability(self._store, self._settings.durability)
        await meta.announce(self._store, self._engines.cards())
        self._run_id = await meta.run_id(self._store)
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        self._tenancy.watch.start(max(self._settings.lease_ms // 10, _LOOK_MS) / 1_000)
        tasks = [asyncio.create_task(self._stop_when(stop))]
        if self._settings.port >= 0:
            page = listening_socket(self._settings.host, self._settings.port)
            self._port = page.getsockname()[1]
            tasks.append(asyncio.create_task(serve(self._app(), [page])))
        self._news.start((keys.TENANCY,), lambda _channel, _message: self._wake.set(), self._wake.set)
        tasks += [
            asyncio.create_task(self._tenancy.run(self._wake, self._status)),
            asyncio.create_task(self._intake.run()),
            asyncio.create_task(self._tenancy.alarm.run()),
            asyncio.create_task(self._unblock_on_change()),
            asyncio.create_task(self._measure()),
            asyncio.create_task(self._obey(stop)),
        ]
        log.info("worker %s is up, metrics on port %d", self.id, self._port)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(self._news.stop(), self._reader.stop(), self._store.stop())

    async def _stop_when(self, stop: asyncio.Event) -> None:
        """Hand everything over, partition by partition, then end."""
        await stop.wait()
        log.info("worker %s hands over %d partitions", self.id, len(self._tenancy.holdings))
        try:
            await self._tenancy.drain()
            async with asyncio.timeout(_HAND_OVER_S):
                while self._tenancy.holdings:
                    await self._unblock()
                    await asyncio.sleep(0.01)
        except (StoreError, TimeoutError):
            log.warning("not everything could be handed over; the leases will run out")

    async def _unblock_on_change(self) -> None:
        """The reader waits for the streams it knew when it began to wait: interrupt it when there are others."""
        known: set[Partition] = set()
        while True:
            await self._tenancy.changed.wait()
            self._tenancy.changed.clear()
            held = set(self._tenancy.holdings)
            if held != known or any(one.leaving for one in self._tenancy.holdings.values()):
                await self._unblock()
            known = held

    async def _unblock(self) -> None:
        try:
            client = await self._store.call("CLIENT", "LIST", "TYPE", "normal")
            for line in client.decode().splitlines():
                fields = dict(part.split("=", 1) for part in line.split() if "=" in part)
                if fields.get("name") == self.id:
                    await self._store.call("CLIENT", "UNBLOCK", fields["id"])
        except StoreError as error:
            log.debug("the reader could not be woken: %s", error)

    def _reconnected(self) -> None:
        self._tenancy.reconnected()
        task = asyncio.get_running_loop().create_task(self._look_who_came_back())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _look_who_came_back(self) -> None:
        """A store that was started anew may lack its last moments: then our memory of all rooms is worth nothing."""
        try:
            run_id = await meta.run_id(self._store)
            if run_id != self._run_id:
                log.warning("the store was started anew: loading everything again")
                for holding in list(self._tenancy.holdings.values()):
                    self._tenancy.drop(holding)
                await meta.announce(self._store, self._engines.cards())
                self._run_id = run_id
        except StoreError as error:  # it is gone again; we look again when it is back
            log.debug("nobody knows which store came back: %s", error)
            return
        self._wake.set()

    async def _measure(self) -> None:
        """Gauges that need asking."""
        moves = -1
        while True:
            if moves == self._metrics.moves:
                self._metrics.lagged(0)
            moves = self._metrics.moves
            self._metrics.partitions.set(len(self._tenancy.holdings))
            self._metrics.rooms.set(sum(len(held.rooms) for held in self._tenancy.holdings.values()))
            await asyncio.sleep(1)

    async def _obey(self, stop: asyncio.Event) -> None:
        """An operator can ask for a clean stop."""
        while not stop.is_set():
            try:
                if await drains.asked(self._store, self.id):
                    log.info("worker %s was asked to stop", self.id)
                    stop.set()
            except StoreError as error:
                log.debug("nobody knows whether this worker shall stop: %s", error)
            await asyncio.sleep(1)
        await asyncio.Event().wait()

    def _status(self) -> bytes:
        holdings = self._tenancy.holdings
        return msgspec.json.encode(
            {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "port": self._port,
                "games": self._engines.names(),
                "partitions": sorted(holdings),
                "rooms": sum(len(held.rooms) for held in holdings.values()),
                "moves": self._metrics.moves,
                "lag_ms": self._metrics.lag_ms,
            }
        )

    def _app(self) -> Starlette:
        async def healthz(_request: Request) -> Response:
            return JSONResponse({"ok": True, "worker": self.id, "partitions": len(self._tenancy.holdings)})

        async def metrics(_request: Request) -> Response:
            return Response(generate_latest(self._metrics.registry), media_type=CONTENT_TYPE_LATEST)

        return Starlette(routes=[Route("/healthz", healthz), Route("/metrics", metrics)])
