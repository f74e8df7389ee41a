"""The program of a worker: builds the node and its connections, serves health and metrics, handles signals."""

import asyncio
import logging
import os
import secrets
import signal
import socket
import time

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shared.bus import meta, store_address
from shared.bus.topology import topology_of
from shared.ids import WorkerId
from shared.runtime.http_server import listening_socket, serve
from shared.runtime.settings import WorkerSettings
from shared.runtime.version import VERSION
from worker.games import load_catalog
from worker.metrics import WorkerMetrics
from worker.node import WorkerNode

log = logging.getLogger("tavolata.worker")


class WorkerApp:
    """One worker process."""

    def __init__(self, settings: WorkerSettings) -> None:
        worker = WorkerId(f"w-{secrets.token_hex(4)}")
        self._settings = settings
        self._topology = topology_of(store_address.named_in(settings))
        self._store = self._topology.store(
            checks=meta.durability_checks(settings.durability),
            on_connect=lambda: self._node.reconnected(),  # noqa: PLW0108 - the node is made below
        )
        # A commit that waits for replicas blocks its connection, on which leases must not be renewed.
        self._commit_store = self._topology.store(checks=meta.durability_checks(settings.durability))
        self._reader = self._topology.reader(worker, self._store)
        self._subscription = self._topology.subscription()
        self._node = WorkerNode(
            worker,
            settings,
            load_catalog(settings.games),
            self._store,
            self._reader,
            self._subscription,
            time.monotonic,
            WorkerMetrics(settings.partitions, self._topology.counters),
            time.process_time,
            self._commit_store if settings.needed_replicas else None,
        )

    async def run(self) -> None:
        """Work until SIGTERM or SIGINT. Raises `StoreError`, `IncompatibleStore` or `PortTaken` if it cannot begin."""
        await self._topology.start()
        await self._store.start()
        if self._settings.needed_replicas:
            await self._commit_store.start()
        await self._reader.start()
        await self._node.prepare()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._node.stop.set)
        self._node.start_watchdog()
        tasks, port = [], 0
        if self._settings.port >= 0:
            listener = listening_socket(self._settings.host, self._settings.port)
            port = listener.getsockname()[1]
            tasks.append(asyncio.create_task(serve(self._health_app(), [listener])))
        self._node.process_status = {"pid": os.getpid(), "host": socket.gethostname(), "port": port}
        tasks.append(asyncio.create_task(self._node.run()))
        log.info("worker %s is up, metrics on port %d", self._node.id, port)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(self._subscription.stop(), self._reader.stop())
            await asyncio.gather(self._store.stop(), self._commit_store.stop())
            await self._topology.stop()
            self._node.ownership.watchdog.stop()

    def _health_app(self) -> Starlette:
        """The HTTP application for health and metrics."""
        node = self._node

        async def healthz(_request: Request) -> Response:
            owned = len(node.ownership.partitions)
            return JSONResponse({"ok": True, "worker": node.id, "partitions": owned, "version": VERSION})

        async def readyz(_request: Request) -> Response:
            reason = node.unready
            return JSONResponse({"ready": not reason, "reason": reason}, 503 if reason else 200)

        async def metrics(_request: Request) -> Response:
            return Response(generate_latest(node.metrics.registry), media_type=CONTENT_TYPE_LATEST)

        return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)])
