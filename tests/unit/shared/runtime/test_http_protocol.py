"""The limits of HTTP: sizes as bytes arrive, requests that are sent ahead, connections."""

import asyncio
from collections import Counter
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from shared.runtime.http_protocol import (
    MOST_AHEAD,
    MOST_HEAD_BYTES,
    MOST_HEADERS,
    MOST_REQUEST_BYTES,
    MOST_URL_BYTES,
    LimitedHttpProtocol,
)

PEER = "10.1.2.3"
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
READ = 64 * 1024


class CountedConnections:
    """A counter with a limit."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.most = 100

    def enter(self, peer: str) -> bool:
        self.open[peer] += 1
        return self.open.total() <= self.most

    def leave(self, peer: str) -> None:
        self.open[peer] -= 1


class RecordingTransport(asyncio.Transport):
    """A transport that records what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": (PEER, 5)})
        self.written = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self.closed:
            self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        pass


class UpgradedProtocol(asyncio.Protocol):
    """The protocol of WebSockets."""

    def __init__(self, **options: Any) -> None:
        pass


class Visit:
    """One connection to a page that counts its requests."""

    def __init__(self, counter: CountedConnections | None = None) -> None:
        self.requests = 0
        self.counter = counter or CountedConnections()
        self.transport = RecordingTransport()
        config = uvicorn.Config(
            self._page,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            ws=cast(Any, UpgradedProtocol),
            server_header=False,
        )
        self.protocol = LimitedHttpProtocol(self.counter, config=config, server_state=ServerState(), app_state={})
        self.protocol.connection_made(self.transport)

    async def _page(self, scope: Any, receive: Any, send: Any) -> None:
        self.requests += 1
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"there"})

    async def send(self, data: bytes) -> list[int]:
        """Send in reads until the server closes; returns the statuses of its answers."""
        for start in range(0, len(data), READ):
            if self.transport.closed:
                break
            self.protocol.data_received(data[start : start + READ])
        for _ in range(100):
            await asyncio.sleep(0)
        lines = self.transport.written.split(b"HTTP/1.1 ")[1:]
        return [int(line[:3]) for line in lines]

    def end(self) -> None:
        self.protocol.connection_lost(None)


@pytest.mark.parametrize(
    "said",
    [
        GET,
        b"GET /?" + b"u" * (MOST_URL_BYTES - 10) + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * MOST_HEADERS + b"\r\n",
        b"GET / HTTP/1.1\r\nX-Filler: " + b"x" * (MOST_HEAD_BYTES - 100) + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 50000\r\n\r\n" + b"b" * 50_000,
    ],
    ids=("plain", "url", "number of headers", "bytes of headers", "body"),
)
async def test_a_request_within_the_limits_is_answered(said: bytes) -> None:
    visit = Visit()
    assert await visit.send(said) == [200]
    assert not visit.transport.closed
    assert await visit.send(GET) == [200, 200]
    visit.end()


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET /?" + b"x" * (MOST_URL_BYTES + 1) + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * (MOST_HEADERS + 1) + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nX-Filler: " + b"x" * 2 * MOST_HEAD_BYTES, 431),
        (b"POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + b"b" * 2 * MOST_REQUEST_BYTES, 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: " + b"t" * 2 * MOST_REQUEST_BYTES, 413),
        (b"nonsense\r\n\r\n", 400),
    ],
    ids=("url", "number of headers", "bytes of headers", "body", "trailers", "malformed"),
)
async def test_a_request_beyond_a_limit_is_refused_and_closes_the_connection(said: bytes, status: int) -> None:
    for cut in (len(said), 5, 100):
        visit = Visit()
        await visit.send(said[:cut])
        assert await visit.send(said[cut:]) == [status]
        assert visit.transport.closed
        visit.end()


@pytest.mark.parametrize("beginning", [b"GET /", b"GET / HTTP/1.1\r\nX-Filler: "], ids=("url", "header"))
async def test_a_head_that_comes_in_drops_is_limited_too(beginning: bytes) -> None:
    visit = Visit()
    visit.protocol.data_received(beginning)
    sent = 0
    while not visit.transport.closed and sent < 1_000_000:
        visit.protocol.data_received(b"x" * 100)
        sent += 100
    assert sent <= MOST_HEAD_BYTES + 100
    assert visit.requests == 0
    visit.end()


async def test_requests_that_are_sent_far_ahead_end_the_connection() -> None:
    visit = Visit()
    visit.protocol.data_received(GET * 1_000)
    assert b"HTTP/1.1 429" in visit.transport.written
    assert visit.transport.closed
    await visit.send(b"")
    assert visit.requests <= MOST_AHEAD + 1
    visit.end()


async def test_a_few_requests_may_be_sent_ahead() -> None:
    visit = Visit()
    assert await visit.send(GET * MOST_AHEAD) == [200] * MOST_AHEAD
    visit.end()


async def test_a_connection_is_counted_before_it_has_sent_anything() -> None:
    visit = Visit()
    assert visit.counter.open[PEER] == 1
    visit.end()
    assert visit.counter.open[PEER] == 0


async def test_an_upgraded_connection_is_no_longer_counted_as_one_of_http() -> None:
    visit = Visit()
    await visit.send(b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    assert visit.counter.open[PEER] == 0
    assert visit.requests == 0


async def test_one_connection_too_many_is_refused() -> None:
    counter = CountedConnections()
    counter.most = 1
    first, second = Visit(counter), Visit(counter)
    assert not first.transport.closed
    assert second.transport.closed
    assert await second.send(GET) == [503]
    second.end()
    third = Visit(counter)
    assert third.transport.closed
    first.end()
    third.end()
    assert not Visit(counter).transport.closed
