"""The HTTP client: kept connections, chunked and long bodies, broken responses."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from shared.runtime.http_client import HttpClient, HttpResponse

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Answers every request with the same bytes, and counts connections."""

    def __init__(self, response: bytes, *, closing: bool = False) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.tasks: list[asyncio.Task[None] | None] = []
        self._response = response
        self._closing = closing

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.tasks.append(asyncio.current_task())
        try:
            while True:
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(self._response)
                if self._closing:
                    break
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def client_of(server: Server) -> AsyncIterator[HttpClient]:
    listener = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    client = HttpClient("127.0.0.1", listener.sockets[0].getsockname()[1])
    try:
        yield client
    finally:
        client.close()
        listener.close()
        await asyncio.gather(*filter(None, server.tasks))


async def test_requests_share_one_connection() -> None:
    server = Server(OK)
    async with client_of(server) as client:
        assert await client.get("/one") == HttpResponse(200, b"ok")
        assert await client.get("/two", {"Authorization": "Bearer x"}) == HttpResponse(200, b"ok")
    assert server.connections == 1
    assert server.requests[0].startswith(b"GET /one HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nAuthorization: Bearer x\r\n" in server.requests[1]


async def test_a_connection_that_the_server_will_close_is_not_used_again() -> None:
    server = Server(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), closing=True)
    async with client_of(server) as client:
        await client.get("/")
        await client.get("/")
    assert server.connections == 2


async def test_a_chunked_body_is_joined() -> None:
    chunked = b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    async with client_of(Server(chunked)) as client:
        assert await client.get("/") == HttpResponse(404, b"abcde")


async def test_a_body_larger_than_one_read_arrives_complete() -> None:
    body = b"x" * 3_000_000
    async with client_of(Server(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + body)) as client:
        assert (await client.get("/")).body == body


@pytest.mark.parametrize(
    "server",
    [
        lambda: Server(b"SSH-2.0-OpenSSH\r\n\r\n"),
        lambda: Server(b"", closing=True),
        lambda: Server(OK[:-1], closing=True),
    ],
    ids=["not HTTP", "no response", "half a response"],
)
async def test_a_broken_response_is_an_os_error(server: Callable[[], Server]) -> None:
    async with client_of(server()) as client:
        with pytest.raises(OSError):
            await client.get("/")


async def test_no_server_is_an_os_error() -> None:
    with pytest.raises(OSError):
        await HttpClient("127.0.0.1", 1).get("/")
