"""Connections to a server of the store, made for batches: all commands of one loop tick go out in one write.

redis-py awaits once for each command or pipeline, which is most of the cost of a move (docs/decisions/0003).
`shared.bus.client` makes a lost connection again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, cast

import hiredis

from shared.bus.address import Address
from shared.bus.store import OutcomeUnknown, RedisCommand, StoreDown, StoreRefused

FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0


def longer(pause_s: float) -> float:
    """The pause before the next attempt to connect."""
    return min(pause_s * 1.6, _LONGEST_PAUSE_S)


Check: TypeAlias = tuple[RedisCommand, Callable[[Any], str]]
"""A command, and a function that takes its reply and returns why the server cannot be used, or nothing."""


class Endpoint(Protocol):
    """The place of a server that may move."""

    async def find(self) -> Address:
        """The server to connect to now; raises `StoreDown`."""

    async def is_primary(self, address: Address) -> bool:
        """Whether another server is certainly not about to take the place of the one at this address."""


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
    checks: Sequence[Check] = (),
    timeout_s: float = 3.0,
    on_push: Callable[[Any], None] | None = None,
) -> StoreConnection:
    """A connection on which login, database and the greeting were answered, to a server that passed the checks. Raises
    `StoreDown` or `StoreRefused`."""
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
    commands.extend(command for command, _ in checks)
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
    except asyncio.CancelledError:
        _abort(made)
        raise
    except (OSError, TimeoutError, OutcomeUnknown) as error:
        _abort(made)
        raise StoreDown(f"cannot reach the store at {address}: {error or 'no answer'}") from None
    connection = made[-1]
    try:
        _examine(address, replies, checks, len(greeting))
    except StoreRefused:
        connection.abort()
        raise
    connection._on_push = on_push
    connection.greeting_replies = replies[len(replies) - len(greeting) :]
    return connection


def _abort(connections: Sequence[StoreConnection]) -> None:
    for connection in connections:
        connection.abort()


def _examine(address: Address, replies: Sequence[Any], checks: Sequence[Check], greetings: int) -> None:
    for reply in replies:
        if isinstance(reply, Exception):
            raise StoreRefused(f"the store at {address} refused the connection: {reply}")
    first = len(replies) - greetings - len(checks)
    for (_, check), reply in zip(checks, replies[first : first + len(checks)], strict=True):
        if reason := check(reply):
            raise StoreRefused(f"the store at {address} cannot be used: {reason}")
