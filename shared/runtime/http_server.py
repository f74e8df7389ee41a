"""Serving HTTP with uvicorn inside a program that has its own life: its own sockets, signals and end."""

import asyncio
import contextlib
import socket
from collections.abc import Generator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PATIENCE_S = 10.0


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
    """uvicorn without its own ideas about signals, and with a timer that rarely ticks."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def main_loop(self) -> None:
        """Close the connections that wait for the rest of the same request at two looks in a row."""
        waiting: dict[HttpToolsProtocol, object] = {}
        while True:
            await asyncio.sleep(PATIENCE_S)
            before, waiting = (
                waiting,
                {
                    connection: connection.cycle
                    for connection in self.server_state.connections
                    if isinstance(connection, HttpToolsProtocol) and _unasked(connection)
                },
            )
            for connection, cycle in waiting.items():
                if connection in before and before[connection] is cycle:
                    connection.transport.close()


def _unasked(connection: HttpToolsProtocol) -> bool:
    """Whether there is no whole request that is being answered. uvicorn itself closes only those that are silent after
    an answer."""
    cycle = connection.cycle
    return cycle is None or cycle.response_complete or cycle.more_body


async def serve(app: Any, sockets: list[socket.socket], **config: Any) -> None:
    """Serve until cancelled."""
    settings = uvicorn.Config(
        app,
        http="httptools",
        log_config=None,
        access_log=False,
        lifespan="off",
        date_header=False,
        timeout_graceful_shutdown=1,
        **config,
    )
    server = Server(settings)
    try:
        await server.serve(sockets)
    except asyncio.CancelledError:
        server.force_exit = True
        await server.shutdown(sockets)
        raise
