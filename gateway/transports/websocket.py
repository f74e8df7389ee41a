"""WebSockets: a protocol that uvicorn hands its upgraded connections to. Small whole text messages take a short way;
handshakes, control frames and everything unusual go through the `websockets` library (docs/decisions/0002)."""

import asyncio
import logging
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from gateway.desk import Desk
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.framing import MOST_BYTES
from gateway.session.session import Session
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from gateway.transports.limits import client_address, listed
from shared.errors import ProtocolError

try:
    from websockets.speedups import apply_mask
except ImportError:  # pragma: no cover - a platform without the C extension
    from websockets.utils import apply_mask

log = logging.getLogger("tavolata.websocket")
log.setLevel(logging.WARNING)  # the library has a line for every connection

_ENDLESS = 16 * 1024 * 1024
"""A message beyond this is not even skipped."""
_CLOSE_S = 2.0
_ABORT_S = 10.0
_TEXT = 0x81
_MASKED = 0x80
_SHORT = 126
"""Payloads below this have their length in the second byte."""
_COMMON = 1_024
"""Messages below this are many; their heads are made in advance."""


class WebSocket(asyncio.Protocol):
    """One WebSocket. It is also the transport that its session writes to."""

    def __init__(self, desk: Desk, dialects: Mapping[str, Dialect], **uvicorn: Any) -> None:
        self._desk = desk
        self._dialects = dialects
        self._connections: set[Any] = uvicorn["server_state"].connections
        self._conn = ServerProtocol(max_size=None, logger=log)
        self._transport: asyncio.Transport | None = None
        self._session: Session | None = None
        self._rest = b""
        self._skip = 0
        self._skipped = 0
        """The first byte of the frame that is being skipped."""
        self._too_big = False
        self._fragments: bytearray | None = None
        """The message so far, of one that comes in fragments."""
        self._fragments_opcode = Opcode.TEXT

    # --- what uvicorn and the loop call -----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        self._transport.set_write_buffer_limits(high=self._desk.settings.outbox_bytes)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._transport = None
        if self._session is not None:
            self._session.lost()

    def pause_writing(self) -> None:
        if self._session is not None:
            self._session.pause()

    def resume_writing(self) -> None:
        if self._session is not None:
            self._session.resume()

    def eof_received(self) -> None:
        pass

    def shutdown(self) -> None:
        """uvicorn stops. By then the gateway has closed its sockets in waves; this is for stragglers."""
        self.close(close_codes.restart(0))

    def data_received(self, data: bytes) -> None:
        if self._session is None:
            self._conn.receive_data(data)
            self._shake_hands()
            return
        if (
            len(data) > 6
            and data[0] == _TEXT
            and len(data) == data[1] - _MASKED + 6 < _SHORT + 6
            and not self._rest
            and not self._skip
            and self._fragments is None
        ):  # exactly one small masked text frame, which is what nearly all reads bring
            self._session.receive(apply_mask(data[6:], data[2:6]))
            return
        if self._rest:
            data = self._rest + data
        self._rest = data[self._frames(data) :]

    # --- the handshake ----------------------------------------------------------------------------------------------

    def _shake_hands(self) -> None:
        for event in self._conn.events_received():
            if isinstance(event, Request):
                self._accept(event)
        if self._conn.handshake_exc is not None and not self._transport_gone():
            self._reject(HTTPStatus.BAD_REQUEST, "this is no handshake")

    def _accept(self, request: Request) -> None:
        try:
            parts = urlsplit(request.path)
        except ValueError:
            self._reject(HTTPStatus.BAD_REQUEST, "this is no address")
            return
        dialect = self._dialects.get(unquote(parts.path))
        welcome = listed(self._desk.settings.origins)
        origins = request.headers.get_all("Origin")
        if dialect is None:
            self._reject(HTTPStatus.NOT_FOUND, "no protocol is spoken here")
        elif self._desk.draining:
            self._reject(HTTPStatus.SERVICE_UNAVAILABLE, "this gateway is about to stop")
        elif welcome and origins and ", ".join(origins) not in welcome:
            self._reject(HTTPStatus.FORBIDDEN, "this origin may not connect")
        else:
            self._begin(request, dialect, dict(parse_qsl(parts.query, keep_blank_values=True)))

    def _begin(self, request: Request, dialect: Dialect, query: dict[str, str]) -> None:
        assert self._transport is not None
        peer = (self._transport.get_extra_info("peername") or ("local",))[0]
        forwarded = ", ".join(request.headers.get_all("X-Forwarded-For"))
        address = client_address(peer, forwarded, listed(self._desk.settings.trusted_proxies))
        try:
            session = Session(self._desk, self, dialect, Opening(query, self._desk.rooms), address)
        except ProtocolError as error:
            self._reject(HTTPStatus.BAD_REQUEST, str(error))
            return
        response = self._conn.accept(request)
        self._conn.send_response(response)
        self._send_library()
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self._session = session
            session.open()
        else:
            self._transport.close()

    def _reject(self, status: HTTPStatus, text: str) -> None:
        assert self._transport is not None
        self._transport.write(self._conn.reject(status, text + "\n").serialize())
        self._transport.close()

    # --- frames -----------------------------------------------------------------------------------------------------

    def _frames(self, data: bytes) -> int:
        """Handle the complete frames of `data`; how many bytes they were. Frames reach the library whole, so that it
        always stands between two of them."""
        at, end = 0, len(data)
        while self._session is not None and not self._transport_gone():
            if self._skip:
                skipped = min(self._skip, end - at)
                self._skip -= skipped
                at += skipped
                if self._skip:
                    break
                self._handle_skipped()
            if end - at < 2:
                break
            first, second = data[at], data[at + 1]
            if not second & _MASKED:  # the end, whatever follows: clients have to mask
                self._conn.receive_data(data[at:])
                self._handle_unusual()
                return end
            if end - at < 6:
                break
            length, head = second & 0x7F, 6
            if length == 126:
                length, head = int.from_bytes(data[at + 2 : at + 4], "big"), 8
            elif length == 127:
                if end - at < 14:
                    break
                length, head = int.from_bytes(data[at + 2 : at + 10], "big"), 14
            if length > MOST_BYTES:
                if length > _ENDLESS:
                    self._session.hang_up(close_codes.TOO_BIG)
                    return end
                self._skip, self._skipped = head + length, first
                continue
            if end - at < head + length:
                break
            begin, at = at, at + head + length
            if first == _TEXT and self._fragments is None:
                self._session.receive(apply_mask(data[begin + head : at], data[begin + head - 4 : begin + head]))
            else:
                self._conn.receive_data(data[begin:at])
                self._handle_unusual()
        return at

    def _handle_skipped(self) -> None:
        """A frame beyond the limit has passed. One that is part of a message, or a binary one, is handed to the
        library without its content, so that both know where they are."""
        assert self._session is not None
        if self._skipped == _TEXT and self._fragments is None:
            self._session.garbage("frame/too_big")
            return
        self._too_big = True
        self._conn.receive_data(bytes((self._skipped, _MASKED, 0, 0, 0, 0)))
        self._handle_unusual()
        self._too_big = False

    def _transport_gone(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    def _handle_unusual(self) -> None:
        """Control frames, fragments, binary messages, and what breaks the protocol."""
        assert self._session is not None
        for event in self._conn.events_received():
            if not isinstance(event, Frame):
                continue
            self._session.heard = self._desk.now()
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._gather(event)
        if self._conn.state is not State.OPEN:  # nothing may follow our Close
            self._session.flush()
            self._session.closed = True
        self._send_library()
        if self._conn.close_expected() or self._conn.state is State.CLOSED:
            over = self._conn.close_rcvd is not None or self._conn.state is State.CLOSED
            if over:
                self._skip = sys.maxsize  # what follows a Close means nothing
            self._close_soon(0.0 if over else _CLOSE_S)

    def _gather(self, frame: Frame) -> None:
        assert self._session is not None
        if self._fragments is None:
            self._fragments, self._fragments_opcode = bytearray(), Opcode(frame.opcode)
        self._fragments += frame.data
        too_big = self._too_big or len(self._fragments) > MOST_BYTES
        if too_big:
            self._fragments = bytearray(MOST_BYTES + 1)
        if not frame.fin:
            return
        message, self._fragments = bytes(self._fragments), None
        if too_big:
            self._session.garbage("frame/too_big")
        elif self._fragments_opcode is Opcode.BINARY:
            self._session.garbage("frame/binary")
        else:
            self._session.receive(message)

    # --- the session's transport ------------------------------------------------------------------------------------

    def send(self, messages: list[bytes]) -> None:
        if self._transport is None:
            return
        parts: list[bytes] = []
        for message in messages:
            length = len(message)
            parts.append(_HEADS[length] if length < _COMMON else _head(length))
            parts.append(message)
        self._transport.write(b"".join(parts))

    def close(self, why: CloseCode) -> None:
        if self._transport is None:
            return
        try:
            self._conn.send_close(why.code, why.reason)
        except InvalidState:
            self._transport.close()
            return
        self._send_library()
        self._close_soon(_CLOSE_S)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def ping(self) -> bool:
        if self._conn.state is State.OPEN:
            self._conn.send_ping(b"")
            self._send_library()
        return True

    def buffered(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def _send_library(self) -> None:
        data = b"".join(self._conn.data_to_send())
        if data and self._transport is not None:
            self._transport.write(data)

    def _close_soon(self, after_s: float) -> None:
        transport = self._transport
        if transport is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(after_s, transport.close)
            loop.call_later(after_s + _ABORT_S, transport.abort)


def _head(length: int) -> bytes:
    """The head of a text frame from a server."""
    if length < _SHORT:
        return bytes((_TEXT, length))
    if length < 65_536:
        return bytes((_TEXT, 126)) + length.to_bytes(2, "big")
    return bytes((_TEXT, 127)) + length.to_bytes(8, "big")


_HEADS = tuple(map(_head, range(_COMMON)))
