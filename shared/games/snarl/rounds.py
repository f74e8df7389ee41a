"""The course of a game: turns, the adversaries' moves after each round, levels and the end."""

from collections.abc import Sequence

from msgspec.structs import replace

from shared.dice import Dice
from shared.games.snarl.adversaries import next_step
from shared.games.snarl.boards import draw
from shared.games.snarl.events import (
    AdversaryMoved,
    End,
    GameEnded,
    LevelBegan,
    LevelEnded,
    PlayerDisconnected,
    PlayerMoved,
    Score,
    TurnCame,
)
from shared.games.snarl.level_generator import generate
from shared.games.snarl.pieces import Point
from shared.games.snarl.placement import place
from shared.games.snarl.state import StepDraft
from shared.games.snarl.views import Member, Standing, View
from shared.games.snarl.windows import in_sight, windows
from shared.ids import Seat


def show(
    draft: StepDraft,
    event: LevelBegan | PlayerMoved | AdversaryMoved | PlayerDisconnected,
    also: tuple[tuple[Seat, Point], ...] = (),
) -> None:
    """Emit an event together with what all active players see after it."""
    draft.emit(event)
    # The windows are cut from the state after the event. That state does not depend on them, so that the event can be
    # completed once it was applied, instead of applying it twice.
    scene = draft.state.scene
    shown = windows(scene, also)
    sighted = None
    if not draft.state.whole_level:
        left = {seat for seat, _ in also}
        sighted = in_sight(scene.adversaries, [window for seat, window in shown.items() if seat not in left])
    draft.events[-1] = replace(event, windows=shown, sighted=sighted)


def end_turn(draft: StepDraft, seat: Seat) -> None:
    """Give the turn to the next active player; after the last one the adversaries move first, and a round is over."""
    following = _next_active(draft.state.scene, seat)
    if draft.state.scene.active and following is None:
        _move_adversaries(draft)
        following = next(iter(draft.state.scene.active), None)
    if following is None:
        _end_level(draft)
    else:
        draft.emit(TurnCame(following.seat))


def disconnect(draft: StepDraft, seat: Seat) -> None:
    """Take a player out of the game for good, whether or not it is this player's turn."""
    scene = draft.state.scene
    member = scene.member(seat)
    if scene.end is not None or member.standing is Standing.DISCONNECTED:
        return
    ejected = draft.state.house.loss_ejects and member.standing is Standing.ACTIVE
    show(draft, PlayerDisconnected(seat, ejected))
    if scene.turn == seat or not draft.state.scene.active:
        end_turn(draft, seat)


def begin_level(draft: StepDraft, number: int) -> None:
    """Draw the board, place everyone who is connected, and give the first of them the turn."""
    state = draft.state
    level = state.levels[number - 1] if state.levels else generate(state.seed, number)
    board = draw(level)
    players = tuple(member.seat for member in state.scene.connected)
    places, adversaries = place(
        board, number, players, Dice(state.seed, "placement", number), state.house.spawn_distance
    )
    show(draft, LevelBegan(number, players, board, places, adversaries))
    draft.emit(TurnCame(players[0]))


def _next_active(scene: View, seat: Seat) -> Member | None:
    place_in_order = [member.seat for member in scene.party].index(seat)
    later = scene.party[place_in_order + 1 :]
    return next((member for member in later if member.standing is Standing.ACTIVE), None)


def _move_adversaries(draft: StepDraft) -> None:
    """Move the adversaries one after the other, as long as any player is active."""
    for index in range(len(draft.state.scene.adversaries)):
        state, scene = draft.state, draft.state.scene
        if not scene.active:
            return
        adversary = scene.adversaries[index]
        step = next_step(scene, state.house, adversary, Dice(state.seed, "step", scene.turns, index))
        victim = next((member.seat for member in scene.active if member.position == step.to), None)
        show(
            draft,
            AdversaryMoved(victim, adversary.kind, adversary.number, step.to, step.through),
            also=() if victim is None else ((victim, step.to),),
        )


def _end_level(draft: StepDraft) -> None:
    scene = draft.state.scene
    draft.emit(LevelEnded(scene.level, scene.key, scene.exits, scene.ejects))
    if not scene.connected:
        _end_game(draft, End.DESERTED)
    elif not scene.exits:
        _end_game(draft, End.LOST)
    elif scene.level == scene.last:
        _end_game(draft, End.WON)
    else:
        begin_level(draft, scene.level + 1)


def _end_game(draft: StepDraft, end: End) -> None:
    scores = [Score(member.seat, member.exits, member.ejects, member.keys) for member in draft.state.scene.party]
    draft.emit(GameEnded(end, ranked(scores)))


def ranked(scores: Sequence[Score]) -> tuple[Score, ...]:
    """The best score first; equal ones stay in the order of joining."""
    return tuple(sorted(scores, key=merit, reverse=True))


def merit(score: Score) -> tuple[int, int, int]:
    """The sorting key of the ranking: more exits, then more keys, then fewer ejects."""
    return score.exits, score.keys, -score.ejects
