"""Connections to one fakeredis whose every request waits until the simulation lets it happen, or lets it fail."""

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from shared.bus.scripts import script
from shared.bus.store import OutcomeUnknown, RedisCommand, StoreDown, StoreRefused
from tests.support.fake_store import FakeServer, OneServer, VirtualTime

_COMMIT = script("commit", (), ())[:2]


class MemoryStore:
    """The store that all processes share, and its time."""

    def __init__(self, server: FakeServer, time: VirtualTime) -> None:
        self.server = server
        self.time = time
        self.lines: dict[int, MemoryConnection] = {}
        """All connections, by the number that the store knows them by."""
        self.server_name = "first"
        self.moves: Counter[str] = Counter()
        self.restarts = 0
        self.adds = 0
        """Additions to streams so far: a read that waits need not look again before one has come."""

    def server_of(self, key: str) -> str:
        """The server of a key: all keys with the same hash tag have the same one."""
        return f"{self.server_name}/{self.moves[key.partition('}')[0]]}"

    def move(self, key: str) -> None:
        """Another server of a Cluster serves the slot of this key from now on."""
        self.moves[key.partition("}")[0]] += 1

    def restart(self) -> None:
        """Another server, or a restarted one, serves all keys from now on."""
        self.restarts += 1
        self.server_name = f"server-{self.restarts}"

    def run(self, command: RedisCommand) -> Any:
        if command[:2] == ("CLIENT", "UNBLOCK"):
            return self.lines[int(command[2])].unblock()
        if command[0] == "XADD":
            self.adds += 1
        return self.server.run(command)


@dataclass(slots=True)
class _Request:
    commands: Sequence[RedisCommand]
    errors: bool
    answer: "asyncio.Future[list[Any]] | None"
    until_s: float = 0.0
    """For a read that waits: how long."""
    seen: int = -1


class MemoryConnection(OneServer):
    """One process's connection: a `Store` whose requests are carried out in order, when `step` says so."""

    def __init__(self, world: MemoryStore) -> None:
        self._world = world
        self._requests: deque[_Request] = deque()
        self.dead = False
        self.down = False
        self.losses = 0
        self.client_id: int | None = len(world.lines) + 1
        world.lines[len(world.lines) + 1] = self

    def server_of(self, key: str) -> str:
        return "" if self.down else self._world.server_of(key)

    @property
    def until_s(self) -> float:
        """The time at which the read that waits on this line ends; 0 if none waits."""
        return self._requests[0].until_s if self._requests else 0.0

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        if self.down:
            raise StoreDown("not connected")
        answer: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        request = _Request(commands, errors, answer)
        if commands and "BLOCK" in commands[0]:
            at = commands[0].index("BLOCK")
            request.until_s = self._world.time.now_s + int(commands[0][at + 1]) / 1_000
            request.commands = ((*commands[0][:at], *commands[0][at + 2 :]),)
        self._requests.append(request)
        return await answer

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        if not self.down:
            self._requests.append(_Request(commands, True, None))

    @property
    def ready(self) -> bool:
        """Whether there is a request that could be carried out now."""
        if self.dead or not self._requests:
            return False
        first = self._requests[0]
        return not first.until_s or first.seen != self._world.adds or self._world.time.now_s >= first.until_s

    @property
    def is_committing(self) -> bool:
        """Whether the oldest request is a commit."""
        commands = self._requests[0].commands if self._requests else ()
        return any(command[:2] == _COMMIT for command in commands)

    def step(self) -> None:
        """Carry out the oldest request."""
        request = self._requests[0]
        replies = [self._world.run(command) for command in request.commands]
        if request.until_s and not replies[0] and self._world.time.now_s < request.until_s:
            request.seen = self._world.adds
            return
        self._requests.popleft()
        if request.answer is None or request.answer.done():
            return
        refused = [reply for reply in replies if isinstance(reply, StoreRefused)]
        if refused and not request.errors:
            request.answer.set_exception(refused[0])
        else:
            request.answer.set_result(replies)

    def unblock(self) -> int:
        """End a read that waits, as `CLIENT UNBLOCK` does: it returns nothing."""
        waiting = [request for request in self._requests if request.until_s]
        for request in waiting:
            request.until_s = min(request.until_s, self._world.time.now_s)
        return int(bool(waiting))

    def repeat_adds(self) -> None:
        """The oldest request is carried out twice, as far as that may happen to a stream."""
        if self._requests and self._requests[0].answer is None:
            for command in self._requests[0].commands:
                self._world.run(command)

    def lose(self, dice: Random) -> None:
        """Break the connection: some requests were carried out, and no caller learns which. It stays down."""
        self.down = True
        self.losses += 1
        requests, self._requests = self._requests, deque()
        done = dice.randint(0, len(requests))
        for number, request in enumerate(requests):
            if number < done:
                for command in request.commands:
                    self._world.run(command)
            if request.answer is not None and not request.answer.done() and not self.dead:
                request.answer.set_exception(OutcomeUnknown("lost"))

    def die(self, dice: Random) -> None:
        self.dead = True
        self.lose(dice)
