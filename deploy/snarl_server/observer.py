"""Watching Snarl in the terminal: a spectator of `/ws/play` that draws the level after every move."""

import asyncio
from typing import Any

import msgspec
from rich.console import Console
from rich.live import Live
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from deploy.snarl_server.render import draw_game
from shared.games.snarl.events import Event
from shared.games.snarl.views import View, fold
from shared.ids import RoomId, Seat
from shared.room_events import NOTHING, BaseRoomEvent, Closed, Ended, Joined, Left, RoomEvent
from shared.room_views import Listing, RoomView, Update

_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode
_decode_view = msgspec.json.Decoder(View).decode
_AGAIN_S = 0.5


class _Said(msgspec.Struct):
    """What an observer needs of any message."""

    type: str
    room: RoomId = RoomId(0)
    view: RoomView | None = None
    rooms: list[Listing] = []
    changed: list[Listing] = []
    text: str = ""


_decode_said = msgspec.json.Decoder(_Said).decode
_decode_update = msgspec.json.Decoder(Update).decode


class Observer:
    """Follows one table after the other and draws what happens there."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live
        self._room: RoomId | None = None
        self._seen: set[RoomId] = set()
        self._view = View()
        self._names: dict[Seat, str] = {}

    async def watch(self, url: str, name: str) -> None:
        """Until cancelled; a lost connection is made again."""
        while True:
            try:
                async with connect(f"{url}/ws/play") as socket:
                    self._room = None
                    await _say(socket, {"type": "hello", "name": name})
                    await _say(socket, {"type": "rooms", "id": 1, "game": "snarl", "live": True})
                    async for message in socket:
                        data = message.encode() if isinstance(message, str) else bytes(message)
                        if (room := self.receive(data)) is not None:
                            await _say(socket, {"type": "spectate", "id": room, "room": room})
            except (OSError, WebSocketException):
                await asyncio.sleep(_AGAIN_S)

    def receive(self, message: bytes) -> RoomId | None:
        """A message came. Returns the table to look at next, if we look at none."""
        said = _decode_said(message)
        match said.type:
            case "rooms" | "rooms_changed":
                waiting = [room.room for room in (*said.rooms, *said.changed) if room.room not in self._seen]
                return self._begin(min(waiting)) if self._room is None and waiting else None
            case "watching" if said.view is not None:
                self._look(said.view)
            case "update" if said.room == self._room:
                self._follow(_decode_update(message))
            case "error":
                self._room = None
        return None

    def _begin(self, room: RoomId) -> RoomId:
        self._room = room
        self._seen.add(room)
        return room

    def _look(self, view: RoomView) -> None:
        self._names = {seat.seat: seat.name for seat in view.seats}
        self._view = View() if view.game == NOTHING else _decode_view(view.game)
        self._draw()

    def _follow(self, update: Update) -> None:
        for event in _decode_events(update.events):
            match event:
                case Joined(seat=seat, name=name):
                    self._names[seat] = name
                case Left(seat=seat):
                    self._names.pop(seat, None)
                case Ended() | Closed():
                    self._room = None
                case BaseRoomEvent():
                    pass
                case _:
                    self._view = fold(self._view, event)
                    self._draw()

    def _draw(self) -> None:
        picture = draw_game(self._view, self._names, self._console.width)
        if self._live is not None:
            self._live.update(picture, refresh=True)
        else:
            self._console.print(picture)


async def _say(socket: ClientConnection, message: dict[str, Any]) -> None:
    await socket.send(msgspec.json.encode(message).decode())
