"""The commands a player may give now, and what they do. `refusal_of` alone defines what is legal."""

from typing import Final

from shared.errors import Rejected
from shared.game import Draft
from shared.games.codex.area import Grid, affordable, covered_corners, free_cells, grid_of, obstacle, symbols_after
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
from shared.games.codex.pieces import FIRST_FACE_UP, GOLD_DECK, PLACES, RESOURCE_DECK, Color, Face, Phase
from shared.games.codex.presence import play_for_players_who_left
from shared.games.codex.refusals import refused
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
_CANDIDATES: Final[dict[Phase, tuple[Command, ...]]] = {
    Phase.STARTING: tuple(map(ChooseStarting, Face)),
    Phase.COLOR: tuple(map(PickColor, Color)),
    Phase.OBJECTIVE: (ChooseObjective(1), ChooseObjective(2)),
    Phase.DRAWING: (DrawResource(), DrawGold(), *map(DrawTable, range(1, PLACES - FIRST_FACE_UP + 1))),
    Phase.ENDING: (),
}
"""Every command that can be legal in a phase. Placings depend on the area and are enumerated by `placings`."""
_NO_GRID: Final[Grid] = {}
"""Stands for the grid where the command is no placing."""


def turn(state: State) -> tuple[Seat, ...]:
    return () if state.table.current is None else (state.table.current,)


def options(state: State, seat: Seat) -> tuple[Command, ...]:
    if seat != state.table.current:
        return ()
    if state.table.phase is Phase.PLAYING:
        return placings(state, seat)
    candidates = _CANDIDATES[state.table.phase]
    return tuple(command for command in candidates if refusal_of(state, seat, command, _NO_GRID) is None)


def placings(state: State, seat: Seat) -> tuple[PlaceCard, ...]:
    """All legal placings of the seat.

    The two rules of `_placing_refusal` do not depend on each other: `free_cells` applies `obstacle` once to each cell,
    and `affordable` is applied once to each side of a card, instead of both to every combination.
    """
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
    if state.table.current is None:
        return Rejected("game/over")
    if seat != state.table.current:
        return Rejected("game/not_your_turn")
    grid = grid_of(state.table.players[seat].area) if isinstance(command, PlaceCard) else _NO_GRID
    code = refusal_of(state, seat, command, grid)
    if code is not None:
        return refused(code)
    draft = Draft(state, evolve)
    _perform(draft, seat, command, grid)
    play_for_players_who_left(draft)
    return tuple(draft.events)


def refusal_of(state: State, seat: Seat, command: Command, grid: Grid) -> str | None:
    """The code of the rule that forbids this command of the player whose turn it is, or None.

    Only a placing needs the grid of the player's area. It is a parameter because building it is the dearest part of a
    placing, and `_perform` needs it too.
    """
    table = state.table
    if table.phase is not _PHASES[type(command)]:
        return "codex/wrong_phase"
    match command:
        case PlaceCard():
            return _placing_refusal(state, seat, command, grid)
        case DrawTable(choice=choice):
            if not 1 <= choice <= PLACES - FIRST_FACE_UP:
                return "codex/bad_place"
            return "codex/empty_place" if table.places[_face_up(choice)] is None else None
        case DrawResource():
            return "codex/empty_deck" if table.places[RESOURCE_DECK] is None else None
        case DrawGold():
            return "codex/empty_deck" if table.places[GOLD_DECK] is None else None
        case PickColor(color=color):
            return None if color in free_colors(table) else "codex/color_taken"
        case ChooseObjective(choose=choose):
            return None if choose in (1, 2) else "codex/bad_objective"
        case ChooseStarting():
            return None


def _placing_refusal(state: State, seat: Seat, command: PlaceCard, grid: Grid) -> str | None:
    hand = state.own[seat].hand
    if not 1 <= command.choice <= len(hand):
        return "codex/bad_choice"
    if (code := obstacle(grid, (command.i, command.j))) is not None:
        return code
    card = CARDS[hand[command.choice - 1]]
    return None if affordable(card, command.face, state.table.players[seat].symbols) else "codex/cost"


def _perform(draft: StepDraft, seat: Seat, command: Command, grid: Grid) -> None:
    """Emit the events of a legal command."""
    match command:
        case PlaceCard():
            _place(draft, seat, command, grid)
        case DrawTable(choice=choice):
            draw_card(draft, _face_up(choice))
        case DrawResource():
            draw_card(draft, RESOURCE_DECK)
        case DrawGold():
            draw_card(draft, GOLD_DECK)
        case ChooseStarting(face=face):
            place_starting(draft, seat, face)
        case PickColor(color=color):
            pick_color(draft, seat, color)
        case ChooseObjective(choose=choose):
            keep_objective(draft, seat, choose)


def _place(draft: StepDraft, seat: Seat, command: PlaceCard, grid: Grid) -> None:
    player = draft.state.table.players[seat]
    card = CARDS[draft.state.own[seat].hand[command.choice - 1]]
    covered = covered_corners(grid, (command.i, command.j))
    symbols = symbols_after(player.symbols, card.side(command.face), covered)
    earned = placing_points(card, command.face, len(covered), symbols)
    points = player.points + earned
    draft.emit(CardPlaced(seat, card.id, command.face, command.i, command.j, earned, points, symbols))
    after_placing(draft)


def _face_up(choice: int) -> int:
    """The place of a face-up card, which commands count from 1."""
    return choice + FIRST_FACE_UP - 1
