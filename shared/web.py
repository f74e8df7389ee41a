"""Serving HTTP with uvicorn inside a program that has its own life: its own sockets, signals and end."""

import asyncio
import socket
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
    """uvicorn without its own ideas about signals."""

    def install_signal_handlers(self) -> None:
        """We have our own."""


async def serve(app: Any, sockets: list[socket.socket], **config: Any) -> None:
    """Serve until cancelled."""
    server = Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", **config))
    server.config.load()
    await server.startup(sockets=sockets)
    try:
        await asyncio.Event().wait()
    finally:
        server.force_exit = True
        await server.shutdown(sockets=sockets)
