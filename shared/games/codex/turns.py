"""The order of turns, from the first choice to the final scoring. See docs/games/codex.md, "The end"."""

from typing import Final

from shared.games.codex.area import free_cells, grid_of
from shared.games.codex.drawing import can_draw, draw
from shared.games.codex.events import GameEnded, LastRoundBegan, PhaseBegan, TurnBegan, TurnPassed
from shared.games.codex.pieces import Phase
from shared.games.codex.scoring import score_objectives, standings, winners
from shared.games.codex.state import State, StepDraft
from shared.ids import Seat

POINTS_THAT_END: Final = 20

_SETUP: Final = {Phase.STARTING: Phase.COLOR, Phase.COLOR: Phase.OBJECTIVE, Phase.OBJECTIVE: Phase.PLAYING}


def is_stuck(state: State, seat: Seat) -> bool:
    """Whether the player can place nothing, now or ever: no cell is free, or no card is left."""
    player = state.table.players[seat]
    return not player.hand or next(free_cells(grid_of(player.area)), None) is None


def after_choice(draft: StepDraft) -> None:
    """Go on after the current player's choice in the setup."""
    table = draft.state.table
    following = table.order.index(_current(draft)) + 1
    if following < len(table.order):
        draft.emit(TurnBegan(table.order[following]))
        return
    phase = _SETUP[table.phase]
    draft.emit(PhaseBegan(phase), TurnBegan(table.order[0], 1 if phase is Phase.PLAYING else 0))


def after_placing(draft: StepDraft) -> None:
    table = draft.state.table
    if table.last_round or not can_draw(draft.state) or not _able(draft.state):
        next_turn(draft)
    else:
        draft.emit(PhaseBegan(Phase.DRAWING), TurnBegan(_current(draft), table.round))


def draw_card(draft: StepDraft, place: int) -> None:
    draft.emit(*draw(draft.state, _current(draft), place))
    next_turn(draft)


def pass_turn(draft: StepDraft) -> None:
    """Pass the turn of the current player, who is away."""
    draft.emit(TurnPassed(_current(draft), "away"))
    next_turn(draft)


def next_turn(draft: StepDraft) -> None:
    """The current player's turn is over: begin the next one that can be played, or end the game."""
    table = draft.state.table
    order, number = table.order, table.round
    following = order.index(_current(draft)) + 1
    ring = (*order[following:], *order[:following])
    target = next((seat for seat in ring if not is_stuck(draft.state, seat)), None)
    if target is None or (draft.state.presence.left and not _able(draft.state)):
        score_and_end(draft)
        return
    for seat in ring:
        if seat == order[0]:
            if table.last_round:
                score_and_end(draft)
                return
            if _end_is_near(draft.state):
                draft.emit(LastRoundBegan())
            number += 1
        if seat == target:
            break
        draft.emit(TurnPassed(seat, "stuck"))
    if table.phase is not Phase.PLAYING:
        draft.emit(PhaseBegan(Phase.PLAYING))
    draft.emit(TurnBegan(target, number))


def score_and_end(draft: StepDraft) -> None:
    table = draft.state.table
    for seat in table.order:
        secret = draft.state.own[seat].objective
        assert secret is not None, "every player has a secret objective"
        draft.emit(score_objectives(seat, table.players[seat], table.common, secret))
    rows = standings(draft.state.table)
    draft.emit(PhaseBegan(Phase.ENDING), GameEnded("points", winners(rows), rows))


def end_early(draft: StepDraft, left: tuple[Seat, ...]) -> None:
    """At most one player is left, who wins with the points of the moment."""
    rows = standings(draft.state.table, ahead=left)
    draft.emit(PhaseBegan(Phase.ENDING), GameEnded("alone" if left else "abandoned", left, rows))


def _able(state: State) -> bool:
    """Whether any player who did not leave can still place a card."""
    return any(seat not in state.presence.left and not is_stuck(state, seat) for seat in state.table.order)


def _end_is_near(state: State) -> bool:
    table = state.table
    decks_are_empty = not state.decks.resource and not state.decks.gold
    return decks_are_empty or any(player.points >= POINTS_THAT_END for player in table.players.values())


def _current(draft: StepDraft) -> Seat:
    current = draft.state.table.current
    assert current is not None, "only a running game has turns"
    return current
