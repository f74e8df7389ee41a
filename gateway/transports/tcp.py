"""Dialects over plain TCP: a thin thing that cuts the stream into messages. The dialects do not know of it."""

import asyncio
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from gateway.desk import Desk
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.framing import Framing
from gateway.session.session import Session
from gateway.transports.close_codes import CloseCode
from shared.errors import ProtocolError
from shared.runtime.settings import SettingError

_CLOSE_S = 1.0
_ABORT_S = 10.0
"""For a peer that does not read what is left."""
_PROXIED = "proxy"
_HEADER_S = 5.0
_MOST_HEADER = 107
"""Bytes of a PROXY header of version 1, with its line end."""


@dataclass(frozen=True, slots=True)
class TcpListener:
    """A dialect on a port of its own, with options of its own."""

    dialect: str
    port: int
    options: Mapping[str, str]
    proxied: bool = False
    """A proxy is in front of it, and says in a PROXY header whom it speaks for."""


def listeners(setting: str) -> list[TcpListener]:
    """From `NAME=PORT[;OPTION[=VALUE]...]`, separated by commas; raises `SettingError`. The option `proxy` is our own,
    the others are the dialect's."""
    found = []
    for part in filter(None, (part.strip() for part in setting.split(","))):
        place, *options = (piece.strip() for piece in part.split(";"))
        name, equals, port = place.partition("=")
        if not equals or not port.isdigit() or not 0 < int(port) < 65_536:
            raise SettingError(f"TAVOLATA_TCP: {part!r} is not of the form NAME=PORT[;OPTION[=VALUE]...]")
        proxied = _PROXIED in options
        pairs = (option.partition("=") for option in options if option and option != _PROXIED)
        found.append(TcpListener(name, int(port), {key.strip(): value.strip() for key, _, value in pairs}, proxied))
    return found


def proxied_address(header: bytes) -> str | None:
    """Whom a proxy speaks for, from the first line of the connection (PROXY protocol, version 1): empty if for itself,
    None if it is no such header."""
    match header.decode("ascii", "replace").split(" "):
        case ["PROXY", "TCP4" | "TCP6", address, _, _, _]:
            return address
        case ["PROXY", "UNKNOWN", *_]:
            return ""
    return None


def _keep_alive(transport: asyncio.BaseTransport) -> None:
    """Let the system find out about peers that vanished without a word."""
    peer: socket.socket | None = transport.get_extra_info("socket")
    if peer is not None:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)


class TcpConnection(asyncio.Protocol):
    """One TCP connection. It is also the transport that its session writes to."""

    def __init__(self, desk: Desk, dialect: Dialect, options: Mapping[str, str], *, proxied: bool = False) -> None:
        self._desk = desk
        self._dialect = dialect
        self._options = options
        self._header: bytes | None = b"" if proxied else None
        """What has come of the proxy's header; none: we do not wait for one."""
        self._framing: Framing = dialect.framing(options)
        self._transport: asyncio.Transport | None = None
        self._session: Session | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._waiting: deque[bytes] = deque()
        self._writer: asyncio.TimerHandle | None = None
        self._ending = False
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=self._desk.settings.outbox_bytes)
        _keep_alive(transport)
        if self._desk.draining:
            self._transport.close()
        elif self._header is None:
            self._begin(self._peer())
        else:
            self._idle = self._loop.call_later(_HEADER_S, self._transport.close)

    def _peer(self) -> str:
        assert self._transport is not None
        return str((self._transport.get_extra_info("peername") or ("local",))[0])

    def _begin(self, address: str) -> None:
        assert self._transport is not None
        host, port, *_ = self._transport.get_extra_info("sockname") or ("", 0)
        opening = Opening({}, self._desk.rooms, self._options, "tcp", (host, port))
        self._session = Session(self._desk, self, self._dialect, opening, address)
        self._session.open()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        for timer in (self._idle, self._writer):
            if timer is not None:
                timer.cancel()
        if self._session is not None:
            self._session.lost()

    def eof_received(self) -> None:
        """A peer that sends no more is gone, even if it would still read."""

    def pause_writing(self) -> None:
        if self._session is not None:
            self._session.pause()

    def resume_writing(self) -> None:
        if self._session is not None:
            self._session.resume()

    def data_received(self, data: bytes) -> None:
        if self._header is not None:
            data = self._read_header(self._header + data)
            if not data:
                return
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._hand_over(self._framing.feed(data))
        if self._framing.idle_ms and self._transport is not None:
            self._idle = self._loop.call_later(self._framing.idle_ms / 1_000, self._fell_silent)

    def _read_header(self, data: bytes) -> bytes:
        """What follows the proxy's header, once that is complete."""
        assert self._transport is not None
        header, end, rest = data.partition(b"\r\n")
        address = proxied_address(header) if end else None
        if address is not None and not self._desk.draining:
            self._header = None
            if self._idle is not None:
                self._idle.cancel()
                self._idle = None
            self._begin(address or self._peer())
            return rest
        self._header = data
        if end or len(data) >= _MOST_HEADER:
            self._transport.close()
        return b""

    def _fell_silent(self) -> None:
        self._idle = None
        self._hand_over(self._framing.idle())

    def _hand_over(self, frames: list[bytes | ProtocolError]) -> None:
        for frame in frames:
            if self._session is None or self._session.closed:
                return
            if isinstance(frame, bytes):
                self._session.receive(frame)
            else:
                self._session.garbage(frame.code)
                if frame.code == "frame/endless":
                    self._session.hang_up(CloseCode(1009, str(frame)))

    # --- the session's transport ------------------------------------------------------------------------------------

    def send(self, messages: list[bytes]) -> None:
        if self._transport is None:
            return
        framed = [self._framing.frame(message) for message in messages]
        if not self._framing.pause_ms:
            self._transport.write(b"".join(framed))
            return
        self._waiting.extend(framed)
        if self._writer is None:
            self._write_one()

    def _write_one(self) -> None:
        """With a minimum pause between messages: one now, the next when the pause is over."""
        self._writer = None
        if self._transport is None:
            return
        if self._waiting:
            self._transport.write(self._waiting.popleft())
            self._writer = self._loop.call_later(self._framing.pause_ms / 1_000, self._write_one)
        elif self._ending:
            self._end()

    def close(self, why: CloseCode) -> None:
        """TCP knows no reasons. What is left is sent, then the sending side is shut, and a moment later the rest."""
        self._ending = True
        if self._writer is None:
            self._end()

    def _end(self) -> None:
        transport = self._transport
        if transport is not None and not transport.is_closing():
            if transport.can_write_eof():
                transport.write_eof()
            self._loop.call_later(_CLOSE_S, transport.close)
            self._loop.call_later(_ABORT_S, transport.abort)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def ping(self) -> bool:
        """Plain TCP has no pings, and a person at a terminal may think for long; dialects have their own limits."""
        return False

    def buffered(self) -> int:
        waiting = sum(map(len, self._waiting))
        return waiting + (self._transport.get_write_buffer_size() if self._transport is not None else 0)
