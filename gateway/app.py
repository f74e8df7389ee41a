"""A gateway put together: the store, the sockets, the desk that sessions share, its lease, and its end."""

import asyncio
import functools
import itertools
import logging
import os
import random
import secrets
import signal
import socket
import time

import msgspec

from gateway.cluster.tokens import Tokens
from gateway.desk import Desk
from gateway.dialects import dialects
from gateway.dialects.contract import Dialect
from gateway.http import app as http_app
from gateway.metrics import Metrics
from gateway.transports import close_codes, tcp
from gateway.transports.websocket import WebSocket
from shared.bus import directory, drains, keys, meta
from shared.bus.address import Address
from shared.bus.connection import StoreClient
from shared.bus.registry import GATEWAYS
from shared.bus.scripts import LOADING
from shared.bus.store import StoreError
from shared.bus.subscription import Subscription
from shared.deliveries import ControlMessage, Heartbeat
from shared.ids import GatewayId
from shared.runtime.files import read_text
from shared.runtime.http_server import listening_socket, serve
from shared.runtime.settings import GatewaySettings, SettingError

log = logging.getLogger("tavolata.gateway")

_decode_control = msgspec.json.Decoder(ControlMessage).decode
_TICK_S = 0.25
_LIFE_EVERY = 5
_GAMES_EVERY_S = 5.0


class Gateway:
    """One process that speaks to players."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._address = Address.parse(settings.redis_url)
        self._listeners = tcp.listeners(settings.tcp)
        self._dialects = {dialect.name: dialect for dialect in dialects(os.environ, read_text)}
        for listener in self._listeners:
            if listener.dialect not in self._dialects:
                raise SettingError(f"TAVOLATA_TCP: there is no dialect {listener.dialect!r}; {self._known()}")
            try:
                self._dialects[listener.dialect].framing(listener.options)
            except ValueError as error:
                raise SettingError(f"TAVOLATA_TCP: {listener.dialect}: {error}") from None
        self._store = StoreClient(self._address, greeting=LOADING, on_connect=self._reconnected)
        self._news = Subscription(self._address)
        self._partitions = keys.all_keys(settings.partitions)
        self._ahead_ms = time.time() * 1_000 - time.monotonic() * 1_000
        self._registered = False
        self._subscribed = False
        self._stop = asyncio.Event()
        self._desk: Desk | None = None

    def _known(self) -> str:
        return "known are " + ", ".join(sorted(self._dialects))

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises `StoreError`, `meta.Unfit` or `PortTaken` if it cannot begin."""
        settings = self._settings
        sockets = [listening_socket(settings.host, settings.port)]
        if settings.shared_port:
            sockets.append(listening_socket(settings.host, settings.shared_port, shared=True))
        await self._store.start()
        await meta.agree(self._store, settings.partitions)
        await meta.check_durability(self._store, settings.durability)
        secret = await meta.secret(self._store, meta.TOKENS, settings.secret)
        admin_token = await meta.secret(self._store, meta.ADMIN_TOKEN, settings.admin_token)
        gateway = _new_id()
        desk = Desk(gateway, settings, self._store, self._partitions, Tokens(secret, settings.token_ms), Metrics())
        desk.outgoing.up = lambda: self._store.up
        desk.now_ms = lambda: int(time.monotonic() * 1_000 + self._ahead_ms)
        self._desk = desk
        await self._beat(desk)
        await desk.learn_games()
        self._subscribe(desk)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._stop.set)
        servers = await self._listen_tcp(desk)
        paths: dict[str, Dialect] = {dialect.path: dialect for dialect in self._dialects.values()}
        app = http_app.build(desk, lambda: self._subscribed and self._store.up and not desk.draining, admin_token)
        work = (
            serve(app, sockets, ws=functools.partial(WebSocket, desk, paths), server_header=False),
            self._keep_lease(desk),
            self._tick(desk),
            self._look_after(desk),
            self._stop.wait(),
        )
        tasks = [asyncio.ensure_future(item) for item in work]
        log.info("gateway %s listens on port %d", gateway, sockets[0].getsockname()[1])
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await self._drain(desk, servers)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(self._news.stop(), self._store.stop())

    async def _listen_tcp(self, desk: Desk) -> list[asyncio.Server]:
        loop = asyncio.get_running_loop()
        servers = []
        for listener in self._listeners:
            sock = listening_socket(self._settings.host, listener.port, shared=True)
            dialect = self._dialects[listener.dialect]
            factory = functools.partial(tcp.TcpConnection, desk, dialect, listener.options, proxied=listener.proxied)
            servers.append(await loop.create_server(factory, sock=sock))
        return servers

    # --- news from the store ----------------------------------------------------------------------------------------

    def _subscribe(self, desk: Desk) -> None:
        out = keys.out(desk.gateway)

        def message(channel: str, data: bytes) -> None:
            if channel == out:
                desk.hub.message(data)
            elif channel == keys.LISTINGS:
                desk.rooms.change(directory.changed(data))
            else:
                self._controlled(desk, _decode_control(data))

        def gap() -> None:
            desk.spawn(self._gather(desk))
            desk.hub.resubscribed()

        self._news.start((out, keys.LISTINGS, keys.control(desk.gateway)), message, gap)

    async def _gather(self, desk: Desk) -> None:
        meanwhile = desk.rooms.gathering()
        while True:
            try:
                desk.rooms.gathered(await directory.gather(self._store, self._partitions), meanwhile)
                self._subscribed = True
                return
            except StoreError:
                await asyncio.sleep(0.2)

    @staticmethod
    def _controlled(desk: Desk, control: ControlMessage) -> None:
        if isinstance(control, Heartbeat):
            desk.hub.beat(control.last)
            return
        session = desk.sessions.get(control.conn)
        if session is not None and session.sid == control.sid:
            session.hang_up(close_codes.REPLACED)

    def _reconnected(self) -> None:
        if self._desk is not None:
            self._desk.outgoing.repeat()

    # --- regular work -----------------------------------------------------------------------------------------------

    async def _beat(self, desk: Desk) -> None:
        status = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "port": self._settings.port,
            "connections": len(desk.sessions),
            "pending": len(desk.outgoing),
            "draining": desk.draining,
            **desk.metrics.status(),
        }
        lease_ms = self._settings.gateway_lease_ms
        body = msgspec.json.encode(status)
        roll = await GATEWAYS.beat(self._store, desk.gateway, lease_ms, body, first=not self._registered)
        if roll.struck:
            await self._given_up(desk)
            return
        self._registered = True
        self._ahead_ms = roll.now_ms - time.monotonic() * 1_000
        desk.live_gateways = frozenset(roll.live)

    async def _given_up(self, desk: Desk) -> None:
        """The others took us for dead, and our players for gone: they must come back as if it were true."""
        log.warning("gateway %s was given up by the others; its players are asked to come back", desk.gateway)
        self._registered = self._subscribed = False
        for session in list(desk.sessions.values()):
            session.hang_up(close_codes.restart(random.randrange(1_000)))
        desk.begin_anew(_new_id())
        try:
            await self._beat(desk)
        finally:
            await self._news.stop()
            self._news = Subscription(self._address)
            self._subscribe(desk)

    async def _keep_lease(self, desk: Desk) -> None:
        last_games = 0.0
        while True:
            try:
                await self._beat(desk)
                if await drains.asked(self._store, desk.gateway):
                    log.info("gateway %s was asked to stop", desk.gateway)
                    self._stop.set()
                if time.monotonic() - last_games > _GAMES_EVERY_S:
                    last_games = time.monotonic()
                    await desk.learn_games()
            except StoreError as error:
                log.warning("the lease waits for the store: %s", error)
            await asyncio.sleep(min(1.0, self._settings.gateway_lease_ms / 4_000))

    async def _tick(self, desk: Desk) -> None:
        """One timer for all conversations that want one."""
        due: dict[int, int] = {}
        while True:
            await asyncio.sleep(_TICK_S)
            now_ms = int(time.monotonic() * 1_000)
            for session in list(desk.ticking.values()):
                if not session.closed and now_ms >= due.get(session.number, 0):
                    if session.number in due:
                        session.tick(now_ms)
                    due[session.number] = now_ms + session.tick_ms - int(_TICK_S * 500)
            if len(due) > 2 * len(desk.ticking) + 1_000:
                due = {number: when for number, when in due.items() if number in desk.ticking}

    async def _look_after(self, desk: Desk) -> None:
        """Clients that are silent or slow, commands that nobody answered."""
        for second in itertools.count(1):
            await asyncio.sleep(1.0)
            now = desk.now()
            everybody = second % _LIFE_EVERY == 0
            for session in list(desk.sessions.values() if everybody else desk.slow):
                session.check_life(now)
            if self._store.up:
                desk.outgoing.repeat(older_than=self._settings.retry_ms / 1_000)

    # --- the end ----------------------------------------------------------------------------------------------------

    async def _drain(self, desk: Desk, servers: list[asyncio.Server]) -> None:
        """Not ready any more, no new sockets, the old ones closed in waves, then out."""
        desk.draining = True
        for server in servers:
            server.close()
        sessions = list(desk.sessions.values())
        log.info("gateway %s closes %d connections", desk.gateway, len(sessions))
        waves = max(1, self._settings.drain_ms // 100)
        size = -(-len(sessions) // waves)
        for at in range(0, len(sessions), size or 1):
            for session in sessions[at : at + size]:
                session.hang_up(close_codes.restart(random.randrange(1_000)))
            await asyncio.sleep(0.1)
        deadline = desk.now() + 2.0
        while (desk.sessions or len(desk.outgoing)) and desk.now() < deadline:
            await asyncio.sleep(0.02)
        try:
            await GATEWAYS.strike(self._store, desk.gateway)
        except StoreError:
            log.warning("the registry could not be told; the lease will run out")


def _new_id() -> GatewayId:
    return GatewayId(f"g-{secrets.token_hex(4)}")
