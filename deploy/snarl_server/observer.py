"""Observes Snarl games in the terminal: a spectator of `/ws/play` that draws the level after every move."""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
from rich.console import Console
from rich.live import Live
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from deploy.snarl_server.render import draw_game
from shared.games.snarl.events import Event
from shared.games.snarl.views import View, fold
from shared.ids import RoomId
from shared.room_events import NOTHING, BaseRoomEvent, RoomEvent, RoomStatus
from shared.room_follower import FollowedRoom, follow
from shared.room_views import Listing, RoomView, Update

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode
_decode_view = msgspec.json.Decoder(View).decode
_RECONNECT_S = 0.5


class _ServerMessage(msgspec.Struct):
    """The fields that an observer reads, of messages of all types."""

    type: str
    room: RoomId = RoomId(0)
    view: RoomView | None = None
    rooms: list[Listing] = []
    changed: list[Listing] = []
    text: str = ""


_decode_message = msgspec.json.Decoder(_ServerMessage).decode
_decode_update = msgspec.json.Decoder(Update).decode


class Observer:
    """Follows one room after the other and draws its games."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live
        self._room_id: RoomId | None = None
        self._observed: set[RoomId] = set()
        self._room: FollowedRoom | None = None
        self._view = View()

    async def watch(self, url: str, name: str) -> None:
        """Observe until cancelled; reconnects after a loss of the connection."""
        while True:
            try:
                async with connect(f"{url}/ws/play") as socket:
                    self._room_id = None
                    await _send(socket, {"type": "hello", "name": name})
                    await _send(socket, {"type": "rooms", "id": 1, "game": "snarl", "live": True})
                    async for message in socket:
                        data = message.encode() if isinstance(message, str) else bytes(message)
                        if (room := self.receive(data)) is not None:
                            await _send(socket, {"type": "spectate", "id": room, "room": room})
            except (OSError, WebSocketException):
                await asyncio.sleep(_RECONNECT_S)

    def receive(self, message: bytes) -> RoomId | None:
        """Handle a message of the server. Returns the room to spectate next, if none is observed."""
        decoded = _decode_message(message)
        match decoded.type:
            case "rooms" | "rooms_changed":
                rooms = [listing.room for listing in (*decoded.rooms, *decoded.changed)]
                return self._choose(room for room in rooms if room not in self._observed)
            case "watching" if decoded.view is not None:
                self._begin(decoded.view)
            case "update" if decoded.room == self._room_id:
                self._follow(_decode_update(message))
            case "error":
                self._room_id = None
        return None

    def _choose(self, rooms: Iterable[RoomId]) -> RoomId | None:
        room = min(rooms, default=None)
        if self._room_id is not None or room is None:
            return None
        self._room_id = room
        self._observed.add(room)
        return room

    def _begin(self, view: RoomView) -> None:
        self._room = FollowedRoom.of(view)
        self._view = View() if view.game == NOTHING else _decode_view(view.game)
        self._draw()

    def _follow(self, update: Update) -> None:
        if self._room is None:
            return
        for event in _decode_events(update.events):
            if isinstance(event, BaseRoomEvent):
                follow(self._room, event)
            else:
                self._view = fold(self._view, event)
                self._draw()
        if self._room.status in (RoomStatus.FINISHED, RoomStatus.CLOSED):
            self._room_id = None

    def _draw(self) -> None:
        names = {} if self._room is None else self._room.names
        picture = draw_game(self._view, names, self._console.width)
        if self._live is not None:
            self._live.update(picture, refresh=True)
        else:
            self._console.print(picture)


async def _send(socket: ClientConnection, message: dict[str, Any]) -> None:
    await socket.send(msgspec.json.encode(message).decode())
