"""HTTP connections that never come to the point."""

import asyncio
import contextlib
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shared.runtime import http_server

GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\n"


class Site:
    """A page that takes its time."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers = asyncio.Event()

    async def page(self, request: Request) -> Response:
        await request.body()
        await self.answers.wait()
        return Response("there")

    async def visit(self, said: bytes) -> tuple[StreamReader, StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(said)
        return reader, writer


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    monkeypatch.setattr(http_server, "IDLE_CHECK_S", 0.1)
    listener = http_server.listening_socket("127.0.0.1", 0)
    site = Site(listener.getsockname()[1])
    app = Starlette(routes=[Route("/", site.page, methods=["GET", "POST"])])
    serving = asyncio.create_task(http_server.serve(app, [listener]))
    yield site
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


@pytest.mark.parametrize("said", [b"", GET[:20], POST + b"ab"], ids=["nothing", "half a head", "half a body"])
async def test_a_connection_without_a_complete_request_is_closed(site: Site, said: bytes) -> None:
    reader, writer = await site.visit(said)
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


async def test_a_connection_without_a_complete_second_request_is_closed(site: Site) -> None:
    site.answers.set()
    reader, writer = await site.visit(GET + GET[:20])
    async with asyncio.timeout(4):
        assert (await reader.read()).endswith(b"there")
    writer.close()


async def test_a_connection_that_waits_for_its_answer_is_not_closed(site: Site) -> None:
    (patient, one), (closed, other) = await site.visit(GET), await site.visit(b"")
    async with asyncio.timeout(5):
        assert await closed.read() == b""
        site.answers.set()
        assert (await patient.readuntil(b"there")).startswith(b"HTTP/1.1 200")
    one.close()
    other.close()
