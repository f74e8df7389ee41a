"""The state of a game: the whole level, the secrets, and the absent players."""

from typing import TypeAlias

from msgspec.structs import replace

from shared.game import Draft, Value
from shared.games.snarl.events import (
    CameBack,
    Event,
    GameBegan,
    LevelBegan,
    PlayerDisconnected,
    PlayerMoved,
    Result,
    WentAway,
)
from shared.games.snarl.house_rules import HouseRules
from shared.games.snarl.levels import Level
from shared.games.snarl.pieces import Point
from shared.games.snarl.views import View, fold
from shared.ids import Seat


class State(Value, frozen=True):
    scene: View = View()
    seed: int = 0
    levels: tuple[Level, ...] = ()
    house: HouseRules = HouseRules()
    move_time_ms: int = 0
    grace_ms: int = 0
    away: dict[Seat, int] = {}
    """The seats of players who may come back, each with the number of the absence."""
    absences: int = 0
    trails: dict[Seat, tuple[Point, ...]] = {}
    """The points where each player has been in this level. Bots and spectators know the level as far as it is seen from
    there."""
    whole_level: bool = False
    """Spectators see the whole level."""


StepDraft: TypeAlias = Draft[State, Event]


def evolve(state: State, event: Event) -> State:
    scene = fold(state.scene, event)
    match event:
        case GameBegan():
            return State(
                scene,
                event.seed,
                event.levels,
                event.house,
                event.move_time_ms,
                event.grace_ms,
                whole_level=event.whole_level,
            )
        case LevelBegan():
            return replace(state, scene=scene, trails={Seat(actor.number): (actor.position,) for actor in event.places})
        case PlayerMoved(seat=seat, result=Result.OK | Result.KEY, to=to) if to is not None:
            if to in state.trails.get(seat, ()):
                return replace(state, scene=scene)
            longer = (*state.trails.get(seat, ()), to)
            return replace(state, scene=scene, trails={**state.trails, seat: longer})
        case WentAway(seat=seat):
            absences = state.absences + 1
            return replace(state, scene=scene, away={**state.away, seat: absences}, absences=absences)
        case CameBack(seat=seat) | PlayerDisconnected(seat=seat):
            away = {other: number for other, number in state.away.items() if other != seat}
            return replace(state, scene=scene, away=away)
        case _:
            return replace(state, scene=scene)
