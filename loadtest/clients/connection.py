"""A player's connection over time: connects, carries frames, reconnects after a loss, measures latencies."""

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from gateway.dialects.framing import Framing
from loadtest.clients.contract import Player
from loadtest.clients.tcp import FramedStream, JsonLines
from loadtest.clients.websocket import Connection, WebSocket
from loadtest.measure.measurements import Measurements
from loadtest.plan import Address
from tavolata.client.reconnecting import FINAL, reconnect_delay

CONNECT_S = 10
FAULTS = {code: FINAL[code] for code in (1008, 1009, 4001, 4006)}
"""Close codes that a correct server never sends to these clients."""


@dataclass(frozen=True, slots=True)
class Route:
    """The gateways to connect to, one after the other; over TCP if an address is given."""

    urls: tuple[str, ...]
    tcp: Address | None = None
    framing: Callable[[], Framing] | None = None
    """Makes the framing of a connection over TCP; None: JSON lines."""


class WriteCoalescer:
    """Writes the frames of all players together at the end of a tick of the event loop.

    A server on the same machine would otherwise be woken by the first frame and read the others one by one."""

    def __init__(self) -> None:
        self._pending: list[tuple[Connection, list[bytes]]] = []

    def send(self, connection: Connection, frames: list[bytes]) -> None:
        if not self._pending:
            asyncio.get_running_loop().call_soon(self.flush)
        self._pending.append((connection, frames))

    def flush(self) -> None:
        pending, self._pending = self._pending, []
        for connection, frames in pending:
            connection.send(frames)


class PlayerConnection:
    """Connects a player to a gateway. `on_change` is called whenever the player may have finished its game."""

    def __init__(
        self,
        player: Player,
        route: Route,
        start: int,
        writer: WriteCoalescer,
        measurements: Measurements,
        think_s: float,
        on_change: Callable[[], None],
    ) -> None:
        self.player = player
        self.ready = False
        """The first message has been received."""
        self.moved = False
        """The player has sent a move."""
        self.watched = False
        """Every message counts as a change."""
        self._route = route
        self._at = start
        self._writer = writer
        self._measurements = measurements
        self._think_s = think_s
        self._on_change = on_change
        self._connection: Connection | None = None
        self._transport: asyncio.Transport | None = None
        self._dialing: asyncio.Task[None] | None = None
        self._later: set[asyncio.TimerHandle] = set()
        self._ended = False
        self._losses = 0
        self._sent = 0.0
        self._moving = False
        self._player_retry: Callable[[], Iterable[bytes]] | None = getattr(player, "retry", None)
        """The `retry` of players that have one; it is called every tenth of a second."""
        player.sent_at = self._move_sent
        player.acked_at = self._move_acked

    @property
    def online(self) -> bool:
        return self._connection is not None

    # --- connecting ----------------------------------------------------------------------------------------------

    def dial(self) -> None:
        self._dialing = asyncio.create_task(self._dial())

    async def _dial(self) -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                transport = await self._connect()
        except (OSError, TimeoutError) as error:
            self.lost(1006, str(error) or "no connection in time")
            return
        self._transport = transport
        if self._connection is None:
            # The transport is connected, but the WebSocket handshake may never be answered.
            self._call_later(CONNECT_S, lambda: None if self._connection is not None else transport.abort())

    async def _connect(self) -> asyncio.Transport:
        loop = asyncio.get_running_loop()
        if self._route.tcp is not None:
            return (await loop.create_connection(self._tcp_protocol, *self._route.tcp))[0]
        base = self._route.urls[self._at % len(self._route.urls)]
        parts = urlsplit(base)
        made = await loop.create_connection(
            lambda: WebSocket(base + self.player.path, self),
            parts.hostname or "",
            parts.port or 0,
            ssl=parts.scheme == "wss" or None,
        )
        return made[0]

    def _tcp_protocol(self) -> JsonLines | FramedStream:
        framing = self._route.framing
        return JsonLines(self) if framing is None else FramedStream(self, framing())

    def connected(self, connection: Connection) -> None:
        if self._ended:
            connection.close()
            return
        self._connection = connection
        self._measurements.connections += 1
        self._send(list(self.player.open()))

    def lost(self, code: int, reason: str) -> None:
        if self._connection is not None:
            self._measurements.connections -= 1
        self._connection = self._transport = None
        self._cancel_later()
        if self._ended or (self.player.over and not hasattr(self.player, "next_game")):
            return
        if code in FAULTS:
            self.player.received.faults.append(f"the connection was closed with {code}: {FAULTS[code]} ({reason})")
            self.player.over = True
            self._on_change()
            return
        self._measurements.reconnects += 1
        self._losses += 1
        self._at += 1
        self._call_later(reconnect_delay(code, reason, self._losses, random.random()), self.dial)

    def end(self) -> None:
        """Close for good."""
        self._ended = True
        self._cancel_later()
        if self._connection is not None:
            self._writer.flush()
            self._connection.close()
        elif self._dialing is not None:
            self._dialing.cancel()

    # --- faults that the load tool makes -------------------------------------------------------------------------

    def drop(self) -> None:
        """Lose the connection. The next one is to any gateway, so that players are spread over all of them again."""
        if self._transport is not None:
            self._at = random.randrange(len(self._route.urls))
            self._transport.abort()

    def read_nothing(self, held: bool) -> None:
        """Stop reading from the socket, or read again."""
        if self._transport is None or self._transport.is_closing():
            return
        if held:
            self._transport.pause_reading()
        elif not self._transport.is_reading():
            self._transport.resume_reading()

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

    def send(self, frames: Iterable[bytes]) -> None:
        """Send frames that the driver requested from the player."""
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
        if self._connection is not None:
            self._writer.send(self._connection, frames)

    def _send_move(self, frames: list[bytes]) -> None:
        self._sent = time.perf_counter()
        if self._connection is not None:
            self._writer.send(self._connection, frames)

    def _move_sent(self) -> None:
        self._moving = True
        if not self.moved:
            self.moved = True
            self._on_change()

    def _move_acked(self) -> None:
        self._measurements.acked(self._sent, time.perf_counter())

    # --- time ----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        if self._connection is not None:
            self.send(self.player.tick())

    def retry(self) -> None:
        if self._player_retry is not None and self._connection is not None:
            self.send(self._player_retry())

    def _call_later(self, delay: float, call: Callable[[], None]) -> None:
        def run() -> None:
            self._later.discard(handle)
            call()

        handle = asyncio.get_running_loop().call_later(delay, run)
        self._later.add(handle)

    def _cancel_later(self) -> None:
        for handle in self._later:
            handle.cancel()
        self._later.clear()
