"""The commands a player may give now, and what they do. The course of rounds and levels is in rounds.py."""

from shared.errors import Rejected
from shared.game import Draft
from shared.games.snarl.commands import Command, ForfeitTurn, Move
from shared.games.snarl.events import Event, PlayerMoved, TurnLost
from shared.games.snarl.movement import arrival, destinations
from shared.games.snarl.refusals import refused
from shared.games.snarl.rounds import end_turn, show
from shared.games.snarl.state import State, evolve
from shared.ids import Seat


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.scene.turn is None else (state.scene.turn,)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    """All commands of the seat. Staying is listed twice, as `null` and as the own tile: both are accepted."""
    if seat not in turn(state):
        return ()
    points = destinations(state.scene, state.house, state.scene.member(seat))
    return (Move(None), *map(Move, points), ForfeitTurn())


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    """A move is legal if `destinations` has its point, which is what `options` lists."""
    if state.scene.end is not None:
        return refused("game/over")
    if seat not in turn(state):
        return refused("game/not_your_turn")
    draft = Draft(state, evolve)
    match command:
        case ForfeitTurn():
            draft.emit(TurnLost(seat))
        case Move(to=to):
            mover = state.scene.member(seat)
            goal = mover.position if to is None else to
            if goal is None or goal not in destinations(state.scene, state.house, mover):
                return refused("game/illegal")
            result = arrival(state.scene, state.house, goal, stays=goal == mover.position)
            show(draft, PlayerMoved(seat, result, goal))
    end_turn(draft, seat)
    return tuple(draft.events)
