"""A small HTTP client for our own tools: GET requests, one after the other, over a connection that is kept open.

It does not follow redirects, pool connections or retry. `httptools` parses the responses.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from httptools import HttpParserError, HttpResponseParser

_READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class HttpResponse:
    status: int
    body: bytes


class _ResponseReader:
    """One response while it arrives: feeds the parser and receives its callbacks."""

    def __init__(self) -> None:
        self.complete = False
        self.keep_alive = False
        self._parser = HttpResponseParser(self)
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            raise ConnectionError(f"malformed HTTP response: {error}") from None

    def response(self) -> HttpResponse:
        return HttpResponse(self._parser.get_status_code(), b"".join(self._parts))

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        self.complete = True
        self.keep_alive = self._parser.should_keep_alive()  # the parser has the answer during this callback only


class HttpClient:
    """Requests to one server. It connects with the first request, and again after the connection was closed."""

    def __init__(self, host: str, port: int, *, tls: bool = False) -> None:
        self._host = host
        self._port = port
        self._tls = tls
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        """Raises `OSError` if there is no connection, if it breaks, or if the response is malformed."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, ssl=self._tls or None)
        reader, writer = self._streams
        writer.write(self._request(path, headers or {}))
        incoming = _ResponseReader()
        try:
            while not incoming.complete:
                data = await reader.read(_READ_BYTES)
                if not data:
                    raise ConnectionResetError("the server closed the connection")
                incoming.feed(data)
        finally:
            # Also after an error or a cancellation: the rest of the response must not be read as the next one.
            if not incoming.keep_alive:
                self.close()
        return incoming.response()

    def _request(self, path: str, headers: Mapping[str, str]) -> bytes:
        host = f"[{self._host}]" if ":" in self._host else self._host
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{self._port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
