"""A pub/sub subscription on a connection of its own."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from shared.bus.address import Address
from shared.bus.connection import FIRST_PAUSE_S, Check, Endpoint, StoreConnection, connect, longer
from shared.bus.store import OnMessage, StoreDown, StoreRefused
from shared.bus.store_counters import StoreCounters
from shared.runtime.events import set_within


class Subscription:
    """Channels of pub/sub, subscribed again after every loss of the connection.

    `on_gap` is called after every (re)subscription: pub/sub keeps nothing, so earlier messages may be lost."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        checks: Sequence[Check] = (),
        silence_s: float = 5.0,
        counters: StoreCounters | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._counters = counters or StoreCounters()
        self._checks = tuple(checks)
        self._silence_s = silence_s
        self._task: asyncio.Task[None] | None = None
        self._connection: StoreConnection | None = None
        self._address: Address | None = None

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._task = asyncio.create_task(self._run(tuple(channels), on_message, on_gap))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._connection is not None:
            self._connection.abort()

    def moved(self, address: Address) -> None:
        """The server to use is the one at this address."""
        if self._connection is not None and address != self._address:
            self._connection.abort()

    async def _run(self, channels: tuple[str, ...], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            lost = asyncio.Event()
            receiver = _Receiver(len(channels), on_message, on_gap)
            try:
                self._address = await self._endpoint.find()
                self._connection = await connect(self._address, lost.set, checks=self._checks, on_push=receiver.receive)
            except (StoreDown, StoreRefused):
                await asyncio.sleep(pause_s)
                pause_s = longer(pause_s)
                continue
            pause_s = FIRST_PAUSE_S
            self._connection.push((("SUBSCRIBE", *channels),))
            await self._watch(self._connection, lost)
            self._counters.reconnects += 1

    async def _watch(self, connection: StoreConnection, lost: asyncio.Event) -> None:
        """Return when the connection is lost. On quiet channels only the replies to pings show that it is not."""
        loop = asyncio.get_running_loop()
        while connection.open:
            if await set_within(lost, self._silence_s / 3):
                continue
            if loop.time() - connection.last_received > self._silence_s:
                connection.abort()
            else:
                connection.push((("PING",),))


class _Receiver:
    """Separates the messages of one connection from the confirmations of its subscriptions."""

    def __init__(self, channels: int, on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._unconfirmed = channels
        self._on_message = on_message
        self._on_gap = on_gap

    def receive(self, reply: Any) -> None:
        if not isinstance(reply, list):
            return
        if reply[0] == b"message":
            self._on_message(reply[1].decode(), reply[2])
        elif reply[0] == b"subscribe":
            self._unconfirmed -= 1
            if not self._unconfirmed:
                self._on_gap()
