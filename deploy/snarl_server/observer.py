"""Observes Snarl games in the terminal: a spectator of `/ws/play` that draws the level after every move."""

import asyncio
import math

import msgspec
import typer
from rich.console import Console
from rich.live import Live

from deploy.errors import CommandError
from deploy.snarl_server.render import draw_game
from shared.games.snarl.events import Event
from shared.games.snarl.views import View, fold
from shared.ids import Seat
from shared.room_events import BaseRoomEvent, RoomEvent
from tavolata.client import ClientError, RemoteTable, RequestRefused, TableView, connect

WAIT_S = 1.0
"""Time for the connection to a running cluster; after that, the observer says that it waits."""
_decode_events = msgspec.json.Decoder(list[RoomEvent | Event]).decode
_decode_view = msgspec.json.Decoder(View | None).decode


class Observer:
    """Follows one table after the other, the oldest first, and draws its games."""

    def __init__(self, console: Console, live: Live | None) -> None:
        self._console = console
        self._live = live

    async def watch(self, url: str, name: str) -> None:
        """Observe until cancelled. Raises `CommandError` if the cluster refuses the observer."""
        # Not at once: a malformed address is refused without waiting.
        waiting = asyncio.get_running_loop().call_later(WAIT_S, _say_that_it_waits, url)
        try:
            async with connect(url, name=name, patience_s=math.inf, connect_s=math.inf) as player:
                waiting.cancel()
                observed: set[int] = set()
                async for tables in player.watch_rooms(game="snarl"):
                    for room in sorted(tables.keys() - observed):
                        observed.add(room)
                        try:
                            await self.follow(await player.spectate(room, wants=("view",)))
                        except RequestRefused:
                            continue  # the table is over already, or admits no spectators
        except (ClientError, ValueError) as error:
            raise CommandError(str(error)) from None
        finally:
            waiting.cancel()

    async def follow(self, table: RemoteTable) -> None:
        """Draw the games of a table until it is over."""
        view = _game_of(table.entered)
        self._draw(view, table)
        async for update in table.updates():
            if update.reason and update.view is not None:
                view = _game_of(update.view)
                self._draw(view, table)
            for event in _decode_events(update.events_json):
                if not isinstance(event, BaseRoomEvent):
                    view = fold(view, event)
                    self._draw(view, table)
        await table.leave()

    def _draw(self, view: View, table: RemoteTable) -> None:
        names = {Seat(player.seat): player.name for player in table.view.seats}
        picture = draw_game(view, names, self._console.width)
        if self._live is not None:
            self._live.update(picture, refresh=True)
        else:
            self._console.print(picture)


def _say_that_it_waits(url: str) -> None:
    typer.echo(f"waiting for a cluster at {url}; Ctrl-C ends the command", err=True)


def _game_of(view: TableView) -> View:
    return _decode_view(view.game_json) or View()
