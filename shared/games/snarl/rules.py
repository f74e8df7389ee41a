"""Turns, rounds, levels and the end. Adversaries move in the step that ends a round."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Outcome, Table
from shared.games.snarl.adversaries import next_step
from shared.games.snarl.boards import draw
from shared.games.snarl.commands import Command, ForfeitTurn, Move
from shared.games.snarl.events import (
    AdversaryMoved,
    End,
    Event,
    GameBegan,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Score,
    TurnCame,
    TurnLost,
)
from shared.games.snarl.generator import generate
from shared.games.snarl.movement import arrival, destinations
from shared.games.snarl.options import Options
from shared.games.snarl.placement import place
from shared.games.snarl.sights import Point
from shared.games.snarl.state import State, evolve
from shared.games.snarl.views import Member, Standing, View
from shared.games.snarl.windows import windows
from shared.ids import Seat


@dataclass(slots=True)
class Script:
    """The events of a step while they are being written, and the state after the last of them."""

    state: State
    events: list[Event] = field(default_factory=list)

    @property
    def scene(self) -> View:
        return self.state.scene

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)

    def show(
        self,
        event: LevelBegan | PlayerMoved | AdversaryMoved | PlayerDisconnected,
        also: tuple[tuple[Seat, Point], ...] = (),
    ) -> None:
        """Add an event together with what all active players see after it."""
        self.state = evolve(self.state, event)
        self.events.append(replace(event, windows=windows(self.state.scene, also)))


def setup(table: Table[Options]) -> tuple[Event, ...]:
    chosen = table.options
    script = Script(State())
    script.add(
        GameBegan(
            table.order,
            chosen.start,
            chosen.last,
            chosen.move_time_ms,
            chosen.grace_ms,
            chosen.house,
            table.seed,
            chosen.given,
        )
    )
    _begin_level(script, chosen.start)
    return tuple(script.events)


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.scene.turn is None else (state.scene.turn,)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    """Staying comes twice, as `null` and as the own tile: both can be said."""
    if seat not in turn(state):
        return ()
    points = destinations(state.scene, state.house, state.scene.member(seat))
    return (Move(None), *map(Move, points), ForfeitTurn())


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    if state.scene.end is not None:
        return Rejected("game/over")
    if seat not in turn(state):
        return Rejected("game/not_your_turn")
    script = Script(state)
    match command:
        case ForfeitTurn():
            script.add(TurnLost(seat))
        case Move(to=to):
            mover = state.scene.member(seat)
            goal = mover.position if to is None else to
            if goal is None or goal not in destinations(state.scene, state.house, mover):
                return Rejected("game/illegal", "no free tile is there within two steps")
            result = arrival(state.scene, state.house, goal, stays=goal == mover.position)
            script.show(PlayerMoved(seat, result, goal))
    go_on(script, seat)
    return tuple(script.events)


def outcome(state: State) -> Outcome | None:
    scene = state.scene
    if scene.end is None:
        return None
    best = [score for score in scene.ranking if _merit(score) == _merit(scene.ranking[0])]
    return Outcome(
        tuple(sorted(score.seat for score in best)) if scene.end is End.WON else (),
        scene.end.value,
        {score.seat: score.exits for score in scene.ranking},
    )


def disconnect(state: State, seat: Seat) -> tuple[Event, ...]:
    """The player is out of the game, at once and whoever's turn it is."""
    scene = state.scene
    member = scene.member(seat)
    if scene.end is not None or member.standing is Standing.DISCONNECTED:
        return ()
    script = Script(state)
    ejected = state.house.loss_ejects and member.standing is Standing.ACTIVE
    script.show(PlayerDisconnected(seat, ejected))
    if scene.turn == seat or not script.scene.active:
        go_on(script, seat)
    return tuple(script.events)


def go_on(script: Script, seat: Seat) -> None:
    """What follows once this player's turn is over: the next player's or, after the last one, the adversaries'."""
    following = _next_active(script.scene, seat)
    if script.scene.active and following is None:
        _move_adversaries(script)
        following = next(iter(script.scene.active), None)
    if following is None:
        _end_level(script)
    else:
        script.add(TurnCame(following.seat))


def _next_active(scene: View, seat: Seat) -> Member | None:
    place_in_order = [member.seat for member in scene.party].index(seat)
    later = scene.party[place_in_order + 1 :]
    return next((member for member in later if member.standing is Standing.ACTIVE), None)


def _move_adversaries(script: Script) -> None:
    """One after the other, until nobody is left to hunt."""
    for index in range(len(script.scene.adversaries)):
        if not script.scene.active:
            return
        scene = script.scene
        adversary = scene.adversaries[index]
        step = next_step(scene, script.state.house, adversary, Dice(script.state.seed, "step", scene.turns, index))
        victim = next((member.seat for member in scene.active if member.position == step.to), None)
        script.show(
            AdversaryMoved(victim, adversary.kind, adversary.number, step.to, step.through),
            also=() if victim is None else ((victim, step.to),),
        )


def _begin_level(script: Script, number: int) -> None:
    state, scene = script.state, script.scene
    level = state.levels[number - 1] if state.levels else generate(state.seed, number)
    board = draw(level)
    players = tuple(member.seat for member in scene.connected)
    places, adversaries = place(
        board, number, players, Dice(state.seed, "placement", number), state.house.spawn_distance
    )
    script.show(LevelBegan(number, players, board, places, adversaries))
    script.add(TurnCame(players[0]))


def _end_level(script: Script) -> None:
    scene = script.scene
    script.add(LevelEnded(scene.level, scene.key, scene.exits, scene.ejects))
    if not scene.connected:
        _end_game(script, End.DESERTED)
    elif not scene.exits:
        _end_game(script, End.LOST)
    elif scene.level == scene.last:
        _end_game(script, End.WON)
    else:
        _begin_level(script, scene.level + 1)


def _end_game(script: Script, end: End) -> None:
    scores = [Score(member.seat, member.exits, member.ejects, member.keys) for member in script.scene.party]
    script.add(GameEnded(end, ranked(scores)))


def ranked(scores: Sequence[Score]) -> tuple[Score, ...]:
    """The best first; equals stay in the order of joining."""
    return tuple(sorted(scores, key=_merit, reverse=True))


def _merit(score: Score) -> tuple[int, int, int]:
    """More exits, then more keys, then fewer ejects."""
    return score.exits, score.keys, -score.ejects
