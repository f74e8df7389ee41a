"""The wire protocols of the compared systems as seen from one player. Pure: bytes in, bytes out, no socket.

The load generator speaks all protocols itself instead of using four client libraries, so that the client costs about
the same for each system and competes equally with the servers for the cores.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

import msgspec


class SystemName(StrEnum):
    TAVOLATA = "tavolata"
    COLYSEUS = "colyseus"
    SOCKET_IO = "socket.io"
    BOARDGAME_IO = "boardgame.io"


class Signal(IntEnum):
    """The meaning of a received frame for the workload."""

    UPDATE = 0
    ENTERED = 1
    REFUSED = 2
    CONTROL = 3
    UNKNOWN = 4


class WireEvent(NamedTuple):
    """A decoded frame: `number` is the room's move counter after an update; `reply` is sent back at once."""

    signal: Signal
    number: int = 0
    reply: bytes = b""


@dataclass(slots=True)
class SharedRoom:
    """The identity of one room. Systems that choose the id themselves set `id` when seat 0 enters."""

    index: int
    players: int
    id: str = ""

    def __post_init__(self) -> None:
        self.id = self.id or f"r{self.index}"


class SeatWire(Protocol):
    """One player's side of a protocol."""

    binary: bool

    def url(self, base: str) -> str: ...

    def opening(self) -> bytes: ...

    def receive(self, payload: bytes) -> WireEvent: ...

    def move(self, number: int) -> bytes: ...


_ENTERED = WireEvent(Signal.ENTERED)
_REFUSED = WireEvent(Signal.REFUSED)
_CONTROL = WireEvent(Signal.CONTROL)
_UNKNOWN = WireEvent(Signal.UNKNOWN)


class PlayWire:
    """Tavolata's own dialect with the game `stones` and a pile that outlasts the run (docs/protocols/play.md)."""

    binary = False
    _OFFSET = re.compile(rb'"offset":(\d+)')
    _ROOM = re.compile(rb'"room":(\d+)')

    def __init__(self, room: SharedRoom, seat: int) -> None:
        self._room = room
        self._seat = seat
        # Each seat that is taken is one step and the start of the game is another, so moves begin after them.
        self._steps_before_moves = room.players + 1
        self._last_id = 1

    def url(self, base: str) -> str:
        return f"{base}/ws/play"

    def opening(self) -> bytes:
        return b'{"type":"hello","name":"p%dx%d"}' % (self._room.index, self._seat)

    def receive(self, payload: bytes) -> WireEvent:
        if payload.startswith(b'{"type":"update"'):
            match = self._OFFSET.search(payload)
            number = int(match[1]) - self._steps_before_moves if match else 0
            return WireEvent(Signal.UPDATE, number) if number > 0 else _CONTROL
        if payload.startswith(b'{"type":"ack"'):
            return _CONTROL
        if payload.startswith(b'{"type":"welcome"'):
            return WireEvent(Signal.CONTROL, reply=self._enter())
        if payload.startswith(b'{"type":"entered"') and (match := self._ROOM.search(payload)):
            self._room.id = match[1].decode()
            return _ENTERED
        return _REFUSED if payload.startswith(b'{"type":"error"') else _UNKNOWN

    def _enter(self) -> bytes:
        if self._seat == 0:
            opening = b'{"type":"create","id":1,"game":"stones","seats":%d,"options":{"stones":1000000}}'
            return opening % self._room.players
        return b'{"type":"join","id":1,"room":%s}' % self._room.id.encode()

    def move(self, number: int) -> bytes:
        self._last_id += 1
        take = b'{"type":"act","id":%d,"room":%s,"command":{"type":"take","count":1}}'
        return take % (self._last_id, self._room.id.encode())


class Reservation(msgspec.Struct, rename="camel"):
    """Colyseus' answer to a matchmaking request."""

    session_id: str
    room_id: str
    process_id: str
    public_address: str


class ColyseusWire:
    """Colyseus: a seat is reserved over HTTP, then taken over a binary WebSocket.

    The first byte of a frame is its kind; room messages are followed by the message name and a value, both in
    MessagePack.
    """

    binary = True
    _JOIN = b"\x0a"
    _ROOM_STATE = b"\x0e"
    _MOVE = b"\x0d\xa4move"
    _UPDATE = b"\x0d\xa6update"
    _REFUSED = b"\x0d\xa7refused"

    def __init__(self, room: SharedRoom, seat: int) -> None:
        self._room = room
        self._seat = seat
        self._reservation: Reservation | None = None

    def reservation_request(self, base: str) -> tuple[str, bytes]:
        """The URL and body of the POST that must precede the connection."""
        path = "create/turns" if self._seat == 0 else f"joinById/{self._room.id}"
        body = msgspec.json.encode({"seat": self._seat, "players": self._room.players})
        return f"{base}/matchmake/{path}", body

    def reserved(self, answer: bytes) -> None:
        self._reservation = msgspec.json.decode(answer, type=Reservation)
        self._room.id = self._reservation.room_id

    def url(self, base: str) -> str:
        """The address of the process that owns the room; `base` may be another one."""
        seat = self._reservation
        assert seat is not None, "a seat must be reserved before the connection is opened"
        return f"ws://{seat.public_address}/{seat.process_id}/{seat.room_id}?sessionId={seat.session_id}"

    def opening(self) -> bytes:
        return b""

    def receive(self, payload: bytes) -> WireEvent:
        if payload.startswith(self._UPDATE):
            number = msgspec.msgpack.decode(payload[len(self._UPDATE) :], type=int)
            return WireEvent(Signal.UPDATE, number)
        if payload.startswith(self._JOIN):
            return WireEvent(Signal.ENTERED, reply=self._JOIN)
        if payload.startswith(self._REFUSED):
            return _REFUSED
        return _CONTROL if payload.startswith(self._ROOM_STATE) else _UNKNOWN

    def move(self, number: int) -> bytes:
        return self._MOVE


_ENGINE_OPEN = b"0"
_ENGINE_PING = b"2"
_ENGINE_PONG = b"3"


def _engine_url(base: str, room: SharedRoom, seat: int) -> str:
    query = {"EIO": 4, "transport": "websocket", "room": room.id, "seat": seat, "players": room.players}
    return f"{base}/socket.io/?{urlencode(query)}"


class SocketIoWire:
    """Socket.IO 4 over a WebSocket: `0` opens, `2` and `3` are ping and pong, `40` connects, `42` carries an event."""

    binary = False
    _CONNECT = b"40"
    _MOVE = b'42["move"]'
    _UPDATE = b'42["update",'

    def __init__(self, room: SharedRoom, seat: int) -> None:
        self._room = room
        self._seat = seat

    def url(self, base: str) -> str:
        return _engine_url(base, self._room, self._seat)

    def opening(self) -> bytes:
        return b""

    def receive(self, payload: bytes) -> WireEvent:
        if payload.startswith(self._UPDATE):
            return WireEvent(Signal.UPDATE, int(payload[len(self._UPDATE) : -1]))
        if payload == _ENGINE_PING:
            return WireEvent(Signal.CONTROL, reply=_ENGINE_PONG)
        if payload.startswith(self._CONNECT):
            return _CONTROL
        if payload.startswith(_ENGINE_OPEN):
            return WireEvent(Signal.CONTROL, reply=self._CONNECT)
        if payload.startswith(b'42["seated"'):
            return _ENTERED
        return _REFUSED if payload.startswith(b'42["refused"') else _UNKNOWN

    def move(self, number: int) -> bytes:
        return self._MOVE


class BoardgameIoWire:
    """boardgame.io: Socket.IO events in the namespace of the game. A move names the state that it applies to."""

    binary = False
    _CONNECT = b"40/turns,"
    _EVENT = b"42/turns,"
    _UPDATE = b'42/turns,["update"'
    _STATE = re.compile(rb'"_stateID":(\d+)')

    def __init__(self, room: SharedRoom, seat: int) -> None:
        self._room = room
        self._seat = seat

    def url(self, base: str) -> str:
        return _engine_url(base, self._room, self._seat)

    def opening(self) -> bytes:
        return b""

    def receive(self, payload: bytes) -> WireEvent:
        if payload.startswith(self._UPDATE) and (match := self._STATE.search(payload)):
            return WireEvent(Signal.UPDATE, int(match[1]))
        if payload == _ENGINE_PING:
            return WireEvent(Signal.CONTROL, reply=_ENGINE_PONG)
        if payload.startswith(self._CONNECT):
            request = ["sync", self._room.id, str(self._seat), None, self._room.players]
            return WireEvent(Signal.CONTROL, reply=self._EVENT + msgspec.json.encode(request))
        if payload.startswith(_ENGINE_OPEN):
            return WireEvent(Signal.CONTROL, reply=self._CONNECT)
        if payload.startswith(b'42/turns,["sync"'):
            return _ENTERED
        return _CONTROL if payload.startswith(b'42/turns,["matchData"') else _UNKNOWN

    def move(self, number: int) -> bytes:
        seat = str(self._seat)
        payload: dict[str, object] = {"type": "advance", "args": [], "playerID": seat, "credentials": None}
        action = {"type": "MAKE_MOVE", "payload": payload}
        return self._EVENT + msgspec.json.encode(["update", action, number, self._room.id, seat])


_WIRES: dict[SystemName, Callable[[SharedRoom, int], SeatWire]] = {
    SystemName.TAVOLATA: PlayWire,
    SystemName.COLYSEUS: ColyseusWire,
    SystemName.SOCKET_IO: SocketIoWire,
    SystemName.BOARDGAME_IO: BoardgameIoWire,
}


def wire_of(system: SystemName, room: SharedRoom, seat: int) -> SeatWire:
    return _WIRES[system](room, seat)
