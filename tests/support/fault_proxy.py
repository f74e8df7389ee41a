"""A TCP proxy between a client and a gateway, on the test's event loop: it cuts, holds and delays on command."""

import asyncio
import socket
from collections.abc import Callable
from typing import Literal, TypeAlias

from deploy.launcher.ports import LOOPBACK

Direction: TypeAlias = Literal["up", "down"]
"""`up` is from the client to the gateway."""
SMALL = 4_096
"""Bytes that the proxy buffers per direction: a held direction soon stops the sender."""
SMALLEST_SEGMENT = 536


class FaultProxy:
    """Forwards bytes of any number of connections to the present port of a gateway."""

    def __init__(self, target: Callable[[], int]) -> None:
        self.port = 0
        self.accepted = 0
        """Connections that clients have opened so far."""
        self._target = target
        self._flowing = {"up": asyncio.Event(), "down": asyncio.Event()}
        self._delay_s = 0.0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._targets: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.release()

    @property
    def target(self) -> int:
        """The port that connections are forwarded to."""
        return self._target()

    @property
    def connections(self) -> int:
        """Open connections."""
        return len(self._writers) // 2

    @property
    def url(self) -> str:
        return f"ws://{LOOPBACK}:{self.port}"

    def redirect(self, target: Callable[[], int]) -> None:
        """Abort all connections, and forward new ones to another gateway."""
        self._target = target
        self.cut()

    async def start(self) -> "FaultProxy":
        self._server = await asyncio.start_server(self._accept, LOOPBACK, 0, limit=SMALL)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- faults -----------------------------------------------------------------------------------------------------

    def cut(self) -> None:
        """Abort all connections. New ones are accepted."""
        for writer in list(self._writers):
            writer.transport.abort()

    def hold(self, direction: Direction) -> None:
        """Forward nothing in this direction; the connections stay open."""
        self._flowing[direction].clear()

    def send_up(self, data: bytes) -> None:
        """Send bytes to the gateway as if each client had sent them."""
        for target in self._targets:
            target.write(data)

    def delay(self, seconds: float) -> None:
        """Forward everything later by this time."""
        self._delay_s = seconds

    def release(self) -> None:
        """Forward everything again, at once."""
        self._delay_s = 0.0
        for event in self._flowing.values():
            event.set()

    # --- forwarding -------------------------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            target_reader, target = await self._connect()
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, target}
        self._targets.add(target)
        both: tuple[tuple[Direction, asyncio.StreamReader, asyncio.StreamWriter], ...] = (
            ("up", reader, target),
            ("down", target_reader, writer),
        )
        for direction, source, sink in both:
            task = asyncio.create_task(self._forward(direction, source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        # The system buffers some segments for the sender, and a segment of the loopback interface has 64 KiB.
        narrow.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SMALLEST_SEGMENT)
        narrow.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(narrow, (LOOPBACK, self._target()))
        except OSError:
            narrow.close()
            raise
        return await asyncio.open_connection(sock=narrow, limit=SMALL)

    async def _forward(self, direction: Direction, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        flowing = self._flowing[direction]
        try:
            while data := await source.read(SMALL):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                await flowing.wait()
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            self._writers.discard(sink)
            self._targets.discard(sink)
            sink.transport.abort()
