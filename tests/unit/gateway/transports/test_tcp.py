"""Dialects over TCP: a stream that is cut into messages."""

import asyncio
import socket
from typing import cast

import pytest

from gateway.transports import tcp
from gateway.transports.close_codes import BYE
from gateway.transports.listeners import TcpListener, parse_listeners
from gateway.transports.tcp import TcpConnection
from shared.runtime.settings import SettingError
from tests.support.gateway_bench import PARROT, GatewayBench, settle
from tests.unit.gateway.transports.test_websocket import Socket


class Pipe(Socket):
    eof = False

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.eof = True


class Talk:
    def __init__(self, bench: GatewayBench | None = None, *, proxied: bool = False) -> None:
        self.bench = bench or GatewayBench()
        self.pipe = Pipe()
        self.connection = TcpConnection(self.bench.node.connections, PARROT, {}, proxied=proxied)
        self.connection.connection_made(cast(asyncio.Transport, self.pipe))

    async def heard(self) -> bytes:
        await settle()
        data, self.pipe.written = self.pipe.written, b""
        return data


async def test_a_line_is_a_message_and_so_is_its_answer() -> None:
    talk = Talk()
    talk.connection.data_received(b"hel")
    talk.connection.data_received(b"lo\nagain\n")
    assert await talk.heard() == b"hello\nagain\n"


async def test_a_line_that_is_too_long_is_told_and_the_connection_stays() -> None:
    talk = Talk()
    talk.connection.data_received(b"x" * 70_000 + b"\nhello\n")
    assert await talk.heard() == b"frame/too_big\nhello\n"


async def test_what_was_said_is_sent_before_the_end() -> None:
    talk = Talk()
    (connection,) = talk.bench.node.connections
    connection._perform([b"last words"])
    connection.close(BYE)
    assert (await talk.heard(), talk.pipe.eof) == (b"last words\n", True)


async def test_a_lost_connection_ends_its_session() -> None:
    talk = Talk()
    talk.connection.connection_lost(None)
    assert len(talk.bench.node.connections) == 0


async def test_who_does_not_read_the_last_words_cannot_keep_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_a_draining_gateway_accepts_nobody() -> None:
    bench = GatewayBench()
    bench.node.connections.accepting = False
    assert Talk(bench).pipe.closed


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


# --- behind a proxy ---------------------------------------------------------------------------------------------------


def addresses(talk: Talk) -> list[str]:
    return [connection.address for connection in talk.bench.node.connections]


def test_a_listener_can_be_told_that_a_proxy_is_in_front_of_it() -> None:
    assert parse_listeners("snarl=45678;separator=none;proxy") == [
        TcpListener("snarl", 45678, {"separator": "none"}, proxied=True)
    ]


@pytest.mark.parametrize("cut", [1, 20, 47])
async def test_a_player_behind_a_proxy_has_an_address_of_its_own(cut: int) -> None:
    talk, said = Talk(proxied=True), b"PROXY TCP4 203.0.113.7 10.0.0.2 51234 45678\r\nhello\n"
    talk.connection.data_received(said[:cut])
    talk.connection.data_received(said[cut:])
    assert (addresses(talk), await talk.heard()) == (["203.0.113.7"], b"hello\n")


async def test_a_player_behind_a_proxy_is_greeted_before_it_says_anything() -> None:
    talk = Talk(proxied=True)
    talk.connection.data_received(b"PROXY TCP6 2001:db8::7 2001:db8::2 51234 45678\r\n")
    assert addresses(talk) == ["2001:db8::7"]


async def test_a_proxy_may_speak_for_itself() -> None:
    talk = Talk(proxied=True)
    talk.connection.data_received(b"PROXY UNKNOWN\r\nhello\n")
    assert (len(addresses(talk)), await talk.heard()) == (1, b"hello\n")


@pytest.mark.parametrize("said", [b"hello\r\n", b"PROXY TCP4 nonsense\r\n", b"x" * 200, b"\xff\xfe\r\n"])
async def test_who_comes_past_the_proxy_is_hung_up_on(said: bytes) -> None:
    talk = Talk(proxied=True)
    talk.connection.data_received(said)
    assert (addresses(talk), talk.pipe.closed) == ([], True)
