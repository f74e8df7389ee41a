"""Draws the view of a Snarl spectator for the terminal: the level as far as it is shown, and the players. No loop, no
IO."""

from collections.abc import Mapping
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from shared.games.snarl.events import End
from shared.games.snarl.pieces import DOOR, FLOOR, HALLWAY, VOID, WALL, Board, Kind, Point
from shared.games.snarl.views import Member, Standing, View
from shared.ids import Seat

_CELLS: Final = {
    VOID: ("  ", ""),
    WALL: ("██", "grey35"),
    FLOOR: ("· ", "grey42"),
    HALLWAY: ("░░", "grey30"),
    DOOR: ("▒▒", "dark_goldenrod"),
}
_FRAME: Final = 6
"""Columns of the frame around a level."""
_PLAYER_COLORS: Final = ("bright_cyan", "bright_yellow", "bright_magenta", "bright_green")
_ADVERSARIES: Final = {Kind.ZOMBIE: ("Z", "bold white on dark_green"), Kind.GHOST: ("G", "bold black on grey85")}
_STANDINGS: Final = {
    Standing.ACTIVE: ("in the level", "white"),
    Standing.EXITED: ("exited", "green"),
    Standing.EJECTED: ("expelled", "red"),
    Standing.DISCONNECTED: ("disconnected", "grey50"),
}
_ENDS: Final = {
    End.WON: ("The dungeon is conquered.", "bold green"),
    End.LOST: ("The dungeon has won.", "bold red"),
    End.DESERTED: ("Everybody has left.", "bold grey62"),
}


def draw_game(view: View, names: Mapping[Seat, str], width: int = 120) -> RenderableType:
    """The level with all actors, and below it a table of the players.

    Tiles are two characters wide, so that they look square, unless the level would be too wide for the terminal.
    """
    if view.board is None:
        return Panel(Text("waiting for players", style="dim"), title="Snarl", border_style="grey42", expand=False)
    tile = 2 if 2 * max(map(len, view.board.rows)) + _FRAME <= width else 1
    level = Panel(
        draw_level(view, view.board, tile),
        title=Text(f" Level {view.level} of {view.last} ", style="bold"),
        border_style="grey42",
        padding=(1, 2),
        expand=False,
    )
    parts: list[RenderableType] = [level, _exit_status(view), _party(view, names)]
    if view.end is not None:
        parts.append(Text(*_ENDS[view.end]))
    return Group(*parts)


def draw_level(view: View, board: Board, tile: int) -> Text:
    marks = _marks(view, board)
    picture = Text(no_wrap=True, overflow="crop")
    for row, cells in enumerate(board.rows):
        if row:
            picture.append("\n")
        for column, cell in enumerate(cells):
            symbol, style = marks.get((row, column)) or _CELLS[cell]
            picture.append(symbol.ljust(2)[:tile], style)
    return picture


def _marks(view: View, board: Board) -> dict[Point, tuple[str, str]]:
    """Symbol and style of the tiles that an object or an actor covers; actors cover objects."""
    marks: dict[Point, tuple[str, str]] = {}
    if board.exit is not None:
        marks[board.exit] = ("▼ ", "bold red" if view.key is None else "bold bright_green")
    if board.key is not None:
        marks[board.key] = ("♦ ", "bold gold1")
    for member in view.party:
        if member.position is not None:
            marks[member.position] = (_number(view, member), f"bold black on {_color(view, member)}")
    for adversary in view.adversaries:
        symbol, style = _ADVERSARIES[adversary.kind]
        marks[adversary.position] = (f"{symbol}{adversary.number % 10}", style)
    return marks


def _exit_status(view: View) -> Text:
    if view.key is not None:
        return Text("  ▼ the exit is unlocked", style="green")
    return Text("  ♦ find the key   ▼ the exit is locked", style="red")


def _party(view: View, names: Mapping[Seat, str]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for title in ("", "player", "", "exits", "keys", "ejects"):
        table.add_column(title, justify="right" if title in ("exits", "keys", "ejects") else "left")
    for member in view.party:
        text, style = _STANDINGS[member.standing]
        if member.seat == view.turn:
            text, style = "to move", "bold"
        color = _color(view, member)
        table.add_row(
            Text(f" {_number(view, member)}", style=f"bold black on {color}"),
            Text(names.get(member.seat, f"seat {member.seat}"), style=color),
            Text(text, style=style),
            *(str(count) for count in (member.exits, member.keys, member.ejects)),
        )
    return table


def _number(view: View, member: Member) -> str:
    """Players are numbered in the order of play."""
    return f"{view.party.index(member) + 1} "


def _color(view: View, member: Member) -> str:
    return _PLAYER_COLORS[view.party.index(member) % len(_PLAYER_COLORS)]
