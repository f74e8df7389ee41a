"""A pub/sub subscription on a connection of its own."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from shared.bus.address import Address
from shared.bus.connection import StoreConnection, connect
from shared.bus.store import OnMessage, StoreDown, StoreRefused


class Subscription:
    """Channels of pub/sub on a connection of their own, subscribed again after every loss.

    `on_gap` is called after every (re)subscription: what was said before may be lost."""

    def __init__(self, address: Address, *, silence_s: float = 5.0) -> None:
        self._address = address
        self._silence_s = silence_s
        self._keeper: asyncio.Task[None] | None = None
        self._wire: StoreConnection | None = None

    def start(self, channels: Sequence[str], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        self._keeper = asyncio.create_task(self._keep(tuple(channels), on_message, on_gap))

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._wire is not None:
            self._wire.abort()

    async def _keep(self, channels: tuple[str, ...], on_message: OnMessage, on_gap: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        pending = 0

        def push(reply: Any) -> None:
            nonlocal pending
            if isinstance(reply, list) and reply[0] == b"message":
                on_message(reply[1].decode(), reply[2])
            elif isinstance(reply, list) and reply[0] == b"subscribe":
                pending -= 1
                if not pending:
                    on_gap()

        pause = 0.05
        while True:
            lost = asyncio.Event()
            pending = len(channels)
            try:
                self._wire = await connect(self._address, lost.set, on_push=push)
            except (StoreDown, StoreRefused):
                await asyncio.sleep(pause)
                pause = min(pause * 1.6, 1.0)
                continue
            pause = 0.05
            wire = self._wire
            wire.push((("SUBSCRIBE", *channels),))
            while wire.open:
                try:
                    async with asyncio.timeout(self._silence_s / 3):
                        await lost.wait()
                except TimeoutError:
                    if loop.time() - wire.last_heard > self._silence_s:
                        wire.abort()
                    else:
                        wire.push((("PING",),))
