"""A gateway process: builds the node, the sockets and HTTP, and runs them until a signal or an operator stops them."""

import asyncio
import dataclasses
import functools
import logging
import os
import signal
import socket
import time
from collections.abc import Coroutine, Iterator
from typing import Any

from gateway.cluster.identity import RandomIds
from gateway.cluster.tokens import Tokens
from gateway.dialects import dialects
from gateway.dialects.contract import Dialect
from gateway.http.app import HttpApps
from gateway.http.limits import HttpConnections
from gateway.http.named_operators import OperatorFile
from gateway.node import GatewayNode
from gateway.transports.listeners import TcpListener, parse_listeners
from gateway.transports.tcp import TcpConnection
from gateway.transports.websocket import WebSocket
from shared.bus import meta, store_address
from shared.bus.topology import topology_of
from shared.runtime import open_files
from shared.runtime.files import read_text
from shared.runtime.http_server import listening_socket, serve
from shared.runtime.settings import GatewaySettings, SettingError

log = logging.getLogger("tavolata.gateway")

_OTHER_FILES = 300
"""Open files that are not connections of clients: HTTP connections that are refused, the store, listeners, modules."""


class Gateway:
    """One gateway process."""

    def __init__(self, settings: GatewaySettings) -> None:
        """Raises `SettingError`."""
        self._settings = settings = within_open_files(settings)
        self._topology = topology_of(store_address.named_in(settings))
        self._dialects = {dialect.name: dialect for dialect in dialects(os.environ, read_text)}
        self._listeners = parse_listeners(settings.tcp)
        self._operators = OperatorFile(settings.operators)
        _check_listeners(self._listeners, self._dialects)
        self._store = self._topology.store(
            checks=meta.durability_checks(settings.durability), on_connect=self._store_connected
        )
        self._node: GatewayNode | None = None
        self._leave_shared_port = asyncio.Event()

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises `StoreError`, `IncompatibleStore` or `PortTaken` if it cannot start."""
        settings = self._settings
        sockets = [listening_socket(settings.host, settings.port)]
        if settings.shared_port:
            sockets.append(listening_socket(settings.host, settings.shared_port, shared=True))
        ops_sockets = [listening_socket(settings.ops_host, settings.ops_port)] if settings.ops_port >= 0 else []
        port, ops_port = (bound[0].getsockname()[1] if bound else 0 for bound in (sockets, ops_sockets))
        await self._topology.start()
        await self._store.start()
        await meta.agree(self._store, settings.partitions)
        await meta.check_durability(self._store, settings.durability)
        await meta.check_replicas(self._store, settings.needed_replicas)
        secret = await meta.secret(self._store, meta.TOKENS, settings.secret)
        admin_token = await meta.secret(self._store, meta.ADMIN_TOKEN, settings.admin_token)
        node = self._node = GatewayNode(
            settings,
            self._store,
            self._topology.subscription,
            Tokens(secret, settings.token_ms),
            RandomIds(),
            time.monotonic,
            {"pid": os.getpid(), "host": socket.gethostname(), "port": settings.port, "ops_port": ops_port},
            self._topology.counters,
        )
        await node.start()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, node.stop)
        loop.add_signal_handler(signal.SIGINT, functools.partial(node.stop, at_once=True))
        servers = await self._listen_tcp(node)
        http = self._serve(node, HttpApps(node, admin_token, self._operators), sockets, ops_sockets)
        tasks = [asyncio.ensure_future(work) for work in (*http, node.run(), node.stopped())]
        log.info("gateway %s listens on port %d, for operators on %d", node.id, port, ops_port)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            for server in servers:
                server.close()
            self._leave_shared_port.set()
            await node.drain()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(node.end(), self._store.stop())
            await self._topology.stop()

    def _serve(
        self, node: GatewayNode, apps: HttpApps, sockets: list[socket.socket], ops_sockets: list[socket.socket]
    ) -> Iterator[Coroutine[Any, Any, None]]:
        paths = {dialect.path: dialect for dialect in self._dialects.values()}
        websocket = functools.partial(WebSocket, node.connections, paths)
        counter, leave = HttpConnections(node.connections), self._leave_shared_port
        yield serve(apps.players, sockets, counter, leave, ws=websocket, server_header=False)
        if ops_sockets:
            yield serve(apps.operators, ops_sockets, ws="none", server_header=False)

    async def _listen_tcp(self, node: GatewayNode) -> list[asyncio.Server]:
        loop = asyncio.get_running_loop()
        servers = []
        for listener in self._listeners:
            sock = listening_socket(self._settings.host, listener.port, shared=True)
            dialect = self._dialects[listener.dialect]
            factory = functools.partial(
                TcpConnection, node.connections, dialect, listener.options, proxied=listener.proxied
            )
            servers.append(await loop.create_server(factory, sock=sock))
        return servers

    def _store_connected(self) -> None:
        if self._node is not None:
            self._node.store_reconnected()


def within_open_files(settings: GatewaySettings) -> GatewaySettings:
    """The settings, with fewer connections if the process may open fewer files. Without this, the sockets beyond that
    number would be neither accepted nor refused."""
    possible = max(1, open_files.limit() - _OTHER_FILES)
    if settings.connections <= possible:
        return settings
    log.info("at most %d connections: this process may not open more files (ulimit -n)", possible)
    return dataclasses.replace(settings, connections=possible)


def _check_listeners(listeners: list[TcpListener], known: dict[str, Dialect]) -> None:
    for listener in listeners:
        dialect = known.get(listener.dialect)
        if dialect is None:
            names = ", ".join(sorted(known))
            raise SettingError(f"TAVOLATA_TCP: there is no dialect {listener.dialect!r}; known are {names}")
        try:
            dialect.framing(listener.options)
        except ValueError as error:
            raise SettingError(f"TAVOLATA_TCP: {listener.dialect}: {error}") from None
