"""A `Store` over the nodes of a Cluster: one connection per node, which all callers share.

The commands of a call are sent to their nodes in one write each. A node that refuses a command, because its slot is or
is being moved, has not begun it: the command is sent again, to the node that serves it now.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from shared.bus.client import StoreClient, confirmed, is_confirmed
from shared.bus.cluster_map import Place, key_of, slot_of
from shared.bus.cluster_view import ClusterView
from shared.bus.connection import Check
from shared.bus.refusals import RefusalKind, redirection, refusal
from shared.bus.store import Argument, RedisCommand, StoreDown, StoreError, StoreRefused
from shared.bus.store_counters import StoreCounters

log = logging.getLogger("tavolata.cluster")

_RETRY_S = 1.5
"""Time for which a command is tried. A slot that is moved key by key may refuse commands with several keys so long."""
_PAUSES_S = (0.0, 0.01, 0.03, 0.1)
_CONNECT_S = 1.0
_KEPT_S = 2.0
"""Time for which the connection to a node without slots is kept: replies may be under way."""
_SENT_AGAIN = frozenset((RefusalKind.MOVED, RefusalKind.ASK, RefusalKind.TRYAGAIN, RefusalKind.NOSCRIPT))


class _Sending:
    """One command on its way through the Cluster."""

    __slots__ = ("asking", "at", "command", "refused")

    def __init__(self, at: int, command: RedisCommand) -> None:
        self.at = at
        self.command = command
        self.asking: Place | None = None
        """The node that takes the command although it does not serve the slot yet."""
        self.refused = False


class ClusterClient:
    """The connections of a process to all primaries."""

    sharded = True

    def __init__(
        self,
        view: ClusterView,
        *,
        greeting: Sequence[RedisCommand] = (),
        checks: Sequence[Check] = (),
        on_connect: Callable[[], None] | None = None,
        counters: StoreCounters | None = None,
    ) -> None:
        """`on_connect` is called after a connection to a node was made, and after slots have moved."""
        self._view = view
        self._greeting = tuple(greeting)
        self._checks = tuple(checks)
        self._on_connect = on_connect
        self._counters = counters or StoreCounters()
        self._clients: dict[Place, StoreClient] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Connect to all primaries; raises `StoreRefused` if one cannot be used, `StoreDown` if none answers."""
        clients = [self._opened(place) for place in self._view.map.primaries()]
        outcomes = await asyncio.gather(*(client.start() for client in clients), return_exceptions=True)
        failures = [outcome for outcome in outcomes if outcome is not None]
        grave = [one for one in failures if not isinstance(one, StoreDown)]
        if grave or len(failures) == len(clients):
            await self.stop()
            raise (grave or failures)[0]
        for client, outcome in zip(clients, outcomes, strict=True):
            if outcome is not None:
                client.start_soon()
        self._view.map.on_change.append(self._follow)

    async def stop(self) -> None:
        if self._follow in self._view.map.on_change:
            self._view.map.on_change.remove(self._follow)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(client.stop() for client in self._clients.values()))
        self._clients.clear()

    @property
    def up(self) -> bool:
        """Whether any node is connected: commands for the others wait with their callers."""
        return any(client.up for client in self._clients.values())

    def server_of(self, key: str) -> str:
        slot = slot_of(key)
        place = self._view.map.place_of(slot)
        client = None if place is None else self._clients.get(place)
        server = "" if client is None else client.server_of(key)
        return server and f"{server} {self._view.map.changes_of(slot)}"

    # --- calls --------------------------------------------------------------------------------------------------------

    async def call(self, *command: Argument) -> Any:
        return (await self.pipe((command,)))[0]

    async def each(self, *command: Argument) -> dict[str, Any]:
        clients = [self._clients[place] for place in self._view.map.primaries() if place in self._clients]
        replies = await asyncio.gather(*(client.each(*command) for client in clients))
        return {address: reply for one in replies for address, reply in one.items()}

    async def pipe(self, commands: Sequence[RedisCommand], *, errors: bool = False) -> list[Any]:
        replies = await self._run(commands)
        if not errors:
            for reply in replies:
                if isinstance(reply, StoreError):
                    raise reply
        return replies

    async def pipe_replicated(self, commands: Sequence[RedisCommand], replicas: int, wait_ms: int) -> list[Any]:
        return await self._run(commands, ("WAIT", replicas, wait_ms))

    async def _run(self, commands: Sequence[RedisCommand], wait: RedisCommand | None = None) -> list[Any]:
        """The replies to commands, which are sent to every node with the command `wait` behind them."""
        replies: list[Any] = [None] * len(commands)
        sendings = [_Sending(at, command) for at, command in enumerate(commands)]
        end = asyncio.get_running_loop().time() + _RETRY_S
        attempts = 0
        while sendings:
            sendings = await self._attempt(sendings, replies, wait)
            if not sendings or asyncio.get_running_loop().time() > end:
                break
            await self._prepare_retry(sendings, _PAUSES_S[min(attempts, len(_PAUSES_S) - 1)])
            attempts += 1
        return replies

    async def _attempt(
        self, sendings: Sequence[_Sending], replies: list[Any], wait: RedisCommand | None
    ) -> list[_Sending]:
        """Send commands to their nodes, all at once; those that have to be sent again. The replies of the others, and
        the errors of these, are put among the replies."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        sent = []
        for place, some in self._grouped(sendings).items():
            try:
                commands = _with_asking(some) if wait is None else [*_with_asking(some), wait]
                sent.append((place, some, self._client(place).request(commands)))
            except StoreError as error:
                self._view.suspect()
                for one in some:
                    replies[one.at] = error
        again: list[_Sending] = []
        for place, some, future in sent:
            try:
                received = await future
            except StoreError as error:
                for one in some:
                    replies[one.at] = error
                self._view.suspect()
                continue
            known = None if wait is None else received.pop()
            own = settled = _without_asking(some, received)
            if wait is not None:
                replicas = int(wait[1])
                settled = confirmed(own, known, replicas)
                self._counters.waited(loop.time() - begun, confirmed=is_confirmed(known, replicas))
            for one, reply, final in zip(some, own, settled, strict=True):
                replies[one.at] = final
                if isinstance(reply, Exception):
                    replies[one.at] = StoreRefused(str(reply))
                    if self._follow_refusal(one, place, str(reply)):
                        again.append(one)
        return again

    def _grouped(self, sendings: Sequence[_Sending]) -> dict[Place | None, list[_Sending]]:
        """The commands by node. A command without a key goes to the node of the first one that has a key: some ask that
        node for its time."""
        home: Place | None = None
        places: list[Place | None] = []
        for one in sendings:
            key = key_of(one.command)
            place = one.asking or (None if key is None else self._view.map.place_of(slot_of(key)))
            home = home or place
            places.append(place)
        home = home or next((place for place, client in self._clients.items() if client.up), None)
        groups: dict[Place | None, list[_Sending]] = {}
        for one, place in zip(sendings, places, strict=True):
            groups.setdefault(place or home, []).append(one)
        return groups

    def _follow_refusal(self, one: _Sending, place: Place | None, error: str) -> bool:
        """Follow a redirection or load a missing script; whether the command has to be sent again. All refusals after
        which that is so were given before the command began."""
        kind = refusal(error)
        self._counters.redirected(kind)
        one.asking = None
        if kind in (RefusalKind.MOVED, RefusalKind.ASK):
            slot, host, port = redirection(error)
            by = self._view.address_of(place or ("", 0))
            if kind is RefusalKind.MOVED:
                self._view.moved(slot, host, port, by)
            else:
                one.asking = (host or by.host, port)
                self._opened(one.asking, at_once=True)
        if kind is RefusalKind.NOSCRIPT and place in self._clients:
            self._clients[place].cast(self._greeting)
        if kind in (RefusalKind.CLUSTERDOWN, RefusalKind.READONLY):
            self._view.suspect()
        return kind in _SENT_AGAIN

    async def _prepare_retry(self, sendings: Sequence[_Sending], pause_s: float) -> None:
        """Wait for the connections to nodes that commands were redirected to."""
        if pause_s:
            await asyncio.sleep(pause_s)
        for place in self._grouped(sendings):
            if place is not None:
                await self._opened(place, at_once=True).wait_until_up(_CONNECT_S)

    def cast(self, commands: Sequence[RedisCommand]) -> None:
        self._cast([_Sending(at, command) for at, command in enumerate(commands)])

    def _cast(self, sendings: Sequence[_Sending]) -> None:
        for place, some in self._grouped(sendings).items():
            client = None if place is None else self._clients.get(place)
            if client is not None and client.up:
                client.request(_with_asking(some)).add_done_callback(partial(self._cast_answered, place, some))

    def _cast_answered(self, place: Place | None, some: list[_Sending], done: "asyncio.Future[list[Any]]") -> None:
        """Send refused commands again, at once: later commands for the same slot must stay behind them."""
        if done.cancelled() or done.exception() is not None:
            return
        again: list[_Sending] = []
        for one, reply in zip(some, _without_asking(some, done.result()), strict=True):
            if isinstance(reply, Exception):
                if self._follow_refusal(one, place, str(reply)) and not one.refused:
                    again.append(one)
                else:
                    level = logging.DEBUG if refusal(str(reply)) is RefusalKind.CLUSTERDOWN else logging.ERROR
                    log.log(level, "the store refused a command: %s", reply)
                one.refused = refusal(str(reply)) is not RefusalKind.ASK
        if again:
            self._cast(again)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _client(self, place: Place | None) -> StoreClient:
        client = None if place is None else self._clients.get(place)
        if client is None:
            raise StoreDown("no node of the Cluster serves the key, or none is connected")
        return client

    def _opened(self, place: Place, *, at_once: bool = False) -> StoreClient:
        """The client of a node, which is made if there is none. `at_once`: it connects in the background."""
        client = self._clients.get(place)
        if client is None:
            client = self._clients[place] = StoreClient(
                self._view.address_of(place),
                greeting=self._greeting,
                checks=self._checks,
                on_connect=self._connected,
                counters=self._counters,
            )
            if at_once:
                client.start_soon()
        return client

    def _connected(self) -> None:
        if self._on_connect is not None:
            self._on_connect()

    def _follow(self) -> None:
        """Slots have moved: connect to new primaries, and leave nodes without slots after a while."""
        primaries = self._view.map.primaries()
        for place in primaries:
            self._opened(place, at_once=True)
        loop = asyncio.get_running_loop()
        for place in self._clients.keys() - set(primaries):
            loop.call_later(_KEPT_S, self._leave, place)
        self._connected()

    def _leave(self, place: Place) -> None:
        if place in self._clients and place not in self._view.map.primaries():
            task = asyncio.get_running_loop().create_task(self._clients.pop(place).stop())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


def _with_asking(sendings: Sequence[_Sending]) -> list[RedisCommand]:
    """The commands to send: `ASKING` stands before each one whose slot the node does not serve yet."""
    commands: list[RedisCommand] = []
    for one in sendings:
        if one.asking:
            commands.append(("ASKING",))
        commands.append(one.command)
    return commands


def _without_asking(sendings: Sequence[_Sending], replies: Sequence[Any]) -> list[Any]:
    """The replies to the commands themselves, without those to `ASKING`."""
    if len(replies) == len(sendings):
        return list(replies)
    own, at = [], 0
    for one in sendings:
        at += bool(one.asking)
        own.append(replies[at])
        at += 1
    return own
