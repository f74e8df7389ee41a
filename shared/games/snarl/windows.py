"""Windows cut from the whole level: what players see, walls or not, two tiles in every direction."""

from functools import lru_cache

from msgspec.structs import replace

from shared.games.snarl.sights import SIGHT, TILES, VOID, Actor, Board, Item, ItemKind, Kind, Point, Window
from shared.games.snarl.views import View
from shared.ids import Seat

_WIDTH = 2 * SIGHT + 1


def window_at(board: Board, centre: Point, actors: tuple[Actor, ...]) -> Window:
    row, column = centre
    layout = tuple(_tiles(_cells(board, line, column)) for line in range(row - SIGHT, row + SIGHT + 1))
    items = [Item(ItemKind.EXIT, board.exit)] if _sees(centre, board.exit) else []
    if board.key is not None and _sees(centre, board.key):
        items.insert(0, Item(ItemKind.KEY, board.key))
    return Window(centre, layout, tuple(items), tuple(actor for actor in actors if _sees(centre, actor.position)))


def windows(scene: View, also: tuple[tuple[Seat, Point], ...] = ()) -> dict[Seat, Window]:
    """The windows of all active players, and of those named who have just left the level, from where they stood."""
    board = scene.board
    if board is None:
        return {}
    players = [
        Actor(Kind.PLAYER, member.seat, member.position) for member in scene.active if member.position is not None
    ]
    centres = [(Seat(player.number), player.position) for player in players] + list(also)
    return {
        seat: window_at(board, centre, (*(player for player in players if player.number != seat), *scene.adversaries))
        for seat, centre in centres
    }


def view_of(scene: View, seat: Seat | None) -> View:
    """The view of a seat, cut from that of a spectator."""
    if seat is None:
        return scene
    return replace(
        scene,
        you=seat,
        party=tuple(replace(member, position=None) for member in scene.party),
        board=None,
        adversaries=(),
        window=windows(scene).get(seat),
    )


def _sees(centre: Point, point: Point) -> bool:
    return abs(point[0] - centre[0]) <= SIGHT and abs(point[1] - centre[1]) <= SIGHT


def _cells(board: Board, row: int, column: int) -> str:
    if not 0 <= row < len(board.rows):
        return VOID * _WIDTH
    left = column - SIGHT
    if left < 0:
        return (VOID * -left + board.rows[row][: column + SIGHT + 1]).ljust(_WIDTH)
    return board.rows[row][left : left + _WIDTH].ljust(_WIDTH)


@lru_cache(maxsize=4096)
def _tiles(cells: str) -> tuple[int, ...]:
    return tuple(TILES[cell] for cell in cells)
