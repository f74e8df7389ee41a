"""Dialects over TCP: a stream that is cut into messages."""

import asyncio
import dataclasses
import socket
from collections.abc import Iterable, Mapping
from typing import cast

import pytest

from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys import events
from gateway.dialects.framing import Lines
from gateway.dialects.requests import Output
from gateway.transports import tcp
from gateway.transports.close_codes import BYE
from gateway.transports.inflow import FRAMES_PER_TURN
from gateway.transports.listeners import TcpListener, parse_listeners
from gateway.transports.tcp import TcpConnection
from shared.runtime.settings import SettingError
from tests.support.gateway_bench import PARROT, SETTINGS, GatewayBench, Parrot, settle
from tests.unit.gateway.transports.raw_websocket import Socket


class Pipe(Socket):
    """A transport that can close its sending side alone."""

    eof = False

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.eof = True


class RawClient:
    """A client over TCP that writes bytes of its own making."""

    def __init__(
        self,
        bench: GatewayBench | None = None,
        *,
        proxied: bool = False,
        dialect: Dialect = PARROT,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.bench = bench or GatewayBench()
        self.pipe = Pipe()
        self.connection = TcpConnection(self.bench.node.connections, dialect, options or {}, proxied=proxied)
        self.connection.connection_made(cast(asyncio.Transport, self.pipe))

    async def received(self) -> bytes:
        await settle()
        data, self.pipe.written = self.pipe.written, b""
        return data


async def test_a_line_is_a_message_and_so_is_its_answer() -> None:
    client = RawClient()
    client.connection.data_received(b"hel")
    client.connection.data_received(b"lo\nagain\n")
    assert await client.received() == b"hello\nagain\n"


async def test_a_line_that_is_too_long_is_told_and_the_connection_stays() -> None:
    client = RawClient()
    client.connection.data_received(b"x" * 70_000 + b"\nhello\n")
    assert await client.received() == b"frame/too_big\nhello\n"


async def test_frames_written_before_a_close_are_sent_before_it() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    connection._perform([b"last words"])
    connection.close(BYE)
    assert (await client.received(), client.pipe.eof) == (b"last words\n", True)


async def test_a_lost_connection_ends_its_session() -> None:
    client = RawClient()
    client.connection.connection_lost(None)
    assert len(client.bench.node.connections) == 0


async def test_a_client_that_does_not_read_the_last_frames_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "_CLOSE_S", 0.0)
    monkeypatch.setattr(tcp, "_ABORT_S", 0.0)
    connections = GatewayBench().node.connections
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: TcpConnection(connections, PARROT, {}), "127.0.0.1", 0)
    with socket.create_connection(server.sockets[0].getsockname()):
        while not len(connections):
            await asyncio.sleep(0)
        (connection,) = connections
        connection._perform([b"x" * 50_000_000])
        connection.close(BYE)
        while len(connections):
            await asyncio.sleep(0)
    server.close()


async def test_many_lines_of_one_read_are_handled_in_turns_and_in_order() -> None:
    client, other = RawClient(), RawClient()
    lines = b"".join(b"%d\n" % number for number in range(5 * FRAMES_PER_TURN))
    client.connection.data_received(lines)
    assert not client.pipe.is_reading()
    client.connection.data_received(b"la")
    client.connection.data_received(b"ter\n")
    other.connection.data_received(b"me, too\n")
    assert await other.received() == b"me, too\n"
    assert await client.received() == lines + b"later\n"
    assert client.pipe.is_reading()


@pytest.mark.parametrize("blanks", [b"\n", b" \r\n", b" "])
async def test_blanks_are_skipped_in_turns_and_charged_as_bytes(blanks: bytes) -> None:
    client, other = RawClient(), RawClient()
    for _ in range(5):
        client.connection.data_received(blanks * (240_000 // len(blanks)))
    other.connection.data_received(b"me, too\n")
    assert await other.received() == b"me, too\n"
    assert not client.pipe.is_reading()
    assert client.connection._inflow.bytes < 0


async def test_a_client_that_does_not_read_is_not_read_and_its_lines_wait() -> None:
    client = RawClient()
    client.connection.pause_writing()
    assert not client.pipe.is_reading()
    client.connection.data_received(b"hello\n")
    assert await client.received() == b""
    client.connection.resume_writing()
    assert await client.received() == b"hello\n"
    assert client.pipe.is_reading()


async def test_nothing_is_handled_after_the_connection_was_closed() -> None:
    client = RawClient()
    (connection,) = client.bench.node.connections
    client.connection.data_received(b"x\n" * (3 * FRAMES_PER_TURN))
    connection.close(BYE)
    assert (await client.received()).count(b"x\n") == FRAMES_PER_TURN
    assert not client.connection._frames


async def test_the_end_of_the_stream_does_not_overtake_lines() -> None:
    received: list[bytes] = []

    class Recorder(Parrot):
        def receive(self, frame: bytes) -> Iterable[Output]:
            received.append(frame)
            return ()

    connections = GatewayBench().node.connections
    dialect = Dialect("recorder", "/ws/recorder", Recorder)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: TcpConnection(connections, dialect, {}), "127.0.0.1", 0)
    sent = [b"%d" % number for number in range(900)]
    with socket.create_connection(server.sockets[0].getsockname()) as client:
        client.sendall(b"".join(line + b"\n" for line in sent))
    while not received or len(connections):
        await asyncio.sleep(0)
    assert received == sent
    server.close()


async def test_a_draining_gateway_accepts_nobody() -> None:
    bench = GatewayBench()
    bench.node.connections.accepting = False
    assert RawClient(bench).pipe.closed


# --- the preamble of a framing ----------------------------------------------------------------------------------------

JAVA = b"\xac\xed\x00\x05"


def java_talk(*, proxied: bool = False) -> RawClient:
    return RawClient(dialect=events.DIALECT, options={"compat": "group3"}, proxied=proxied)


async def test_a_java_program_gets_the_header_before_it_sends_anything() -> None:
    assert await java_talk().received() == JAVA


async def test_behind_a_proxy_the_header_follows_the_proxy_header() -> None:
    client = java_talk(proxied=True)
    assert await client.received() == b""
    client.connection.data_received(b"PROXY TCP4 203.0.113.7 10.0.0.2 51234 45678\r\n")
    assert await client.received() == JAVA


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"Login","username":"ann"}\n',
        JAVA + b"\x7c" + b"\x7f" * 8,  # a string of endless length
        JAVA + b"\x71\x00\x7e\x00\x10",  # a reference to nothing
        JAVA + b"\x73\x72\x00\x01x" + b"\x00" * 40,  # an unknown class
        JAVA + b"\x73\x75" * 200,  # deep nesting
    ],
    ids=["json", "length", "handle", "class", "depth"],
)
async def test_a_malformed_stream_gets_an_error_and_is_closed(data: bytes) -> None:
    client = java_talk()
    client.connection.data_received(data)
    assert b"it.polimi.ingsw.messages.Nack" in await client.received()
    assert client.pipe.eof
    client.connection.data_received(b"\x00" * 100)
    assert await client.received() == b""


def test_listeners_are_read_from_the_setting() -> None:
    assert parse_listeners("snarl=1234, codex=99;strict;pause=5") == [
        TcpListener("snarl", 1234, {}),
        TcpListener("codex", 99, {"strict": "", "pause": "5"}),
    ]


def test_no_setting_means_no_parse_listeners() -> None:
    assert parse_listeners("") == []


@pytest.mark.parametrize("setting", ["snarl", "snarl=", "snarl=x", "snarl=0", "snarl=65536", "=-1", "snarl;a=5"])
def test_a_setting_that_makes_no_sense_is_refused(setting: str) -> None:
    with pytest.raises(SettingError, match="TAVOLATA_TCP"):
        parse_listeners(setting)


class PausedLines(Lines):
    pause_ms = 60_000


async def test_messages_that_wait_for_a_pause_count_as_unread_bytes() -> None:
    settings = dataclasses.replace(SETTINGS, outbox_bytes=1_000)
    client = RawClient(
        GatewayBench(settings), dialect=dataclasses.replace(PARROT, framing=lambda _compat: PausedLines())
    )
    (connection,) = client.bench.node.connections
    client.connection.data_received(b"x" * 499 + b"\n")
    assert len(await client.received()) == 500
    client.connection.data_received((b"x" * 499 + b"\n") * 2)
    await settle()
    assert connection.slow_since is None
    client.connection.data_received(b"y\n")
    await settle()
    assert connection.slow_since is not None


# --- behind a proxy ---------------------------------------------------------------------------------------------------


def addresses(client: RawClient) -> list[str]:
    return [connection.address for connection in client.bench.node.connections]


def test_a_listener_can_be_told_that_a_proxy_is_in_front_of_it() -> None:
    assert parse_listeners("snarl=45678;separator=none;proxy") == [
        TcpListener("snarl", 45678, {"separator": "none"}, proxied=True)
    ]


@pytest.mark.parametrize("cut", [1, 20, 47])
async def test_a_player_behind_a_proxy_has_an_address_of_its_own(cut: int) -> None:
    client, said = RawClient(proxied=True), b"PROXY TCP4 203.0.113.7 10.0.0.2 51234 45678\r\nhello\n"
    client.connection.data_received(said[:cut])
    client.connection.data_received(said[cut:])
    assert (addresses(client), await client.received()) == (["203.0.113.7"], b"hello\n")


async def test_a_player_behind_a_proxy_is_greeted_before_it_says_anything() -> None:
    client = RawClient(proxied=True)
    client.connection.data_received(b"PROXY TCP6 2001:db8::7 2001:db8::2 51234 45678\r\n")
    assert addresses(client) == ["2001:db8::7"]


async def test_a_proxy_may_speak_for_itself() -> None:
    client = RawClient(proxied=True)
    client.connection.data_received(b"PROXY UNKNOWN\r\nhello\n")
    assert (len(addresses(client)), await client.received()) == (1, b"hello\n")


@pytest.mark.parametrize("said", [b"hello\r\n", b"PROXY TCP4 nonsense\r\n", b"x" * 200, b"\xff\xfe\r\n"])
async def test_a_connection_without_a_proxy_header_is_closed(said: bytes) -> None:
    client = RawClient(proxied=True)
    client.connection.data_received(said)
    assert (addresses(client), client.pipe.closed) == ([], True)
