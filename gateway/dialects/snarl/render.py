"""Messages to the client about levels, moves and the end of the game. Prompts are left to playing.py."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from gateway.dialects.snarl.codec import encode
from gateway.dialects.snarl.listener_options import ListenerOptions
from gateway.dialects.snarl.messages import (
    EndGame,
    EndLevel,
    PlayerScore,
    PlayerUpdate,
    SeenActor,
    SeenObject,
    StartLevel,
)
from gateway.dialects.snarl.table import Table
from shared.games.snarl.events import (
    AdversaryMoved,
    End,
    Event,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Result,
    Windows,
)
from shared.games.snarl.pieces import Window
from shared.ids import Seat

_DEEDS: Final = {
    Result.OK: "moved",
    Result.KEY: "found the key",
    Result.EXIT: "exited",
    Result.EJECT: "was expelled",
}


class Renderer:
    """Renders events for one connection, with the options of its listener."""

    def __init__(self, table: Table, options: ListenerOptions) -> None:
        self._table = table
        self._options = options

    def position(self) -> Iterator[bytes]:
        """The running level, and what the player sees of it: for a player who returns."""
        table = self._table
        connected = tuple(member.seat for member in table.view.connected)
        yield encode(StartLevel(table.view.level, table.names(connected)))
        if table.view.window is not None:
            yield self._update(table.view.window, None)

    def event(self, event: Event) -> Iterator[bytes]:
        """The messages for an event that the table has followed already."""
        table = self._table
        match event:
            case LevelBegan():
                yield encode(StartLevel(event.number, table.names(event.players)))
                yield from self._show(event.windows, None)
            case PlayerMoved():
                yield from self._show(event.windows, self._deed(event.seat, _DEEDS[event.result]))
            case AdversaryMoved(expelled=victim):
                text = None if victim is None else self._deed(victim, _DEEDS[Result.EJECT])
                yield from self._show(event.windows, text)
            case PlayerDisconnected(seat=seat):
                yield from self._show(event.windows, self._deed(seat, "disconnected"))
            case LevelEnded():
                key = None if event.key is None else table.name(event.key)
                yield encode(EndLevel(key, table.names(event.exits), table.names(event.ejects)))
            case GameEnded():
                yield encode(self._end_game(event))
            case _:
                pass

    def _show(self, windows: Windows, text: str | None) -> Iterator[bytes]:
        """The update for the own seat. A seat without a window (its player has left the level) gets no update."""
        window = windows.get(self._table.seat)
        if window is not None:
            yield self._update(window, text)

    def _update(self, window: Window, text: str | None) -> bytes:
        table, options = self._table, self._options
        return encode(
            PlayerUpdate(
                window.layout,
                window.position,
                tuple(SeenObject(item.kind, item.position) for item in window.items),
                tuple(SeenActor(actor.kind, table.actor_name(actor), actor.position) for actor in window.actors),
                "" if text is None and options.message_not_null else text,
                int(table.view.window is not None) if options.health else UNSET,
            )
        )

    def _end_game(self, event: GameEnded) -> EndGame:
        name = self._table.name
        scores = (PlayerScore(name(score.seat), score.exits, score.ejects, score.keys) for score in event.ranking)
        return EndGame(tuple(scores), event.end is End.WON if self._options.game_won else UNSET)

    def _deed(self, seat: Seat, deed: str) -> str:
        return f"Player {self._table.name(seat)} {deed}."
