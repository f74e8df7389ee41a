"""The bot: takes the most points at every placing. It uses only what its seat may know."""

from typing import Final

from msgspec.structs import replace

from shared.dice import Dice
from shared.games.codex.area import DIAGONALS, Grid, affordable, covered_corners, grid_of, symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.commands import Command, DrawGold, DrawResource, DrawTable, PlaceCard
from shared.games.codex.objectives import points_for
from shared.games.codex.pieces import FIRST_FACE_UP, Blank, Face, Kind, Phase, Placed, Symbol
from shared.games.codex.rules import options, placings
from shared.games.codex.scoring import placing_points
from shared.games.codex.state import State
from shared.games.codex.views import PlayerView
from shared.ids import Seat

_POINT: Final = 20
_SYMBOL: Final = 4
_PROMISING: Final = 6
"""The number of placings that are examined again with regard to objectives."""


def bot(state: State, seat: Seat, dice: Dice) -> Command:
    """The command of a bot."""
    match state.table.phase:
        case Phase.PLAYING:
            return _best_placing(state, seat, dice)
        case Phase.DRAWING:
            return max(dice.shuffle(options(state, seat)), key=lambda draw: _worth_drawing(state, seat, draw))
        case _:
            return dice.choice(options(state, seat))


def _best_placing(state: State, seat: Seat, dice: Dice) -> Command:
    player, hand = state.table.players[seat], state.own[seat].hand
    grid = grid_of(player.area)
    values = [(_value(player, grid, hand, placing), placing) for placing in dice.shuffle(placings(state, seat))]
    promising = sorted(values, key=lambda valued: valued[0], reverse=True)[:_PROMISING]
    secret = state.own[seat].objective
    objectives = (*state.table.common, *(() if secret is None else (secret,)))
    return max(promising, key=lambda valued: valued[0] + _POINT * _promise(player, grid, hand, valued[1], objectives))[
        1
    ]


def _value(player: PlayerView, grid: Grid, hand: tuple[int, ...], placing: PlaceCard) -> int:
    """The value of a placing: points first, then symbols won, then free corners."""
    card, cell = CARDS[hand[placing.choice - 1]], (placing.i, placing.j)
    side, covered = card.side(placing.face), covered_corners(grid, cell)
    symbols = symbols_after(player.symbols, side, covered)
    earned = placing_points(card, placing.face, len(covered), symbols)
    hidden = sum(isinstance(corner, Symbol) for corner in covered)
    ways_on = sum(
        corner is not Blank.MISSING and (placing.i + down, placing.j + right) not in grid
        for corner, (down, right) in zip(side.corners, DIAGONALS, strict=True)
    )
    return _POINT * earned + _SYMBOL * (len(side.symbols) - hidden) + ways_on


def _promise(
    player: PlayerView, grid: Grid, hand: tuple[int, ...], placing: PlaceCard, objectives: tuple[int, ...]
) -> int:
    """The points of the objectives after the placing."""
    number = hand[placing.choice - 1]
    side, covered = CARDS[number].side(placing.face), covered_corners(grid, (placing.i, placing.j))
    after = replace(
        player,
        area=(*player.area, Placed(number, placing.face, placing.i, placing.j)),
        symbols=symbols_after(player.symbols, side, covered),
    )
    return sum(points_for(objective, after) for objective in objectives)


def _worth_drawing(state: State, seat: Seat, draw: Command) -> int:
    """A gold card that can be paid for is best, then a resource card, then any gold card."""
    match draw:
        case DrawTable(choice=choice):
            number = state.table.places[choice + FIRST_FACE_UP - 1]
            assert isinstance(number, int)
            card = CARDS[number]
            if card.kind is Kind.GOLD:
                return 2 * card.points if affordable(card, Face.FRONT, state.table.players[seat].symbols) else 0
            return 1 + len(card.front.symbols) + 2 * card.points
        case DrawResource():
            return 3
        case DrawGold():
            return 1
        case _:
            return 0
