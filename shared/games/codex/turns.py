"""Whose turn it is, from the first choice to the final scoring. See docs/games/codex.md, "The end"."""

from typing import Final

from shared.games.codex.area import free_cells, grid_of
from shared.games.codex.drawing import can_draw, draw
from shared.games.codex.events import GameEnded, LastRoundBegan, PhaseBegan, TurnBegan, TurnPassed
from shared.games.codex.pieces import Phase
from shared.games.codex.scoring import score_objectives, standings, winners
from shared.games.codex.state import State, Story
from shared.ids import Seat

POINTS_THAT_END: Final = 20

_SETUP: Final = {Phase.STARTING: Phase.COLOR, Phase.COLOR: Phase.OBJECTIVE, Phase.OBJECTIVE: Phase.PLAYING}


def is_stuck(state: State, seat: Seat) -> bool:
    """Whether the player can place nothing, now or ever: no cell is free, or no card is left."""
    player = state.table.players[seat]
    return not player.hand or next(free_cells(grid_of(player.area)), None) is None


def after_choice(story: Story) -> None:
    """The current player has made a choice of the set-up."""
    table = story.state.table
    following = table.order.index(_current(story)) + 1
    if following < len(table.order):
        story.tell(TurnBegan(table.order[following]))
        return
    phase = _SETUP[table.phase]
    story.tell(PhaseBegan(phase), TurnBegan(table.order[0], 1 if phase is Phase.PLAYING else 0))


def after_placing(story: Story) -> None:
    table = story.state.table
    if table.last_round or not can_draw(story.state) or not _able(story.state):
        next_turn(story)
    else:
        story.tell(PhaseBegan(Phase.DRAWING), TurnBegan(_current(story), table.round))


def draw_card(story: Story, place: int) -> None:
    story.tell(*draw(story.state, _current(story), place))
    next_turn(story)


def pass_turn(story: Story) -> None:
    """The current player is away."""
    story.tell(TurnPassed(_current(story), "away"))
    next_turn(story)


def next_turn(story: Story) -> None:
    """The current player's turn is over: begin the next one that can be played, or end the game."""
    table = story.state.table
    order, number = table.order, table.round
    following = order.index(_current(story)) + 1
    ring = (*order[following:], *order[:following])
    target = next((seat for seat in ring if not is_stuck(story.state, seat)), None)
    if target is None or (story.state.presence.left and not _able(story.state)):
        score_and_end(story)
        return
    for seat in ring:
        if seat == order[0]:
            if table.last_round:
                score_and_end(story)
                return
            if _end_is_near(story.state):
                story.tell(LastRoundBegan())
            number += 1
        if seat == target:
            break
        story.tell(TurnPassed(seat, "stuck"))
    if table.phase is not Phase.PLAYING:
        story.tell(PhaseBegan(Phase.PLAYING))
    story.tell(TurnBegan(target, number))


def score_and_end(story: Story) -> None:
    table = story.state.table
    for seat in table.order:
        secret = story.state.own[seat].objective
        assert secret is not None, "nobody plays without a secret objective"
        story.tell(score_objectives(seat, table.players[seat], table.common, secret))
    rows = standings(story.state.table)
    story.tell(PhaseBegan(Phase.ENDING), GameEnded("points", winners(rows), rows))


def end_early(story: Story, left: tuple[Seat, ...]) -> None:
    """At most one player is left, who wins with the points of the moment."""
    rows = standings(story.state.table, ahead=left)
    story.tell(PhaseBegan(Phase.ENDING), GameEnded("alone" if left else "abandoned", left, rows))


def _able(state: State) -> bool:
    """Whether anybody who did not leave will ever place a card again."""
    return any(seat not in state.presence.left and not is_stuck(state, seat) for seat in state.table.order)


def _end_is_near(state: State) -> bool:
    table = state.table
    decks_are_empty = not state.decks.resource and not state.decks.gold
    return decks_are_empty or any(player.points >= POINTS_THAT_END for player in table.players.values())


def _current(story: Story) -> Seat:
    current = story.state.table.current
    assert current is not None, "only a running game has turns"
    return current
