"""A client of one server of the store: its connection, made again whenever it is lost."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from shared.bus.address import Address
from shared.bus.connected_replicas import ConnectedReplicas
from shared.bus.connection import FIRST_PAUSE_S, Check, Endpoint, StoreConnection, connect, longer
from shared.bus.refusals import RefusalKind, refusal
from shared.bus.store import Argument, NotReplicated, RedisCommand, StoreDown, StoreError, StoreRefused
from shared.bus.store_counters import StoreCounters
from shared.runtime.events import set_within

log = logging.getLogger("tavolata.store")


def _naming(name: str) -> tuple[RedisCommand, ...]:
    return (("CLIENT", "SETNAME", name), ("CLIENT", "ID")) if name else ()


_ALL_REPLICAS_MS = 200
"""Time for which a write waits for all connected replicas, if fewer are enough."""
_IDENTIFYING: RedisCommand = ("INFO", "server", "replication")


class StoreClient:
    """A connection that is made again whenever it is lost. Callers get `StoreDown` meanwhile."""

    sharded = False

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        greeting: Sequence[RedisCommand] = (),
        checks: Sequence[Check] = (),
        name: str = "",
        silence_s: float = 5.0,
        on_connect: Callable[[], None] | None = None,
        counters: StoreCounters | None = None,
    ) -> None:
        """With a `name`, the store shows it in its list of clients, and `client_id` is known."""
        self._endpoint = endpoint
        self._greeting = (*greeting, *_naming(name), _IDENTIFYING)
        self._scripts = tuple(greeting)
        self._checks = tuple(checks)
        self._named = bool(name)
        self._silence_s = silence_s
        self._on_connect = on_connect
        self._counters = counters or StoreCounters()
        self._connection: StoreConnection | None = None
        self._reconnecting: asyncio.Task[None] | None = None
        self._lost = asyncio.Event()
        self._made = asyncio.Event()
        self._server = ""
        self._replicas = ConnectedReplicas()
        self.address: Address | None = None
        """The server of the current connection, or of the last one."""
        self.connections = 0
        """The number of connections made so far."""
        self.client_id: int | None = None
        """The store's number for the current connection, by which another connection can unblock it."""

    async def start(self) -> None:
        """Connect for the first time; raises `StoreDown` or `StoreRefused`. From then on it reconnects by itself."""
        self._connection = await self._connect()
        self.start_soon()

    def start_soon(self) -> None:
        """Connect in the background."""
        self._reconnecting = asyncio.create_task(self._keep_connected())

    async def stop(self) -> None:
        if self._reconnecting is not None:
            self._reconnecting.cancel()
            await asyncio.gather(self._reconnecting, return_exceptions=True)
        if self._connection is not None:
            self._connection.abort()
            self._connection = None

    @property
    def up(self) -> bool:
        return self._connection is not None and self._connection.open

    async def wait_until_up(self, limit_s: float) -> bool:
        """Whether there is a connection, at the latest after this time."""
        try:
            async with asyncio.timeout(limit_s):
                while not self.up:
                    self._made.clear()
                    await self._made.wait()
        except TimeoutError:
            return False
        return True

    def server_of(self, key: str) -> str:
        return self._server if self.up else ""

    def abandon(self) -> None:
        """Close the connection: another server has to be looked for."""
        if self._connection is not None:
            self._connection.abort()

    def moved(self, address: Address) -> None:
        """The server to use is the one at this address. The one that the connection leads to may still answer, but
        what it confirms is lost."""
        if self.up and address != self.address:
            self.abandon()

    async def call(self, *command: Argument) -> Any:
        return (await self.pipe((command,)))[0]

    async def each(self, *command: Argument) -> dict[str, Any]:
        reply = await self.call(*command)
        return {str(self.address): reply}

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await self.request(commands)
        for at, reply in enumerate(replies):
            if isinstance(reply, Exception):
                replies[at] = refused = await self._retried(commands[at], str(reply))
                if isinstance(refused, StoreError) and not errors:
                    raise refused
        return replies

    async def pipe_replicated(self, commands: Sequence[RedisCommand], replicas: int, wait_ms: int) -> list[Any]:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        wanted = self._replicas.wanted(replicas, begun)
        all_ms = wait_ms if wanted == replicas else min(wait_ms, _ALL_REPLICAS_MS)
        *replies, known, role = await self.request((*commands, ("WAIT", wanted, all_ms), ("ROLE",)))
        if not is_confirmed(known, replicas) and all_ms < wait_ms:
            known, role = await self.request((("WAIT", replicas, wait_ms - all_ms), ("ROLE",)))
        safe = is_confirmed(known, replicas)
        if safe and not self._replicas.all_have(known, role) and self.address is not None:
            safe = await self._endpoint.is_primary(self.address)
        if safe:
            self._replicas.confirmed(known, wanted, role, loop.time())
        self._counters.waited(loop.time() - begun, confirmed=safe)
        for reply in replies:
            if isinstance(reply, Exception):
                self._leave_if_replica(str(reply))
        return confirmed(replies, known if safe else 0, replicas)

    def request(self, commands: Sequence[RedisCommand]) -> "asyncio.Future[list[Any]]":
        """Send commands; the future of their replies, errors included as the server sent them."""
        if self._connection is None:
            raise StoreDown("not connected to the store")
        return self._connection.request(commands)

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        if self.up:
            self.request(commands).add_done_callback(self._log_refusals)

    async def _retried(self, command: RedisCommand, error: str) -> Any:
        """The reply to a refused command, or its `StoreError`. A command that needs a script which the server does not
        have was not begun: the script is loaded and the command sent again, once."""
        self._leave_if_replica(error)
        if refusal(error) is not RefusalKind.NOSCRIPT or not self._scripts:
            return StoreRefused(error)
        try:
            reply = (await self.request((*self._scripts, command)))[-1]
        except StoreError as lost:
            return lost
        return StoreRefused(str(reply)) if isinstance(reply, Exception) else reply

    def _leave_if_replica(self, error: str) -> None:
        """Close the connection if an error reply shows that the server has become a replica."""
        if refusal(error) is RefusalKind.READONLY:
            self.abandon()

    def _log_refusals(self, done: "asyncio.Future[list[Any]]") -> None:
        if done.cancelled() or done.exception() is not None:
            return
        for reply in done.result():
            if isinstance(reply, Exception):
                self._leave_if_replica(str(reply))
                log.error("the store refused a command: %s", reply)

    async def _connect(self) -> StoreConnection:
        address = await self._endpoint.find()
        lost = self._lost = asyncio.Event()
        connection = await connect(address, lost.set, greeting=self._greeting, checks=self._checks)
        self.address = address
        self.connections += 1
        self._server = f"{address} {_identity(connection.greeting_replies[-1])}"
        if self._named:
            self.client_id = int(connection.greeting_replies[-2])
        self._replicas = ConnectedReplicas()
        self._made.set()
        return connection

    async def _keep_connected(self) -> None:
        while True:
            if self._connection is not None:
                await self._wait_for_loss(self._connection)
                self._connection = None
                log.warning("lost the connection to the store at %s", self.address)
            await self._reconnect()
            self._counters.reconnects += self.connections > 1
            log.info("connected to the store at %s", self.address)
            if self._on_connect is not None:
                self._on_connect()

    async def _reconnect(self) -> None:
        pause_s, reported = FIRST_PAUSE_S, ""
        while self._connection is None:
            try:
                self._connection = await self._connect()
            except StoreError as error:
                # A refusal, such as a configuration that is not durable, lasts until an operator mends it.
                level = logging.WARNING if isinstance(error, StoreRefused) and str(error) != reported else logging.DEBUG
                log.log(level, "%s", error)
                reported = str(error)
                await asyncio.sleep(pause_s)
                pause_s = longer(pause_s)

    async def _wait_for_loss(self, connection: StoreConnection) -> None:
        """Return when the connection is lost, or was silent for too long although a caller waits for a reply."""
        loop = asyncio.get_running_loop()
        waiting_since: float | None = None
        while connection.open:
            if await set_within(self._lost, self._silence_s / 3):
                continue
            if connection.idle:
                waiting_since = None
                continue
            waiting_since = waiting_since or loop.time()
            if loop.time() - max(connection.last_received, waiting_since) > self._silence_s:
                connection.abort()


def confirmed(replies: Sequence[Any], known: Any, replicas: int) -> list[Any]:
    """Replies to writes, of which this many replicas have confirmed the last one."""
    found = [StoreRefused(str(reply)) if isinstance(reply, Exception) else reply for reply in replies]
    if is_confirmed(known, replicas):
        return found
    missing = NotReplicated(f"the write is on too few replicas: {known} of {replicas}")
    return [reply if isinstance(reply, StoreError) else missing for reply in found]


def is_confirmed(known: Any, replicas: int) -> bool:
    """Whether enough replicas are known to have a write, by the reply to WAIT."""
    return not isinstance(known, Exception) and int(known) >= replicas


def _identity(info: bytes) -> str:
    """The process and the history of a server. The id of the process is another one after a restart, the id of the
    history after a promotion: a server that was a replica for a time may come back with other data."""
    fields = dict(line.split(":", 1) for line in info.decode().splitlines() if ":" in line)
    return f"{fields.get('run_id', '')} {fields.get('master_replid', '')}"
