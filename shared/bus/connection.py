"""Connections to the store, made for batches: all commands of one loop tick go out in one write.

redis-py awaits once for each command or pipeline, which is most of the cost of a move (docs/decisions/0003).
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis

from shared.bus.address import Address
from shared.bus.store import Argument, OutcomeUnknown, RedisCommand, StoreDown, StoreRefused

log = logging.getLogger("tavolata.store")

FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0


def longer(pause_s: float) -> float:
    """The pause before the next attempt to connect."""
    return min(pause_s * 1.6, _LONGEST_PAUSE_S)


def _naming(name: str) -> tuple[RedisCommand, ...]:
    return (("CLIENT", "SETNAME", name), ("CLIENT", "ID"))


class StoreConnection(asyncio.Protocol):
    """One socket. Replies are matched to requests by their order. With `on_push` there are no requests: everything that
    arrives is a message of a subscription."""

    def __init__(self, on_lost: Callable[[], None], on_push: Callable[[Any], None] | None = None) -> None:
        self._on_lost = on_lost
        self._on_push = on_push
        self._reader = hiredis.Reader()
        self._waiting: deque[tuple[asyncio.Future[list[Any]], int, list[Any]]] = deque()
        self._outgoing: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._lost_because = "the connection to the store was lost"
        self._loop = asyncio.get_running_loop()
        self.last_received = self._loop.time()
        self.open = False
        self.greeting_replies: list[Any] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.open = True

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.open = False
        self._outgoing.clear()
        while self._waiting:
            future, _, _ = self._waiting.popleft()
            if not future.done():
                future.set_exception(OutcomeUnknown(self._lost_because))
        self._on_lost()

    def data_received(self, data: bytes) -> None:
        self.last_received = self._loop.time()
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not False:
                if self._on_push is not None:
                    self._on_push(reply)
                    continue
                future, count, replies = self._waiting[0]
                replies.append(reply)
                if len(replies) == count:
                    self._waiting.popleft()
                    if not future.done():
                        future.set_result(replies)
        except hiredis.ProtocolError:
            self._lost_because = "the server does not speak the Redis protocol"
            self.abort()

    @property
    def idle(self) -> bool:
        return not self._waiting

    def request(self, commands: Sequence[RedisCommand]) -> "asyncio.Future[list[Any]]":
        """Send the commands together with all others of this tick; the future of their replies, in order."""
        if not self.open:
            raise StoreDown("not connected to the store")
        future: asyncio.Future[list[Any]] = self._loop.create_future()
        if not commands:
            future.set_result([])
            return future
        self._waiting.append((future, len(commands), []))
        self.push(commands)
        return future

    def push(self, commands: Sequence[RedisCommand]) -> None:
        """Send commands, without a future for their replies."""
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        self._outgoing.extend(hiredis.pack_command(command) for command in commands)

    def _flush(self) -> None:
        if self._transport is not None and self._outgoing:
            self._transport.write(b"".join(self._outgoing))
        self._outgoing.clear()

    def abort(self) -> None:
        self.open = False
        if self._transport is not None:
            self._transport.abort()


async def connect(
    address: Address,
    on_lost: Callable[[], None],
    *,
    greeting: Sequence[RedisCommand] = (),
    timeout_s: float = 3.0,
    on_push: Callable[[Any], None] | None = None,
) -> StoreConnection:
    """A connection on which login, database and the greeting were answered. Raises `StoreDown` or `StoreRefused`."""
    loop = asyncio.get_running_loop()
    made: list[StoreConnection] = []

    def factory() -> StoreConnection:
        made.append(StoreConnection(on_lost))
        return made[-1]

    commands: list[RedisCommand] = []
    if address.password:
        commands.append(("AUTH", *filter(None, (address.username,)), address.password))
    if address.db:
        commands.append(("SELECT", address.db))
    commands.extend(greeting)
    try:
        async with asyncio.timeout(timeout_s):
            if address.path:
                await loop.create_unix_connection(factory, address.path)
            else:
                await loop.create_connection(
                    factory, address.host, address.port, ssl=address.context or address.tls or None
                )
            replies = await made[-1].request(commands)
    except (OSError, TimeoutError, OutcomeUnknown) as error:
        for connection in made:
            connection.abort()
        raise StoreDown(f"cannot reach the store at {address}: {error or 'no answer'}") from None
    for reply in replies:
        if isinstance(reply, Exception):
            made[-1].abort()
            raise StoreRefused(f"the store at {address} refused the connection: {reply}")
    connection = made[-1]
    connection._on_push = on_push
    connection.greeting_replies = replies[len(replies) - len(greeting) :]
    return connection


class StoreClient:
    """A connection that is made again whenever it is lost. Callers get `StoreDown` meanwhile."""

    def __init__(
        self,
        address: Address,
        *,
        greeting: Sequence[RedisCommand] = (),
        name: str = "",
        silence_s: float = 5.0,
        on_connect: Callable[[], None] | None = None,
    ) -> None:
        """With a `name`, the store shows it in its list of clients, and `client_id` is known."""
        self._address = address
        self._greeting = (*greeting, *_naming(name)) if name else tuple(greeting)
        self._named = bool(name)
        self._silence_s = silence_s
        self._on_connect = on_connect
        self._connection: StoreConnection | None = None
        self._reconnecting: asyncio.Task[None] | None = None
        self._lost = asyncio.Event()
        self.connections = 0
        """The number of connections made so far."""
        self.client_id: int | None = None
        """The store's number for the current connection, by which another connection can unblock it."""

    async def start(self) -> None:
        """Connect for the first time; raises `StoreDown` or `StoreRefused`. From then on it reconnects by itself."""
        self._connection = await self._connect()
        self._reconnecting = asyncio.create_task(self._reconnect())

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

    async def call(self, *command: Argument) -> Any:
        return (await self.pipe((command,)))[0]

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        if self._connection is None:
            raise StoreDown("not connected to the store")
        replies = await self._connection.request(commands)
        for at, reply in enumerate(replies):
            if isinstance(reply, Exception):
                if not errors:
                    raise StoreRefused(str(reply))
                replies[at] = StoreRefused(str(reply))
        return replies

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        if self.up:
            assert self._connection is not None
            self._connection.request(commands).add_done_callback(_log_refusals)

    async def _connect(self) -> StoreConnection:
        lost = self._lost = asyncio.Event()
        connection = await connect(self._address, lost.set, greeting=self._greeting)
        self.connections += 1
        if self._named:
            self.client_id = int(connection.greeting_replies[-1])
        return connection

    async def _reconnect(self) -> None:
        while True:
            await self._wait_for_loss()
            self._connection = None
            log.warning("lost the connection to the store at %s", self._address)
            pause_s = FIRST_PAUSE_S
            while self._connection is None:
                try:
                    self._connection = await self._connect()
                except (StoreDown, StoreRefused) as error:
                    log.debug("%s", error)
                    await asyncio.sleep(pause_s)
                    pause_s = longer(pause_s)
            log.info("connected to the store at %s", self._address)
            if self._on_connect is not None:
                self._on_connect()

    async def _wait_for_loss(self) -> None:
        """Return when the connection is lost, or was silent for too long although a caller waits for a reply."""
        connection = self._connection
        assert connection is not None
        loop = asyncio.get_running_loop()
        waiting_since: float | None = None
        while connection.open:
            try:
                async with asyncio.timeout(self._silence_s / 3):
                    await self._lost.wait()
            except TimeoutError:
                if connection.idle:
                    waiting_since = None
                    continue
                waiting_since = waiting_since or loop.time()
                if loop.time() - max(connection.last_received, waiting_since) > self._silence_s:
                    connection.abort()


def _log_refusals(done: "asyncio.Future[list[Any]]") -> None:
    if done.cancelled() or done.exception() is not None:
        return
    for reply in done.result():
        if isinstance(reply, Exception):
            log.error("the store refused a command: %s", reply)
