"""uvicorn's HTTP protocol with limits: bytes of a request, requests that are sent ahead, connections.

uvicorn itself keeps a URL and headers of any length, and parses all requests of one read at once.
"""

import asyncio
import logging
from http import HTTPStatus
from typing import Any, Final, Protocol

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MOST_URL_BYTES: Final = 8 * 1024
MOST_HEAD_BYTES: Final = 16 * 1024
"""Bytes of the request line and the headers, checked as they arrive."""
MOST_HEADERS: Final = 100
MOST_REQUEST_BYTES: Final = 64 * 1024
"""Bytes of a whole request, with its body and trailers."""
MOST_AHEAD: Final = 8
"""Requests of one connection that may wait for the answer to an earlier one."""
_CHUNK_BYTES: Final = 8 * 1024
"""Bytes that the parser is given at once."""

log = logging.getLogger("tavolata.http")
log.setLevel(logging.ERROR)  # uvicorn has a warning for every malformed request


class ConnectionCounter(Protocol):
    """Counts the connections that are not WebSockets, or not yet."""

    def enter(self, peer: str) -> bool:
        """False: there are too many. `leave` is called in either case."""

    def leave(self, peer: str) -> None: ...


class _Refusal(Exception):
    """Ends the parsing; uvicorn then calls `send_400_response`."""


class LimitedHttpProtocol(HttpToolsProtocol):
    """One HTTP connection. A request beyond a limit is answered with its status, and the connection is closed."""

    def __init__(self, counter: ConnectionCounter | None, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.logger = log
        self._counter = counter
        self._peer: str | None = None
        """The address under which the connection is counted; None: it is not counted."""
        self._upgraded = False
        self._in_head = False
        self._request_bytes = 0
        self._refusal: HTTPStatus | None = None

    # --- connections --------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._counter is not None:
            self._peer = self.client[0] if self.client else "local"
            if not self._counter.enter(self._peer):
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_counting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._upgraded = True
        self._stop_counting()  # from here on the WebSocket is counted
        super().handle_websocket_upgrade()

    def _stop_counting(self) -> None:
        if self._counter is not None and self._peer is not None:
            self._counter.leave(self._peer)
            self._peer = None

    # --- requests -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _CHUNK_BYTES):
            if self._upgraded or self.transport.is_closing():
                return
            chunk = data[start : start + _CHUNK_BYTES]
            self._request_bytes += len(chunk)
            super().data_received(chunk)
            if self._in_head and self._request_bytes > MOST_HEAD_BYTES:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
            elif self._request_bytes > MOST_REQUEST_BYTES:
                self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._request_bytes = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > MOST_URL_BYTES:
            self._stop_parsing(HTTPStatus.REQUEST_URI_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            self._stop_parsing(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._in_head = False
        if len(self.pipeline) >= MOST_AHEAD:
            self._stop_parsing(HTTPStatus.TOO_MANY_REQUESTS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._request_bytes = 0
        super().on_message_complete()

    # --- refusals -----------------------------------------------------------------------------------------------------

    def _stop_parsing(self, status: HTTPStatus) -> None:
        self._refusal = status
        raise _Refusal

    def send_400_response(self, msg: str) -> None:
        if self._refusal is None:
            super().send_400_response(msg)
        else:
            self._refuse(self._refusal)

    def _refuse(self, status: HTTPStatus) -> None:
        if not self.transport.is_closing():
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()
