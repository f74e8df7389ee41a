"""Snarl levels for tests, and games put into a chosen position."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from shared.dice import Dice
from shared.errors import Rejected
from shared.games.snarl.adversaries import AdversaryStep
from shared.games.snarl.boards import draw
from shared.games.snarl.commands import Move
from shared.games.snarl.events import Event, GameBegan, LevelBegan, TurnCame
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Bounds, Hallway, Level, Placed, Room
from shared.games.snarl.pieces import Actor, ItemKind, Kind, Point
from shared.games.snarl.rules import decide
from shared.games.snarl.state import State, evolve
from shared.games.snarl.views import View
from shared.ids import Seat

_TILES = {"#": 0, ".": 1, "+": 2}


def room(row: int, column: int, *drawing: str) -> Room:
    layout = tuple(tuple(_TILES[cell] for cell in line) for line in drawing)
    return Room((row, column), Bounds(len(drawing), len(drawing[0])), layout)


def things(key: Point, exit_: Point) -> tuple[Placed, ...]:
    return Placed(ItemKind.KEY, key), Placed(ItemKind.EXIT, exit_)


WORKED = Level(
    (
        room(2, 2, "#####", "#...#", "#...+", "#...#", "#####"),
        room(8, 8, "##+##", "#...#", "#...#", "#...#", "#####"),
    ),
    (Hallway((4, 6), (8, 10), ((4, 10),)),),
    things(key=(10, 10), exit_=(4, 4)),
)
"""Two rooms and a bent hallway."""

HALL = Level(
    (room(0, 0, "##########", "#........#", "#..##....#", "#........#", "#........#", "##########"),),
    (),
    things(key=(1, 1), exit_=(4, 8)),
)
"""One room with an inner wall."""


def zombie(number: int, position: Point) -> Actor:
    return Actor(Kind.ZOMBIE, number, position)


def ghost(number: int, position: Point) -> Actor:
    return Actor(Kind.GHOST, number, position)


def stage(
    level: Level,
    players: Mapping[int, Point],
    adversaries: Sequence[Actor] = (),
    *,
    number: int = 1,
    last: int = 1,
    house: HouseRules | None = None,
    grace_ms: int = 0,
    move_time_ms: int = 0,
    seed: int = 7,
    unlocked: bool = False,
) -> State:
    """A game in which the first player of `players`, who are in the order of play, has the turn."""
    order = tuple(Seat(seat) for seat in players)
    places = tuple(Actor(Kind.PLAYER, seat, position) for seat, position in players.items())
    board = draw(level)
    state = State()
    for event in (
        GameBegan(order, number, last, move_time_ms, grace_ms, house or HouseRules(), seed),
        LevelBegan(number, order, board, places, tuple(adversaries)),
        TurnCame(order[0]),
    ):
        state = evolve(state, event)
    if unlocked:
        state = unlock(state)
    return state


def unlock(state: State) -> State:
    """The key was found by the last player in the order."""
    scene = state.scene
    found = replace(scene, key=scene.party[-1].seat, board=replace(scene.whole, key=None))
    return replace(state, scene=found)


def do(state: State, seat: int, to: Point | None) -> tuple[State, tuple[Event, ...]]:
    """A move that must be legal."""
    events = decide(state, Seat(seat), Move(to))
    assert not isinstance(events, Rejected), events
    return after(state, events), events


def after(state: State, events: Sequence[Event]) -> State:
    for event in events:
        state = evolve(state, event)
    return state


def statue(_scene: View, _house: HouseRules, adversary: Actor, _dice: Dice) -> AdversaryStep:
    """In the place of `next_step`: an adversary that never moves."""
    return AdversaryStep(adversary.position)
