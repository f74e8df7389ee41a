"""One player's connection over time: dials, carries frames, comes back after a loss."""

import asyncio
import random
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from loadtest.clients.contract import Player
from loadtest.clients.tcp import Lines
from loadtest.clients.websocket import WebSocket, Wire
from loadtest.measure.measurements import Measurements
from loadtest.plan import Address

FIRST_DELAY_S = 0.05
LONGEST_DELAY_S = 2.0
CONNECT_S = 10
FINAL = {1008: "malformed frames", 1009: "a frame too big", 4001: "opened somewhere else"}
"""Close codes that a well-behaved client never sees."""
_COME_BACK = re.compile(r"come back in (\d+) ms")


@dataclass(frozen=True, slots=True)
class Route:
    """Where to connect to, one after the other; over TCP if an address is given."""

    urls: tuple[str, ...]
    tcp: Address | None = None


class WriteCoalescer:
    """Lets what all players say in one tick of the loop leave together. A server on the same machine would be woken for
    the first of them, and would find the next ones one by one."""

    def __init__(self) -> None:
        self._letters: list[tuple[Wire, list[bytes]]] = []

    def send(self, wire: Wire, frames: list[bytes]) -> None:
        if not self._letters:
            asyncio.get_running_loop().call_soon(self.deliver)
        self._letters.append((wire, frames))

    def deliver(self) -> None:
        letters, self._letters = self._letters, []
        for wire, frames in letters:
            wire.send(frames)


class PlayerConnection:
    """Ties a player to the network. `on_change` is called whenever the player may have come to an end."""

    def __init__(
        self,
        player: Player,
        route: Route,
        start: int,
        post: WriteCoalescer,
        figures: Measurements,
        think_s: float,
        on_change: Callable[[], None],
    ) -> None:
        self.player = player
        self.ready = False
        """The first message has come."""
        self.moved = False
        """The player has sent a move."""
        self.watched = False
        """Every message counts as a change."""
        self._route = route
        self._at = start
        self._post = post
        self._figures = figures
        self._think_s = think_s
        self._on_change = on_change
        self._wire: Wire | None = None
        self._dialing: asyncio.Task[None] | None = None
        self._later: set[asyncio.TimerHandle] = set()
        self._ended = False
        self._losses = 0
        self._sent = 0.0
        self._moving = False
        self._nudge: Callable[[], Iterable[bytes]] | None = getattr(player, "nudge", None)
        """Of players that try again sooner than with the next tick: asked every tenth of a second."""
        player.sent_at = self._move_sent
        player.acked_at = self._move_acked

    # --- connecting ----------------------------------------------------------------------------------------------

    def dial(self) -> None:
        self._dialing = asyncio.create_task(self._dial())

    async def _dial(self) -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                transport = await self._connect()
        except (OSError, TimeoutError) as fault:
            self.lost(1006, str(fault) or "no connection in time")
            return
        if self._wire is None:
            self._call_later(CONNECT_S, lambda: None if self._wire is not None else transport.abort())

    async def _connect(self) -> asyncio.WriteTransport:
        loop = asyncio.get_running_loop()
        if self._route.tcp is not None:
            return (await loop.create_connection(lambda: Lines(self), *self._route.tcp))[0]
        base = self._route.urls[self._at % len(self._route.urls)]
        parts = urlsplit(base)
        made = await loop.create_connection(
            lambda: WebSocket(base + self.player.path, self),
            parts.hostname or "",
            parts.port or 0,
            ssl=parts.scheme == "wss" or None,
        )
        return made[0]

    def connected(self, wire: Wire) -> None:
        if self._ended:
            wire.close()
            return
        self._wire = wire
        self._figures.connections += 1
        self._send(list(self.player.open()))

    def lost(self, code: int, reason: str) -> None:
        if self._wire is not None:
            self._figures.connections -= 1
        self._wire = None
        self._forget_later()
        if self._ended or (self.player.over and not hasattr(self.player, "again")):
            return
        if code in FINAL:
            self.player.told.faults.append(f"the connection was closed with {code}: {FINAL[code]} ({reason})")
            self.player.over = True
            self._on_change()
            return
        self._figures.reconnects += 1
        self._losses += 1
        self._at += 1
        named = _COME_BACK.search(reason)
        longest = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2**self._losses)
        delay = int(named[1]) / 1000 if named else random.uniform(FIRST_DELAY_S, longest)
        self._call_later(delay, self.dial)

    def end(self) -> None:
        """Close for good."""
        self._ended = True
        self._forget_later()
        if self._wire is not None:
            self._post.deliver()
            self._wire.close()
        elif self._dialing is not None:
            self._dialing.cancel()

    # --- frames --------------------------------------------------------------------------------------------------

    def receive(self, frames: list[bytes]) -> None:
        player = self.player
        out: list[bytes] = []
        for frame in frames:
            out += player.receive(frame)
        if out:
            self._send(out)
        if self._losses:
            self._losses = 0
        if not self.ready:
            self.ready = True
            self._on_change()
        if player.over or self.watched:
            self._on_change()

    def say(self, frames: Iterable[bytes]) -> None:
        """Send something that the driver made the player say."""
        out = list(frames)
        if out:
            self._send(out)

    def _send(self, frames: list[bytes]) -> None:
        if self._moving:
            self._moving = False
            self._sent = time.perf_counter()
            if self._think_s:
                self._call_later(self._think_s, lambda: self._send_move(frames))
                return
        if self._wire is not None:
            self._post.send(self._wire, frames)

    def _send_move(self, frames: list[bytes]) -> None:
        self._sent = time.perf_counter()
        if self._wire is not None:
            self._post.send(self._wire, frames)

    def _move_sent(self) -> None:
        self._moving = True
        if not self.moved:
            self.moved = True
            self._on_change()

    def _move_acked(self) -> None:
        self._figures.acked(self._sent, time.perf_counter())

    # --- time ----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        if self._wire is not None:
            self.say(self.player.tick())

    def nudge(self) -> None:
        if self._nudge is not None and self._wire is not None:
            self.say(self._nudge())

    def _call_later(self, delay: float, call: Callable[[], None]) -> None:
        def run() -> None:
            self._later.discard(handle)
            call()

        handle = asyncio.get_running_loop().call_later(delay, run)
        self._later.add(handle)

    def _forget_later(self) -> None:
        for handle in self._later:
            handle.cancel()
        self._later.clear()
