"""The strategy of bots and headless clients: explore, find key and exit, avoid adversaries. It uses only seen tiles."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.dice import Dice
from shared.games.snarl.boards import distance, neighbors
from shared.games.snarl.pieces import Actor, Kind, Point

_WALL: Final = 0
_DOOR: Final = 2
_DARING: Final = 6
"""One in this many moves disregards danger, so that a guarded exit does not keep a player in the level for ever."""


@dataclass(frozen=True, slots=True)
class Known:
    position: Point
    tiles: Mapping[Point, int]
    """All tiles seen in this level."""
    key: Point | None
    exit: Point | None
    """The exit, if it was seen."""
    unlocked: bool
    adversaries: tuple[Actor, ...]
    players: Collection[Point]
    """Positions of players in sight now; `adversaries` are in sight, too."""

    def open(self, point: Point) -> bool:
        return self.tiles.get(point, _WALL) != _WALL

    def goals(self) -> list[Point]:
        """The points to go to: the key or the unlocked exit if it was seen, else the edges of the known tiles."""
        wanted = self.exit if self.unlocked else self.key
        return [wanted] if wanted is not None else list(self._edges())

    def danger(self, move: Point) -> int:
        """2: an adversary is there; 1: one can come there in its next step; 0: safe. Leaving the level is safe."""
        if any(actor.position == move for actor in self.adversaries):
            return 2
        if self.unlocked and move == self.exit:
            return 0
        return int(any(self._threatens(actor, move) for actor in self.adversaries))

    def _threatens(self, actor: Actor, move: Point) -> bool:
        shut_out = actor.kind is Kind.ZOMBIE and self.tiles.get(move) == _DOOR
        return distance(actor.position, move) == 1 and not shut_out

    def _edges(self) -> Iterable[Point]:
        for point, tile in self.tiles.items():
            if tile != _WALL and any(beside not in self.tiles for beside in neighbors(point)):
                yield point


def choose(known: Known, dice: Dice) -> Point:
    """The point to go to; the own one if there is nothing better."""
    moves = reach(known.position, known.open, known.players)
    daring = not dice.below(_DARING)
    far = _distances(known, moves)
    unreached = len(known.tiles)

    def worth(move: Point) -> tuple[int, int]:
        danger = known.danger(move)
        return (0 if daring and danger == 1 else danger), far.get(move, unreached)

    best = min(worth(move) for move in moves)
    return dice.choice([move for move in moves if worth(move) == best])


def _distances(known: Known, wanted: Collection[Point]) -> dict[Point, int]:
    """The distances of the wanted points from the nearest goal, over known tiles."""
    goals = known.goals()
    steps = dict.fromkeys(goals, 0)
    waiting, missing = deque(goals), set(wanted).difference(goals)
    while waiting and missing:
        point = waiting.popleft()
        for beside in neighbors(point):
            if beside not in steps and known.open(beside):
                steps[beside] = steps[point] + 1
                missing.discard(beside)
                waiting.append(beside)
    return steps


def reach(start: Point, is_open: Callable[[Point], bool], taken: Collection[Point]) -> list[Point]:
    """All points within two steps, without those that other players hold."""
    near = [point for point in neighbors(start) if is_open(point)]
    far = [point for middle in near for point in neighbors(middle) if is_open(point)]
    return sorted({start, *near, *far}.difference(taken))
