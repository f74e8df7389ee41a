"""WebSockets: the protocol that uvicorn hands upgraded connections to. Text messages and fragments are read here;
handshakes, control frames and most errors go through the `websockets` library (docs/decisions/0002)."""

import asyncio
import logging
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from websockets.exceptions import InvalidState
from websockets.frames import Opcode
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
from gateway.transports.fragments import FragmentedMessage
from gateway.transports.inflow import FRAMES_PER_TURN, Inflow
from gateway.transports.websocket_frames import (
    COMMON,
    CONTROL,
    FIN,
    MASK_BYTES,
    MASKED,
    OPCODE,
    RESERVED,
    SHORT,
    SHORT_HEADS,
    TEXT_FRAME,
    masked_head,
    text_head,
)
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

    __slots__ = (
        "_connection",
        "_connections",
        "_dialects",
        "_fragments",
        "_inflow",
        "_library",
        "_rest",
        "_skip",
        "_skipped_first_byte",
        "_transport",
        "_uvicorn_connections",
    )

    def __init__(self, connections: Connections, dialects: Mapping[str, Dialect], **uvicorn: Any) -> None:
        self._connections = connections
        self._dialects = dialects
        self._uvicorn_connections: set[Any] = uvicorn["server_state"].connections
        self._library = ServerProtocol(max_size=None, logger=log)
        self._transport: asyncio.Transport | None = None
        self._connection: Connection | None = None
        """None before the handshake."""
        self._inflow = Inflow(asyncio.get_running_loop(), self._go_on)
        self._rest = b""
        """Received and not handled: frames that wait for their turn, or the beginning of a frame."""
        self._skip = 0
        """Bytes that are left of a frame that is too big."""
        self._skipped_first_byte = 0
        self._fragments: FragmentedMessage | None = None

    # --- called by uvicorn and the loop -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._uvicorn_connections.add(self)
        self._transport.set_write_buffer_limits(high=self._connections.settings.outbox_bytes)
        self._inflow.opened(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._uvicorn_connections.discard(self)
        self._transport = None
        self._inflow.ended()
        if self._connection is not None:
            self._connection.lost()

    def pause_writing(self) -> None:
        self._inflow.pause_writing()
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._inflow.resume_writing()
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
            message = apply_mask(data[6:], data[2:6])
            if not message.isascii():
                self._receive_text(message)
            elif self._connection.receive(message):
                return  # not charged to the budget of bytes: these are few, and the limit of frames counts them
        else:
            self._rest = self._rest + data if self._rest else data
            if not self._inflow.waiting:
                self._go_on()
        inflow = self._inflow
        inflow.bytes -= len(data)
        if inflow.bytes < 0:
            inflow.out_of_bytes()

    def _go_on(self) -> None:
        self._rest = self._rest[self._read_frames(self._rest) :]

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
        """Handle the complete frames of `data`, as many as one turn allows; returns their size."""
        start, end, left = 0, len(data), FRAMES_PER_TURN
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
            if length <= MOST_BYTES and end - start < head_size + length:
                break
            if not left:
                self._inflow.next_turn()
                break
            whole_text = data[start] == TEXT_FRAME and self._fragments is None
            if not whole_text and not self._inflow.take_control():
                break
            left -= 1
            if length > MOST_BYTES:
                self._begin_skipping(data[start], head_size + length)
                continue
            payload = start + head_size
            if whole_text:
                self._receive_text(apply_mask(data[payload : payload + length], data[payload - MASK_BYTES : payload]))
            elif data[start] & (CONTROL | RESERVED) or data[start] & OPCODE > Opcode.BINARY:
                self._pass_to_library(data[start : payload + length])
            else:
                fragment = apply_mask(data[payload : payload + length], data[payload - MASK_BYTES : payload])
                self._receive_fragment(data[start], fragment)
            start = payload + length
        return start

    def _begin_skipping(self, first_byte: int, size: int) -> None:
        """A frame is too big to be kept."""
        if first_byte & CONTROL:  # RFC 6455 section 5.5: 125 bytes at most
            self._fail(close_codes.PROTOCOL_ERROR)
        else:
            self._skip, self._skipped_first_byte = size, first_byte

    def _skip_bytes(self, available: int) -> int:
        """Skip a frame that is too big, as far as it has come."""
        skipped = min(self._skip, available)
        self._skip -= skipped
        if not self._skip:
            self._receive_fragment(self._skipped_first_byte, None)
        return skipped

    @property
    def _client(self) -> Connection:
        assert self._connection is not None, "frames come after the handshake"
        return self._connection

    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    def _receive_text(self, message: bytes) -> None:
        if not message.isascii():
            try:
                message.decode()
            except UnicodeDecodeError:
                self._fail(close_codes.INVALID_UTF8)
                return
        self._client.receive(message)

    def _receive_fragment(self, first_byte: int, payload: bytes | None) -> None:
        """A data frame that is not a whole text message; without its payload if that was too big to be kept."""
        self._client.heard()
        continued = first_byte & OPCODE == Opcode.CONT
        if continued is (self._fragments is None) or first_byte & RESERVED:  # RFC 6455 section 5.4
            self._fail(close_codes.PROTOCOL_ERROR)
            return
        message = self._fragments or FragmentedMessage(text=first_byte & OPCODE == Opcode.TEXT)
        last = bool(first_byte & FIN)
        self._fragments = None if last else message
        if payload is None:
            message.drop()
        else:
            try:
                message.add(payload, last=last)
            except UnicodeDecodeError:
                self._fail(close_codes.INVALID_UTF8)
                return
        if last:
            self._receive_message(message)

    def _receive_message(self, message: FragmentedMessage) -> None:
        if message.too_big:
            self._client.invalid_frame("frame/too_big")
        elif message.text:
            self._client.receive(bytes(message.payload))
        else:
            self._client.invalid_frame("frame/binary")

    def _pass_to_library(self, data: bytes) -> None:
        """Control frames, and frames that violate the protocol."""
        self._library.receive_data(data)
        self._library.events_received()
        self._client.heard()
        if self._library.state is not State.OPEN:  # RFC 6455 section 5.5.1: no data frames after a Close frame
            self._client.peer_closed()
        self._send_of_library()
        if self._library.close_rcvd is not None or self._library.parser_exc is not None:
            self._end()

    def _fail(self, close_code: CloseCode) -> None:
        """Fail the connection (RFC 6455 section 7.1.7): send a Close, wait for no answer."""
        self._client.peer_closed()
        self._library.fail(close_code.code, close_code.reason)
        self._send_of_library()
        self._end()

    def _end(self) -> None:
        """Close the TCP connection as soon as everything is written. Further data is discarded (RFC 6455 section
        1.4)."""
        self._skip = sys.maxsize
        if self._transport is not None:
            self._transport.close()
            asyncio.get_running_loop().call_later(_ABORT_S, self._transport.abort)

    # --- the transport of the connection ------------------------------------------------------------------------------

    def send(self, messages: list[bytes]) -> None:
        if self._transport is None:
            return
        if len(messages) == 1:
            message = messages[0]
            head = SHORT_HEADS[len(message)] if len(message) < COMMON else text_head(len(message))
            self._transport.write(head + message)
            return
        parts: list[bytes] = []
        for message in messages:
            parts.append(SHORT_HEADS[len(message)] if len(message) < COMMON else text_head(len(message)))
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
        loop = asyncio.get_running_loop()
        loop.call_later(_CLOSE_S, self._transport.close)
        loop.call_later(_CLOSE_S + _ABORT_S, self._transport.abort)

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
