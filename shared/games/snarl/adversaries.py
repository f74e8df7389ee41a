"""The moves of zombies and ghosts. Both run at a near player; they differ in how they search for one."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple, TypeAlias

from shared.dice import Dice
from shared.games.snarl.boards import PASSABLE, distance, neighbors
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.movement import ghost_steps, landing_rooms, landings, zombie_steps
from shared.games.snarl.pieces import WALL, Actor, Board, Kind, Point
from shared.games.snarl.views import View

GHOST_RANGE: Final = 6
"""The number of steps within which a ghost notices a player."""


class AdversaryStep(NamedTuple):
    to: Point
    through: Point | None = None


def next_step(scene: View, house: HouseRules, adversary: Actor, dice: Dice) -> AdversaryStep:
    return _STRATEGIES[adversary.kind](scene, house, adversary, dice)


def _zombie(scene: View, _house: HouseRules, me: Actor, dice: Dice) -> AdversaryStep:
    """A zombie hunts the players in its room, along the shortest way inside; without any it wanders."""
    board, steps = scene.whole, zombie_steps(scene, me)
    if not steps:
        return AdversaryStep(me.position)
    room = board.room_at(me.position)
    if room is None:
        return AdversaryStep(dice.choice(steps))
    prey = [member.position for member in scene.active if member.position and member.position in room]
    closest = _first_met(prey, steps, lambda point: point in room and board.at(point) in PASSABLE)
    return AdversaryStep(dice.choice(closest or steps))


def _ghost(scene: View, house: HouseRules, me: Actor, dice: Dice) -> AdversaryStep:
    """A ghost runs at a near player, through doors and hallways; without one it seeks a wall to be transported by."""
    board, steps = scene.whole, ghost_steps(scene, house, me)
    if not steps:
        return AdversaryStep(me.position)
    open_steps = [point for point in steps if board.at(point) != WALL]
    players = [member.position for member in scene.active if member.position]
    prey = [position for position in players if distance(position, me.position) <= GHOST_RANGE]
    chase = _first_met(prey, open_steps, lambda point: board.at(point) in PASSABLE, GHOST_RANGE)
    if chase:
        return AdversaryStep(dice.choice(chase))
    walls = [point for point in steps if board.at(point) == WALL]
    if walls:
        return _vanish(scene, me, dice.choice(walls), dice)
    return AdversaryStep(dice.choice(_towards_wall(board, me.position, open_steps) or steps))


def _vanish(scene: View, me: Actor, wall: Point, dice: Dice) -> AdversaryStep:
    room = dice.choice(tuple(landing_rooms(scene, me)))
    return AdversaryStep(dice.choice(landings(scene, me, room)), through=wall)


def _first_met(
    sources: Sequence[Point], wanted: Collection[Point], walkable: Callable[[Point], bool], most: int = 1 << 30
) -> list[Point]:
    """The wanted points that waves from the sources reach first, within so many steps of an actor beside them."""
    met = sorted(set(wanted).intersection(sources))
    seen, wave, gone = set(sources), deque(sources), 1
    while wave and not met and gone < most:
        gone += 1
        for _ in range(len(wave)):
            for point in neighbors(wave.popleft()):
                if point not in seen and walkable(point):
                    seen.add(point)
                    wave.append(point)
        met = sorted(seen.intersection(wanted))
    return met


def _towards_wall(board: Board, start: Point, steps: Collection[Point]) -> list[Point]:
    """The steps that lead to the nearest wall of a room."""
    seen, wave = {start, *steps}, deque((point, point) for point in steps)
    while wave:
        found: list[Point] = []
        for _ in range(len(wave)):
            point, first = wave.popleft()
            for beside in neighbors(point):
                if board.at(beside) == WALL:
                    found.append(first)
                elif beside not in seen and board.at(beside) in PASSABLE:
                    seen.add(beside)
                    wave.append((beside, first))
        if found:
            return sorted(set(found))
    return []


_Strategy: TypeAlias = Callable[[View, HouseRules, Actor, Dice], AdversaryStep]

_STRATEGIES: Final[dict[Kind, _Strategy]] = {Kind.ZOMBIE: _zombie, Kind.GHOST: _ghost}
