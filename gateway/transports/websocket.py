"""WebSockets: the protocol that uvicorn hands upgraded connections to. Whole text messages take a short path;
handshakes, control frames, fragments and errors go through the `websockets` library (docs/decisions/0002)."""

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

from gateway.connection import Connection
from gateway.connections import Connections
from gateway.dialects.contract import Dialect, Opening
from gateway.dialects.framing import MOST_BYTES
from gateway.transports import close_codes
from gateway.transports.client_address import client_address, parse_list
from gateway.transports.close_codes import CloseCode
from gateway.transports.websocket_frames import MASK_BYTES, MASKED, SHORT, TEXT_FRAME, masked_head, text_head
from shared.errors import ProtocolError

try:
    from websockets.speedups import apply_mask
except ImportError:  # pragma: no cover - a platform without the C extension
    from websockets.utils import apply_mask

log = logging.getLogger("tavolata.websocket")
log.setLevel(logging.WARNING)  # the library has a line for every connection

_MOST_SKIPPED = 16 * 1024 * 1024
"""A frame that is too big is skipped and answered with an error; beyond this size the connection is closed."""
_CLOSE_S = 2.0
"""Time for the client to answer a Close (RFC 6455 section 7.1.1: the server closes the TCP connection)."""
_ABORT_S = 10.0


class WebSocket(asyncio.Protocol):
    """One WebSocket: an asyncio protocol, and the transport that its `Connection` writes to."""

    def __init__(self, connections: Connections, dialects: Mapping[str, Dialect], **uvicorn: Any) -> None:
        self._connections = connections
        self._dialects = dialects
        self._uvicorn_connections: set[Any] = uvicorn["server_state"].connections
        self._library = ServerProtocol(max_size=None, logger=log)
        self._transport: asyncio.Transport | None = None
        self._connection: Connection | None = None
        """None before the handshake."""
        self._rest = b""
        """The beginning of a frame whose end has not come yet."""
        self._skip = 0
        """Bytes that are left of a frame that is too big."""
        self._skipped_first_byte = 0
        self._skipped_too_big = False
        """The library is being given a frame whose payload was skipped."""
        self._fragments: bytearray | None = None
        """The payload so far of a message in fragments (RFC 6455 section 5.4)."""
        self._fragments_opcode = Opcode.TEXT

    # --- called by uvicorn and the loop -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._uvicorn_connections.add(self)
        self._transport.set_write_buffer_limits(high=self._connections.settings.outbox_bytes)

    def connection_lost(self, exc: Exception | None) -> None:
        self._uvicorn_connections.discard(self)
        self._transport = None
        if self._connection is not None:
            self._connection.lost()

    def pause_writing(self) -> None:
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        if self._connection is not None:
            self._connection.resume_writing()

    def eof_received(self) -> None:
        pass

    def shutdown(self) -> None:
        """uvicorn stops. The gateway has closed its connections in waves before: this is for the last ones."""
        self.close(close_codes.restart(0))

    def data_received(self, data: bytes) -> None:
        if self._connection is None:
            self._library.receive_data(data)
            self._shake_hands()
            return
        if (
            len(data) > 6
            and data[0] == TEXT_FRAME
            and len(data) == data[1] - MASKED + 6 < SHORT + 6
            and not self._rest
            and not self._skip
            and self._fragments is None
        ):  # exactly one short masked text frame: nearly all reads are
            self._connection.receive(apply_mask(data[6:], data[2:6]))
            return
        if self._rest:
            data = self._rest + data
        self._rest = data[self._read_frames(data) :]

    # --- the handshake ------------------------------------------------------------------------------------------------

    def _shake_hands(self) -> None:
        for event in self._library.events_received():
            if isinstance(event, Request):
                self._accept(event)
        if self._library.handshake_exc is not None and not self._is_closing():
            self._reject(HTTPStatus.BAD_REQUEST, "malformed WebSocket handshake")

    def _accept(self, request: Request) -> None:
        try:
            parts = urlsplit(request.path)
        except ValueError:
            self._reject(HTTPStatus.BAD_REQUEST, "malformed URL")
            return
        dialect = self._dialects.get(unquote(parts.path))
        allowed = parse_list(self._connections.settings.origins)
        origins = request.headers.get_all("Origin")
        if dialect is None:
            self._reject(HTTPStatus.NOT_FOUND, "there is no WebSocket endpoint at this path")
        elif not self._connections.accepting:
            self._reject(HTTPStatus.SERVICE_UNAVAILABLE, "this gateway is draining")
        elif allowed and origins and ", ".join(origins) not in allowed:
            self._reject(HTTPStatus.FORBIDDEN, "this origin may not connect")
        else:
            self._begin(request, dialect, dict(parse_qsl(parts.query, keep_blank_values=True)))

    def _begin(self, request: Request, dialect: Dialect, query: dict[str, str]) -> None:
        assert self._transport is not None
        peer = (self._transport.get_extra_info("peername") or ("local",))[0]
        forwarded = ", ".join(request.headers.get_all("X-Forwarded-For"))
        address = client_address(peer, forwarded, parse_list(self._connections.settings.trusted_proxies))
        try:
            connection = self._connections.new(self, dialect, Opening(query, self._connections.rooms), address)
        except ProtocolError as error:
            self._reject(HTTPStatus.BAD_REQUEST, str(error))
            return
        response = self._library.accept(request)
        self._library.send_response(response)
        self._send_of_library()
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self._connection = connection
            connection.open()
        else:
            self._transport.close()

    def _reject(self, status: HTTPStatus, text: str) -> None:
        assert self._transport is not None
        self._transport.write(self._library.reject(status, text + "\n").serialize())
        self._transport.close()

    # --- frames -------------------------------------------------------------------------------------------------------

    def _read_frames(self, data: bytes) -> int:
        """Handle the complete frames of `data`; returns their size. The library is given whole frames only, so that it
        is always between two frames and never waits for the rest of one."""
        start, end = 0, len(data)
        while not self._is_closing():
            if self._skip:
                start += self._skip_bytes(end - start)
            if self._skip or end - start < 2:
                break
            if not data[start + 1] & MASKED:  # RFC 6455 section 5.1: the library closes the connection
                self._pass_to_library(data[start:])
                return end
            head = masked_head(data, start)
            if head is None:
                break
            head_size, length = head
            if length > _MOST_SKIPPED:
                self._client.close(close_codes.TOO_BIG)
                return end
            if length > MOST_BYTES:
                self._skip, self._skipped_first_byte = head_size + length, data[start]
            elif end - start < head_size + length:
                break
            else:
                self._handle_frame(data, start, head_size, length)
                start += head_size + length
        return start

    def _handle_frame(self, data: bytes, start: int, head_size: int, length: int) -> None:
        payload = start + head_size
        if data[start] == TEXT_FRAME and self._fragments is None:
            self._client.receive(apply_mask(data[payload : payload + length], data[payload - MASK_BYTES : payload]))
        else:
            self._pass_to_library(data[start : payload + length])

    def _skip_bytes(self, available: int) -> int:
        """Skip a frame that is too big, as far as it has come. A binary one, or one that is part of a message in
        fragments, is given to the library without its payload, so that the library sees every frame."""
        skipped = min(self._skip, available)
        self._skip -= skipped
        if self._skip:
            return skipped
        if self._skipped_first_byte == TEXT_FRAME and self._fragments is None:
            self._client.invalid_frame("frame/too_big")
        else:
            self._skipped_too_big = True
            self._pass_to_library(bytes((self._skipped_first_byte, MASKED, 0, 0, 0, 0)))
            self._skipped_too_big = False
        return skipped

    @property
    def _client(self) -> Connection:
        assert self._connection is not None, "frames come after the handshake"
        return self._connection

    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    def _pass_to_library(self, data: bytes) -> None:
        """Control frames, fragments, binary messages, and violations of the protocol."""
        self._library.receive_data(data)
        for event in self._library.events_received():
            if not isinstance(event, Frame):
                continue
            self._client.heard()
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._add_fragment(event)
        if self._library.state is not State.OPEN:  # RFC 6455 section 5.5.1: no data frames after a Close frame
            self._client.peer_closed()
        self._send_of_library()
        if self._library.close_expected() or self._library.state is State.CLOSED:
            over = self._library.close_rcvd is not None or self._library.state is State.CLOSED
            if over:
                self._skip = sys.maxsize  # RFC 6455 section 1.4: data behind the client's Close is discarded
            self._close_transport_after(0.0 if over else _CLOSE_S)

    def _add_fragment(self, frame: Frame) -> None:
        if self._fragments is None:
            self._fragments, self._fragments_opcode = bytearray(), Opcode(frame.opcode)
        self._fragments += frame.data
        too_big = self._skipped_too_big or len(self._fragments) > MOST_BYTES
        if too_big:
            self._fragments = bytearray(MOST_BYTES + 1)
        if not frame.fin:
            return
        message, self._fragments = bytes(self._fragments), None
        if too_big:
            self._client.invalid_frame("frame/too_big")
        elif self._fragments_opcode is Opcode.BINARY:
            self._client.invalid_frame("frame/binary")
        else:
            self._client.receive(message)

    # --- the transport of the connection ------------------------------------------------------------------------------

    def send(self, messages: list[bytes]) -> None:
        if self._transport is None:
            return
        parts: list[bytes] = []
        for message in messages:
            parts.append(text_head(len(message)))
            parts.append(message)
        self._transport.write(b"".join(parts))

    def close(self, close_code: CloseCode) -> None:
        if self._transport is None:
            return
        try:
            self._library.send_close(close_code.code, close_code.reason)
        except InvalidState:
            self._transport.close()
            return
        self._send_of_library()
        self._close_transport_after(_CLOSE_S)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def ping(self) -> bool:
        if self._library.state is State.OPEN:
            self._library.send_ping(b"")
            self._send_of_library()
        return True

    def buffered(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def _send_of_library(self) -> None:
        data = b"".join(self._library.data_to_send())
        if data and self._transport is not None:
            self._transport.write(data)

    def _close_transport_after(self, after_s: float) -> None:
        transport = self._transport
        if transport is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(after_s, transport.close)
            loop.call_later(after_s + _ABORT_S, transport.abort)
