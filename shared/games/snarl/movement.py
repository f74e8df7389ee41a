"""The legal moves of actors, and the result of a player's move. Nothing here chooses a move."""

from collections.abc import Iterator

from shared.games.snarl.boards import PASSABLE, STEPS, floor_of, neighbors
from shared.games.snarl.events import Result
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.pieces import FLOOR, WALL, Actor, Area, Point
from shared.games.snarl.views import Member, View


def destinations(scene: View, house: HouseRules, mover: Member) -> tuple[Point, ...]:
    """The points a player may name: the own one, and all that two cardinal steps lead to and no other player holds."""
    board, start = scene.whole, mover.position
    if start is None:
        return ()
    others = {member.position for member in scene.active if member.seat != mover.seat}
    barred = others.union(actor.position for actor in scene.adversaries) if house.occupants_block else set()
    found = {start: None}
    for down, right in STEPS:
        near = (start[0] + down, start[1] + right)
        if board.at(near) not in PASSABLE:
            continue
        found[near] = None
        if near not in barred:
            found.update(dict.fromkeys(point for point in neighbors(near) if board.at(point) in PASSABLE))
    return tuple(sorted(point for point in found if point not in others))


def arrival(scene: View, house: HouseRules, to: Point, *, stays: bool) -> Result:
    """The result of a player's move to a tile."""
    board = scene.whole
    guarded = any(actor.position == to for actor in scene.adversaries)
    if guarded and house.adversary_first:
        return Result.EJECT
    if to == board.key:
        return Result.KEY
    if to == board.exit and board.key is None and (house.stay_exits or not stays):
        return Result.EXIT
    return Result.EJECT if guarded and not stays else Result.OK


def zombie_steps(scene: View, zombie: Actor) -> tuple[Point, ...]:
    """Floor of the room beside it, unless another adversary is there; doors are closed to it."""
    board = scene.whole
    taken = _others(scene, zombie)
    return tuple(point for point in neighbors(zombie.position) if board.at(point) == FLOOR and point not in taken)


def ghost_steps(scene: View, house: HouseRules, ghost: Actor) -> tuple[Point, ...]:
    """Any tile beside it that belongs to a room or a hallway, walls included as long as they lead anywhere."""
    board = scene.whole
    taken = set() if house.ghosts_share else _others(scene, ghost)
    walls = next(landing_rooms(scene, ghost), None) is not None
    enterable = PASSABLE + WALL if walls else PASSABLE
    return tuple(point for point in neighbors(ghost.position) if board.at(point) in enterable and point not in taken)


def landing_rooms(scene: View, ghost: Actor) -> Iterator[Area]:
    """The rooms with a tile that a transport can end on."""
    taken = _unfit(scene, ghost)
    for room in scene.whole.rooms:
        if any(point not in taken for point in floor_of(scene.whole, room)):
            yield room


def landings(scene: View, ghost: Actor, room: Area) -> tuple[Point, ...]:
    """Floor of the room without actors, key or exit. The tile that the ghost has just left is free."""
    taken = _unfit(scene, ghost)
    return tuple(point for point in floor_of(scene.whole, room) if point not in taken)


def _unfit(scene: View, ghost: Actor) -> set[Point | None]:
    return {scene.whole.key, scene.whole.exit, *(member.position for member in scene.active), *_others(scene, ghost)}


def _others(scene: View, adversary: Actor) -> set[Point]:
    return {actor.position for actor in scene.adversaries if actor != adversary}
