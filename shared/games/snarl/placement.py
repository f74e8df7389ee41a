"""The number of adversaries of a level, and the positions of all actors when it begins."""

from collections.abc import Sequence

from shared.dice import Dice
from shared.games.snarl.boards import floor_of, nearest
from shared.games.snarl.pieces import Actor, Board, Kind, Point
from shared.ids import Seat

MAX_PLAYERS = 4


def zombies(number: int) -> int:
    return number // 2 + 1


def ghosts(number: int) -> int:
    return (number - 1) // 2


def spawn_points(board: Board) -> tuple[Point, ...]:
    """The points where actors can be placed: floor of rooms, without key and exit."""
    taken = (board.key, board.exit)
    return tuple(point for room in board.rooms for point in floor_of(board, room) if point not in taken)


def place(
    board: Board, number: int, players: Sequence[Seat], dice: Dice, spawn_distance: int
) -> tuple[tuple[Actor, ...], tuple[Actor, ...]]:
    """Players and adversaries on distinct points, all drawn alike.

    With a spawn distance adversaries are drawn from the points that far from all players; if there are too few of
    those, the points farthest from the players fill up.
    """
    points = dice.shuffle(spawn_points(board))
    homes, left = points[: len(players)], points[len(players) :]
    if spawn_distance:
        far = [min(nearest(point, homes), spawn_distance) for point in left]
        left = tuple(left[index] for index in sorted(range(len(left)), key=lambda index: -far[index]))
    kinds = [(Kind.ZOMBIE, count) for count in range(1, zombies(number) + 1)]
    kinds += [(Kind.GHOST, count) for count in range(1, ghosts(number) + 1)]
    return (
        tuple(Actor(Kind.PLAYER, seat, home) for seat, home in zip(players, homes, strict=True)),
        tuple(Actor(kind, count, home) for (kind, count), home in zip(kinds, left, strict=False)),
    )
