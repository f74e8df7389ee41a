"""Connects the core of a client to gateways: sockets, reconnections and timers. The program's side is in player.py."""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from tavolata.client.core import ClientCore
from tavolata.client.errors import SessionEnded
from tavolata.client.events import Event, Stage

log = logging.getLogger("tavolata.client")

CONNECT_S = 10.0
GOODBYE_S = 2.0
"""Time for the server to close the connection after `bye`."""
OPTIONS: Mapping[str, Any] = {
    "compression": None,
    "max_size": 16 * 1024 * 1024,
    "ping_interval": 5,
    "ping_timeout": 10,
    "close_timeout": 2,
    "proxy": None,
}
"""Arguments of `websockets.connect`. Pings detect a gateway that is frozen or cut off."""
_SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}


def play_url(url: str) -> str:
    """The address of the protocol at a gateway. Raises `ValueError` for an address without a host, with another scheme
    or with a malformed port."""
    malformed = ValueError(f"{url!r} is not the address of a gateway; write it like ws://127.0.0.1:8000")
    try:
        parts = urlsplit(url)
        known = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0
    except ValueError:
        raise malformed from None
    if not known:
        raise malformed
    path = parts.path if parts.path.strip("/") else "/ws/play"
    return parts._replace(scheme=_SCHEMES[parts.scheme], path=path).geturl()


class SocketDriver:
    """Runs a core: one connection after the other, to one gateway after the other, until the session is over."""

    def __init__(
        self, core: ClientCore, urls: Sequence[str], on_event: Callable[[Event], None], options: Mapping[str, Any]
    ) -> None:
        """`on_event` is called for every event of the core; it must not block."""
        self.core = core
        self._urls = [play_url(url) for url in urls]
        self._on_event = on_event
        self._options = {**OPTIONS, **options}
        self._socket: ClientConnection | None = None
        self._outgoing: list[bytes] = []
        """Frames for the present connection; there are no more of them than requests."""
        self._has_outgoing = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._said_bye = False
        self.last_fault = ""
        """The reason why the last connection was lost or could not be opened."""

    def start(self) -> None:
        """Begin to connect."""
        self._task = asyncio.create_task(self._run())

    def perform(self, events: Iterable[Event] = ()) -> None:
        """Perform what a call of the core came to: events first, then its frames and its timer."""
        for event in events:
            self._on_event(event)
        frames = self.core.take_frames()
        if frames and self._socket is not None:
            self._outgoing += frames
            self._has_outgoing.set()
        self._set_timer()

    def _set_timer(self) -> None:
        """Have `tick` called in time. A timer that is too early is left as it is: most answers come before it."""
        due = self.core.due
        if due == math.inf or self.core.over:
            return
        delay = max(0.0, due - time.monotonic())
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + delay:
                return
            self._timer.cancel()
        self._timer = loop.call_later(delay, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.perform(self.core.tick(time.monotonic()))

    # --- connections ------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            await self._keep_connected()
        except Exception:  # a fault of the client itself: the program must not wait forever
            log.exception("the client failed")
            self.perform(self.core.end(SessionEnded("client/failed", "the client failed; its log has the reason")))

    async def _keep_connected(self) -> None:
        turn = 0
        while True:
            code, reason = await self._connect_and_serve(self._urls[turn % len(self._urls)])
            self.perform(self.core.lost(code, reason, time.monotonic()))
            turn += 1
            self.last_fault = reason or f"close code {code}"
            if self.core.over:
                return
            log.info("connection lost (%s %s), next try in %.2f s", code, reason, self.core.reconnect_s)
            await asyncio.sleep(self.core.reconnect_s)

    async def _connect_and_serve(self, url: str) -> tuple[int, str]:
        """Close code and reason of one connection; 1006 if it could not be opened."""
        try:
            async with asyncio.timeout(CONNECT_S):
                socket = await open_socket(url, **self._options)
        except InvalidStatus as refused:
            status = refused.response.status_code
            if status in (400, 401, 403, 404, 405):
                text = f"{url} answered with HTTP status {status}; is it the address of a gateway?"
                self.perform(self.core.end(SessionEnded("close/1006", text)))
            return 1006, f"{url} answered with HTTP status {status}"
        except TimeoutError:
            return 1006, f"{url} did not answer within {CONNECT_S:g} s"
        except (OSError, InvalidHandshake, EOFError) as error:
            return 1006, f"{url}: {error or type(error).__name__}"
        return await self._serve(socket)

    async def _serve(self, socket: ClientConnection) -> tuple[int, str]:
        self._socket = socket
        self._outgoing = []
        writer = asyncio.create_task(self._write(socket))
        try:
            if not self.core.over:
                self.core.open(time.monotonic())
                self.perform()
            while True:
                frame = await socket.recv(decode=False)
                self.perform(self.core.receive(frame, time.monotonic()))
        except ConnectionClosed:
            return socket.close_code or 1006, socket.close_reason or ""
        finally:
            self._socket = None
            writer.cancel()
            if socket.close_code is None:
                socket.transport.abort()

    async def _write(self, socket: ClientConnection) -> None:
        try:
            while True:
                await self._has_outgoing.wait()
                self._has_outgoing.clear()
                frames, self._outgoing = self._outgoing, []
                for frame in frames:
                    await socket.send(frame, text=True)
        except ConnectionClosed:
            pass  # the reader notices it, too

    # --- the end ----------------------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """End the connection, after the server has had the time to close it itself. No task is left behind."""
        task, self._task = self._task, None
        if task is None:
            return
        try:
            if self._socket is not None and self._said_bye:
                await asyncio.wait({task}, timeout=GOODBYE_S)
            if self._socket is not None:
                await self._socket.close()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if self._timer is not None:
                self._timer.cancel()

    def say_bye(self, forget: bool) -> None:
        """End the session. `stop` must follow."""
        self._said_bye = self.core.stage is Stage.ONLINE
        self.core.close(forget)
        self.perform()
