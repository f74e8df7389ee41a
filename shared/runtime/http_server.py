"""Serves HTTP with uvicorn inside a program that keeps its own sockets and handles its own signals and shutdown."""

import asyncio
import contextlib
import functools
import socket
from collections.abc import Generator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from shared.runtime.http_protocol import ConnectionCounter, LimitedHttpProtocol

IDLE_CHECK_S = 10.0
"""Seconds between two checks for connections without a complete request."""


class PortTaken(Exception):
    """The port cannot be listened on; the text says why, in one line."""


def listening_socket(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket. `shared`: several processes of this machine may listen on the same port."""
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
    """A uvicorn server without signal handlers, and with a timer that rarely fires."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def main_loop(self) -> None:
        """Close connections that wait for the rest of the same request at two checks in a row."""
        waiting: dict[HttpToolsProtocol, object] = {}
        while True:
            await asyncio.sleep(IDLE_CHECK_S)
            before, waiting = (
                waiting,
                {
                    connection: connection.cycle
                    for connection in self.server_state.connections
                    if isinstance(connection, HttpToolsProtocol) and _awaits_request(connection)
                },
            )
            for connection, cycle in waiting.items():
                if connection in before and before[connection] is cycle:
                    connection.transport.close()


def _awaits_request(connection: HttpToolsProtocol) -> bool:
    """Whether no complete request is being answered. uvicorn itself only closes connections that are idle after a
    response."""
    cycle = connection.cycle
    return cycle is None or cycle.response_complete or cycle.more_body


async def serve(
    app: Any,
    sockets: list[socket.socket],
    counter: ConnectionCounter | None = None,
    leave_shared: asyncio.Event | None = None,
    **config: Any,
) -> None:
    """Serve until cancelled. `counter` limits the number of HTTP connections. Once `leave_shared` is set, connections
    are accepted on the first socket alone: the operating system would give this process its share of all new ones."""
    settings = uvicorn.Config(
        app,
        http=functools.partial(LimitedHttpProtocol, counter),  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        lifespan="off",
        proxy_headers=False,  # uvicorn would trust these headers from any local client; we read them ourselves
        date_header=False,
        timeout_graceful_shutdown=1,
        **config,
    )
    server = Server(settings)
    leaving = asyncio.ensure_future(_leave(server, leave_shared)) if leave_shared is not None else None
    try:
        await server.serve(sockets)
    except asyncio.CancelledError:
        server.force_exit = True
        await server.shutdown(sockets)
        raise
    finally:
        if leaving is not None:
            leaving.cancel()


async def _leave(server: Server, leave_shared: asyncio.Event) -> None:
    await leave_shared.wait()
    for listener in server.servers[1:]:
        listener.close()
