"""A store inside the test process: `shared.bus.store.Store` over fakeredis, with a clock that the test sets."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from hashlib import sha1
from typing import Any, Protocol, TypeAlias
from unittest import mock

import fakeredis
from redis.exceptions import ResponseError

from shared.bus.scripts import LOADING
from shared.bus.store import Argument, RedisCommand, StoreRefused

_TIMED = (
    "fakeredis._helpers",
    "fakeredis._socket._base",
    "fakeredis.commands_mixins.server_mixin",
    "fakeredis.model._stream",
)


class VirtualTime:
    """Time that passes only in `advance`. Replaces the `time` module where fakeredis uses it."""

    def __init__(self, start_s: float = 1_700_000_000.0) -> None:
        self.now_s = start_s

    def time(self) -> float:
        return self.now_s

    def advance(self, by_ms: float) -> None:
        self.now_s += by_ms / 1_000

    @contextmanager
    def installed(self) -> Iterator[None]:
        """fakeredis uses this time within the context."""
        with ExitStack() as patches:
            for module in _TIMED:
                patches.enter_context(mock.patch(f"{module}.time", self))
            yield


StoreCopy: TypeAlias = tuple[dict[bytes, Any], list[Any]]


class FakeServer:
    """One fakeredis with our scripts loaded, without their first line, which its Lua does not understand."""

    def __init__(self, changes: Mapping[str, str] | None = None) -> None:
        """`changes` to the texts of scripts, to plant bugs in them."""
        self._changes = changes or {}
        self._server = fakeredis.FakeServer(server_type="valkey")
        self._pool = fakeredis.FakeRedis(server=self._server, protocol=2).connection_pool
        self._line = self._pool.get_connection()
        self._hashes: dict[Argument, Argument] = {}
        self.memory = b"used_memory:1000000\r\nmaxmemory:0\r\n"
        """The store's report on its memory."""
        self._load()

    def run(self, command: RedisCommand) -> Any:
        """The reply, an error as a value."""
        if command[:2] == ("INFO", "memory"):  # fakeredis does not know it
            return self.memory
        if command[0] == "EVALSHA":
            command = (command[0], self._hashes[command[1]], *command[2:])
        self._line.send_command(*command)
        try:
            return self._line.read_response()
        except ResponseError as error:
            return StoreRefused(str(error))

    def copy(self) -> StoreCopy:
        """All data, as a replica or a file might have it."""
        database = self._server.dbs[0]
        return deepcopy(database._dict), list(database._expiry_heap)

    def restore(self, copy: StoreCopy) -> None:
        """Go back to a copy: everything that was written since then is lost."""
        database = self._server.dbs[0]
        database._dict, database._expiry_heap = copy

    def flush(self) -> None:
        self.run(("FLUSHALL",))

    def subscribe(self, channels: Sequence[str]) -> "FakeSubscriber":
        line = self._pool.get_connection()
        line.send_command("SUBSCRIBE", *channels)
        return FakeSubscriber(self._pool, line, len(channels))

    def _load(self) -> None:
        for _, _, source in LOADING:
            text = str(source)
            real = sha1(text.encode(), usedforsecurity=False).hexdigest()
            for before, after in self._changes.items():
                text = text.replace(before, after)
            self._hashes[real] = self.run(("SCRIPT", "LOAD", text.partition("\n")[2])).decode()


class FakeSubscriber:
    """A subscription to some channels."""

    def __init__(self, pool: Any, line: Any, channels: int) -> None:
        self._pool = pool
        self._line = line
        for _ in range(channels):
            line.read_response()

    def received(self) -> list[tuple[str, bytes]]:
        """The messages since the last call, in order."""
        messages: list[tuple[str, bytes]] = []
        while self._line.can_read(timeout=0):
            _, channel, data = self._line.read_response()
            messages.append((channel.decode(), data))
        return messages

    def close(self) -> None:
        self._line.disconnect()
        self._pool.release(self._line)


class OneServer(Protocol):
    """A `Store` of one server, which is always connected and has enough replicas. Subclasses run the commands."""

    client_id: int | None = None
    sharded: bool = False

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]: ...
    def cast(self, commands: Sequence[RedisCommand]) -> None: ...

    async def start(self) -> None:
        return

    async def stop(self) -> None:
        return

    async def call(self, *command: Argument) -> Any:
        return (await self.pipe((command,)))[0]

    async def pipe_replicated(self, commands: Sequence[RedisCommand], replicas: int, wait_ms: int) -> list[Any]:
        return await self.pipe(commands, errors=True)

    async def each(self, *command: Argument) -> dict[str, Any]:
        return {"the only one": await self.call(*command)}

    def server_of(self, key: str) -> str:
        return "the only one"


class FakeStore(OneServer):
    """Answers at once."""

    def __init__(self, server: FakeServer | None = None) -> None:
        self.server = server or FakeServer()

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = [self.server.run(command) for command in commands]
        for reply in replies:
            if isinstance(reply, StoreRefused) and not errors:
                raise reply
        return replies

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        for command in commands:
            self.server.run(command)
