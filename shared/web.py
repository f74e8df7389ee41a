"""Serving HTTP with uvicorn inside a program that has its own life: its own sockets, signals and end."""

import asyncio
import contextlib
import socket
from collections.abc import Generator
from typing import Any

import uvicorn


class PortTaken(Exception):
    """Somebody listens there already; the text is one line."""


def listening_socket(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A socket that listens there. `shared`: several processes of this machine may do so together."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        listener.listen(4_096)
    except OSError as error:
        listener.close()
        raise PortTaken(f"cannot listen on {host}:{port}: {error.strerror}") from None
    listener.setblocking(False)
    return listener


class Server(uvicorn.Server):
    """uvicorn without its own ideas about signals, and without a timer that ticks all day."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def main_loop(self) -> None:
        await asyncio.Event().wait()


async def serve(app: Any, sockets: list[socket.socket], **config: Any) -> None:
    """Serve until cancelled."""
    settings = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", date_header=False, timeout_graceful_shutdown=1, **config
    )
    server = Server(settings)
    try:
        await server.serve(sockets)
    except asyncio.CancelledError:
        server.force_exit = True
        await server.shutdown(sockets)
        raise
