"""Windows cut from the whole level: what players see, walls or not, two tiles in every direction."""

from collections.abc import Iterable
from functools import lru_cache

from msgspec.structs import replace

from shared.games.snarl.explored import NOTHING_SEEN, explore
from shared.games.snarl.pieces import SIGHT, TILES, VOID, Actor, Board, Item, ItemKind, Kind, Point, Window
from shared.games.snarl.views import View
from shared.ids import Seat

_WIDTH = 2 * SIGHT + 1


def window_at(board: Board, center: Point, actors: Iterable[Actor], own: Actor | None = None) -> Window:
    """The window around a point, without the player's own actor."""
    row, column = center
    items = [Item(ItemKind.EXIT, board.exit)] if board.exit is not None and _sees(center, board.exit) else []
    if board.key is not None and _sees(center, board.key):
        items.insert(0, Item(ItemKind.KEY, board.key))
    near = [
        actor
        for actor in actors
        if -SIGHT <= actor.position[0] - row <= SIGHT
        and -SIGHT <= actor.position[1] - column <= SIGHT
        and actor is not own
    ]
    return Window(center, _layout(board.rows, row, column), tuple(items), tuple(near))


def windows(scene: View, also: tuple[tuple[Seat, Point], ...] = ()) -> dict[Seat, Window]:
    """The windows of all active players, and of those named who have just left the level, from where they stood."""
    board = scene.board
    if board is None:
        return {}
    players = [
        Actor(Kind.PLAYER, member.seat, member.position) for member in scene.active if member.position is not None
    ]
    actors = [*players, *scene.adversaries]
    cut = {Seat(player.number): window_at(board, player.position, actors, player) for player in players}
    for seat, center in also:
        cut[seat] = window_at(board, center, actors)
    return cut


def view_of(scene: View, seat: Seat | None) -> View:
    """The view of a seat, cut from the whole level; without a seat, the whole level."""
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


def explored(board: Board, centers: Iterable[Point]) -> Board:
    """The part of a whole board that players have seen from these points."""
    return explore(NOTHING_SEEN, (window_at(board, center, ()) for center in centers))


def in_sight(adversaries: tuple[Actor, ...], shown: Iterable[Window]) -> tuple[Actor, ...]:
    """The adversaries that at least one of these windows shows, in the order of their moves."""
    seen = [actor for window in shown for actor in window.actors if actor.kind is not Kind.PLAYER]
    return tuple(actor for actor in adversaries if actor in seen) if seen else ()


def _sees(center: Point, point: Point) -> bool:
    return abs(point[0] - center[0]) <= SIGHT and abs(point[1] - center[1]) <= SIGHT


@lru_cache(maxsize=16_384)
def _layout(rows: tuple[str, ...], row: int, column: int) -> tuple[tuple[int, ...], ...]:
    """Walls do not move: the same few places of a level are looked at again and again."""
    return tuple(
        tuple(TILES[cell] for cell in _cells(rows, line, column)) for line in range(row - SIGHT, row + SIGHT + 1)
    )


def _cells(rows: tuple[str, ...], row: int, column: int) -> str:
    if not 0 <= row < len(rows):
        return VOID * _WIDTH
    left = column - SIGHT
    if left < 0:
        return (VOID * -left + rows[row][: column + SIGHT + 1]).ljust(_WIDTH)
    return rows[row][left : left + _WIDTH].ljust(_WIDTH)
