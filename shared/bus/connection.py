"""A connection to Redis made for batches: commands of one loop tick go out in one write, replies come in order.

redis-py awaits once for each command or pipeline, which is most of the cost of a move (docs/decisions/0003).
"""

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import hiredis

from shared.bus.address import Address
from shared.bus.store import Argument, OutcomeUnknown, RedisCommand, StoreDown, StoreRefused

log = logging.getLogger("tavolata.store")


class StoreConnection(asyncio.Protocol):
    """One socket. Replies are matched to requests by their order; anything unasked is a pushed message."""

    def __init__(self, on_lost: Callable[[], None], on_push: Callable[[Any], None] | None = None) -> None:
        self._on_lost = on_lost
        self._on_push = on_push
        self._reader = hiredis.Reader()
        self._waiting: deque[tuple[asyncio.Future[list[Any]], int, list[Any]]] = deque()
        self._outgoing: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._lost_by = "the connection to the store was lost"
        self._loop = asyncio.get_running_loop()
        self.last_heard = self._loop.time()
        self.open = False

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
                future.set_exception(OutcomeUnknown(self._lost_by))
        self._on_lost()

    def data_received(self, data: bytes) -> None:
        self.last_heard = self._loop.time()
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
            self._lost_by = "what answers there is no Redis"
            self.abort()

    @property
    def idle(self) -> bool:
        return not self._waiting

    def request(self, commands: Sequence[RedisCommand]) -> "asyncio.Future[list[Any]]":
        """Send the commands with all others of this tick; their replies, in order."""
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
    """A wire on which the greeting (login, database, scripts) was answered. Raises `StoreDown` or `StoreRefused`."""
    loop = asyncio.get_running_loop()
    wires: list[StoreConnection] = []

    def factory() -> StoreConnection:
        wires.append(StoreConnection(on_lost))
        return wires[-1]

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
                context = ssl.create_default_context() if address.tls else None
                await loop.create_connection(factory, address.host, address.port, ssl=context)
            replies = await wires[-1].request(commands)
    except (OSError, TimeoutError, OutcomeUnknown) as error:
        for wire in wires:
            wire.abort()
        raise StoreDown(f"cannot reach the store at {address}: {error or 'no answer'}") from None
    for reply in replies:
        if isinstance(reply, Exception):
            wires[-1].abort()
            raise StoreRefused(f"the store at {address} refused the connection: {reply}")
    wire = wires[-1]
    wire._on_push = on_push
    return wire


class StoreClient:
    """A wire that is made again whenever it is lost. Callers see `StoreDown` meanwhile."""

    def __init__(
        self,
        address: Address,
        *,
        greeting: Sequence[RedisCommand] = (),
        silence_s: float = 5.0,
        on_connect: Callable[[], None] | None = None,
    ) -> None:
        self._address = address
        self._greeting = greeting
        self._silence_s = silence_s
        self._on_connect = on_connect
        self._wire: StoreConnection | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._lost = asyncio.Event()
        self.connections = 0
        """How often it was connected."""

    async def start(self) -> None:
        """Connect for the first time; raises `StoreDown` or `StoreRefused`. From then on the link mends itself."""
        self._wire = await self._dial()
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._wire is not None:
            self._wire.abort()
            self._wire = None

    @property
    def up(self) -> bool:
        return self._wire is not None and self._wire.open

    async def call(self, *command: Argument) -> Any:
        return (await self.pipe((command,)))[0]

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        if self._wire is None:
            raise StoreDown("not connected to the store")
        replies = await self._wire.request(commands)
        for at, reply in enumerate(replies):
            if isinstance(reply, Exception):
                if not errors:
                    raise StoreRefused(str(reply))
                replies[at] = StoreRefused(str(reply))
        return replies

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        if self.up:
            assert self._wire is not None
            self._wire.request(commands).add_done_callback(_log_refusals)

    async def _dial(self) -> StoreConnection:
        lost = self._lost = asyncio.Event()
        wire = await connect(self._address, lost.set, greeting=self._greeting)
        self.connections += 1
        return wire

    async def _keep(self) -> None:
        while True:
            await self._watch()
            self._wire = None
            log.warning("lost the store at %s", self._address)
            pause = 0.05
            while self._wire is None:
                try:
                    self._wire = await self._dial()
                except (StoreDown, StoreRefused) as error:
                    log.debug("%s", error)
                    await asyncio.sleep(pause)
                    pause = min(pause * 1.6, 1.0)
            log.info("connected to the store at %s", self._address)
            if self._on_connect is not None:
                self._on_connect()

    async def _watch(self) -> None:
        """Returns when the wire is lost, or silent for too long although somebody waits for an answer."""
        wire = self._wire
        assert wire is not None
        loop = asyncio.get_running_loop()
        waiting_since: float | None = None
        while wire.open:
            try:
                async with asyncio.timeout(self._silence_s / 3):
                    await self._lost.wait()
            except TimeoutError:
                if wire.idle:
                    waiting_since = None
                    continue
                waiting_since = waiting_since or loop.time()
                if loop.time() - max(wire.last_heard, waiting_since) > self._silence_s:
                    wire.abort()


def _log_refusals(done: "asyncio.Future[list[Any]]") -> None:
    if done.cancelled() or done.exception() is not None:
        return
    for reply in done.result():
        if isinstance(reply, Exception):
            log.error("the store refused a command: %s", reply)
