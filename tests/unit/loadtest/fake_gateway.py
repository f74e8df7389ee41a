"""A small in-process server of `/ws/play` for stones that can be made to violate the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from shared.errors import Rejected
from shared.games import stones
from shared.ids import Seat

EPOCH = 7
Json = dict[str, Any]
Twist = Callable[[int, Json], list[Json]]
"""(seat, message to it) -> the messages that are sent instead."""


def plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


@dataclass
class Room:
    number: int
    seats: int
    heap: int
    names: list[str] = field(default_factory=list)
    state: stones.State = stones.GAME.empty
    ended: Json | None = None
    updates: list[Json] = field(default_factory=list)
    acks: dict[tuple[int, int], int] = field(default_factory=dict)

    def step(self, events: list[Any], by: int | None = None, command: int | None = None) -> Json:
        update = {"type": "update", "room": self.number, "epoch": EPOCH, "offset": len(self.updates) + 1, "at": 1}
        update |= {"events": events, **({} if by is None else {"by": by, "id": command})}
        self.updates.append(update)
        return update

    def view(self) -> Json:
        status = "waiting" if len(self.names) < self.seats else "finished" if self.ended else "playing"
        view: Json = {"room": self.number, "epoch": EPOCH, "offset": len(self.updates), "status": status}
        if status != "waiting":
            view["game"] = plain(self.state)
        return view | ({"outcome": self.ended} if self.ended else {})


@dataclass
class FakeGateway:
    """Behaves correctly unless one of these is set."""

    twist: Twist = lambda _seat, message: [message]
    record: Callable[[list[Json]], list[Json]] = lambda updates: updates
    busy: int = 0
    """Number of requests that are refused as busy."""
    refuse: str = ""
    """The code with which every request is refused."""
    cut_after: int = 0
    """Number of moves after which the connection of the last one is cut, once."""
    cut_with: tuple[int, str] | None = None
    """Close code and reason of the cut connection; None: it is aborted."""
    rooms: dict[int, Room] = field(default_factory=dict)
    sockets: dict[str, ServerConnection] = field(default_factory=dict)
    acts: int = 0
    url: str = ""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["FakeGateway"]:
        async with serve(self._serve, "127.0.0.1", 0, process_request=self._http, compression=None) as server:
            self.url = f"ws://127.0.0.1:{_port(server)}"
            yield self

    def _http(self, _connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/api/games":
            return _connection.respond(HTTPStatus.OK, '{"games": [{"name": "codex"}, {"name": "stones"}]}')
        if not request.path.startswith("/api/rooms/"):
            return None
        number, after = request.path.removeprefix("/api/rooms/").split("/updates?after=")
        updates = [update for update in self.rooms[int(number)].updates if update["offset"] > int(after)]
        body = json.dumps({"updates": self.record(updates), "trimmed": False}, separators=(",", ":")).encode()
        response = _connection.respond(HTTPStatus.OK, body.decode())
        response.headers["Connection"] = "close"
        return response

    async def _serve(self, socket: ServerConnection) -> None:
        name = ""
        try:
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "hello":
                    name = message.get("name") or message["token"]
                    self.sockets[name] = socket
                    await _send(socket, {"type": "welcome", "session": name, "name": name, "token": name})
                elif self.refuse and "id" in message:
                    await _send(socket, {"type": "error", "id": message["id"], "code": self.refuse, "text": "no"})
                elif self.busy and "id" in message:
                    self.busy -= 1
                    await _send(socket, {"type": "error", "id": message["id"], "code": "busy/rate", "text": "later"})
                else:
                    await self._handle(name, socket, message)
        except ConnectionClosed:
            pass

    async def _handle(self, name: str, socket: ServerConnection, message: Json) -> None:
        match message["type"]:
            case "create":
                number = 1000 + len(self.rooms)
                self.rooms[number] = Room(number, message["seats"], message["options"]["stones"])
                await self._enter(self.rooms[number], name, message["id"])
            case "join":
                await self._enter(self.rooms[message["room"]], name, message["id"])
            case "act":
                await self._act(self.rooms[message["room"]], name, socket, message)
            case "view":
                view = self.rooms[message["room"]].view()
                place = {key: view[key] for key in ("room", "epoch", "offset")}
                await _send(socket, {"type": "view", "id": message["id"], **place, "view": view})
            case "resume":
                room = self.rooms[message["room"]]
                keep = {key: message[key] for key in ("id", "room", "epoch", "offset")}
                await _send(socket, {"type": "resumed", "seat": room.names.index(name), **keep})
                for update in room.updates[message["offset"] :]:
                    await _send(socket, update)

    async def _enter(self, room: Room, name: str, request: int) -> None:
        seat = len(room.names)
        room.names.append(name)
        update = room.step([{"type": "room.joined", "seat": seat, "name": name}], seat, request)
        view = room.view() | {"status": "waiting"}
        view.pop("game", None)
        head = {"type": "entered", "id": request, "room": room.number, "seat": seat, "epoch": EPOCH}
        await _send(self.sockets[name], {**head, "offset": view["offset"], "view": view})
        await self._broadcast(room, update, but=name)
        if len(room.names) == room.seats:
            started = stones.Started(room.heap, tuple(Seat(seat) for seat in range(room.seats)))
            room.state = stones.evolve(room.state, started)
            await self._broadcast(
                room, room.step([{"type": "room.started", "seats": [0], "order": [0]}, plain(started)])
            )

    async def _act(self, room: Room, name: str, socket: ServerConnection, message: Json) -> None:
        seat, request = room.names.index(name), message["id"]
        self.acts += 1
        if (seat, request) not in room.acks:
            decided = stones.decide(room.state, Seat(seat), stones.Take(message["command"]["count"]))
            if isinstance(decided, Rejected):
                await _send(socket, {"type": "error", "id": request, "code": decided.code, "text": str(decided)})
                return
            for event in decided:
                room.state = stones.evolve(room.state, event)
            events = [plain(event) for event in decided]
            if room.state.winner is not None:
                room.ended = {"type": "room.ended", "winners": [seat], "names": [name], "reason": "last_stone"}
                events.append(room.ended)
            update = room.step(events, seat, request)
            room.acks[seat, request] = update["offset"]
            if self.acts == self.cut_after:
                await self._cut(socket)
            await self._broadcast(room, update)
        ack = {"type": "ack", "id": request, "room": room.number, "epoch": EPOCH, "offset": room.acks[seat, request]}
        await _send(socket, ack)

    async def _cut(self, socket: ServerConnection) -> None:
        if self.cut_with is None:
            socket.transport.abort()
        else:
            await socket.close(*self.cut_with)

    async def _broadcast(self, room: Room, update: Json, but: str = "") -> None:
        for seat, name in enumerate(room.names):
            if name != but:
                for message in self.twist(seat, update):
                    await _send(self.sockets[name], message)


async def _send(socket: ServerConnection, message: Json) -> None:
    try:
        await socket.send(json.dumps(message, separators=(",", ":")))
    except ConnectionClosed:
        await asyncio.sleep(0)


def _port(server: Server) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port
