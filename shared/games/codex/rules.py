"""What a player may do now, and what comes of it."""

from typing import Final

from shared.errors import Rejected
from shared.game import Draft
from shared.games.codex.area import affordable, covered_corners, free_cells, grid_of, obstacle, symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.choices import free_colors, keep_objective, pick_color, place_starting
from shared.games.codex.commands import (
    ChooseObjective,
    ChooseStarting,
    Command,
    DrawGold,
    DrawResource,
    DrawTable,
    PickColor,
    PlaceCard,
)
from shared.games.codex.events import CardPlaced, Event
from shared.games.codex.pieces import FIRST_FACE_UP, GOLD_DECK, PLACES, RESOURCE_DECK, Face, Phase
from shared.games.codex.presence import settle
from shared.games.codex.refusals import refuse
from shared.games.codex.scoring import placing_points
from shared.games.codex.state import State, StepDraft, evolve
from shared.games.codex.turns import after_placing, draw_card
from shared.ids import Seat

_PHASES: Final = {
    ChooseStarting: Phase.STARTING,
    PickColor: Phase.COLOR,
    ChooseObjective: Phase.OBJECTIVE,
    PlaceCard: Phase.PLAYING,
    DrawTable: Phase.DRAWING,
    DrawResource: Phase.DRAWING,
    DrawGold: Phase.DRAWING,
}


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.table.current is None else (state.table.current,)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    if seat != state.table.current:
        return ()
    match state.table.phase:
        case Phase.STARTING:
            return tuple(ChooseStarting(face) for face in Face)
        case Phase.COLOR:
            return tuple(PickColor(color) for color in free_colors(state.table))
        case Phase.OBJECTIVE:
            return (ChooseObjective(1), ChooseObjective(2))
        case Phase.PLAYING:
            return placings(state, seat)
        case Phase.DRAWING:
            return tuple(_draw_from(place) for place in range(PLACES) if state.table.places[place] is not None)
        case Phase.ENDING:
            return ()


def placings(state: State, seat: Seat) -> tuple[PlaceCard, ...]:
    player = state.table.players[seat]
    cells = list(free_cells(grid_of(player.area)))
    return tuple(
        PlaceCard(choice, i, j, face)
        for choice, card in enumerate(state.own[seat].hand, 1)
        for face in Face
        if affordable(CARDS[card], face, player.symbols)
        for i, j in cells
    )


def decide(state: State, seat: Seat, command: Command) -> tuple[Event, ...] | Rejected:
    table = state.table
    if table.current is None:
        return Rejected("game/over")
    if seat != table.current:
        return Rejected("game/not_your_turn")
    if table.phase is not _PHASES[type(command)]:
        return refuse("codex/wrong_phase")
    draft = Draft(state, evolve)
    refusal = _carry_out(draft, seat, command)
    if refusal is not None:
        return refuse(refusal)
    settle(draft)
    return tuple(draft.events)


def _carry_out(draft: StepDraft, seat: Seat, command: Command) -> str | None:
    """Tells what the command causes, or returns the code of what forbids it."""
    match command:
        case ChooseStarting(face=face):
            place_starting(draft, seat, face)
        case PickColor(color=color):
            if color not in free_colors(draft.state.table):
                return "codex/color_taken"
            pick_color(draft, seat, color)
        case ChooseObjective(choose=choose):
            if choose not in (1, 2):
                return "codex/bad_objective"
            keep_objective(draft, seat, choose)
        case PlaceCard():
            return _place(draft, seat, command)
        case DrawTable(choice=choice):
            if not 1 <= choice <= PLACES - FIRST_FACE_UP:
                return "codex/bad_place"
            return _draw(draft, choice + FIRST_FACE_UP - 1, "codex/empty_place")
        case DrawResource():
            return _draw(draft, RESOURCE_DECK, "codex/empty_deck")
        case DrawGold():
            return _draw(draft, GOLD_DECK, "codex/empty_deck")
    return None


def _place(draft: StepDraft, seat: Seat, command: PlaceCard) -> str | None:
    player, hand = draft.state.table.players[seat], draft.state.own[seat].hand
    if not 1 <= command.choice <= len(hand):
        return "codex/bad_choice"
    card, cell, grid = CARDS[hand[command.choice - 1]], (command.i, command.j), grid_of(player.area)
    if (forbidden := obstacle(grid, cell)) is not None:
        return forbidden
    if not affordable(card, command.face, player.symbols):
        return "codex/cost"
    covered = covered_corners(grid, cell)
    symbols = symbols_after(player.symbols, card.side(command.face), covered)
    earned = placing_points(card, command.face, len(covered), symbols)
    draft.emit(CardPlaced(seat, card.id, command.face, *cell, earned, player.points + earned, symbols))
    after_placing(draft)
    return None


def _draw(draft: StepDraft, place: int, if_empty: str) -> str | None:
    if draft.state.table.places[place] is None:
        return if_empty
    draw_card(draft, place)
    return None


def _draw_from(place: int) -> Command:
    match place:
        case 0:
            return DrawResource()
        case 1:
            return DrawGold()
        case _:
            return DrawTable(place - FIRST_FACE_UP + 1)
