"""The strategy of codex clients: the best of a few random legal moves."""

from random import Random

from gateway.dialects.codex.messages import DrawGoldMessage, DrawResourceMessage, DrawTableMessage, PlaceCardMessage
from loadtest.clients.codex.memory import Area, Memory
from shared.games.codex.area import affordable, covered_corners, free_cells, grid_of, symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.pieces import FIRST_FACE_UP, Face
from shared.games.codex.scoring import placing_points

_SAMPLES = 24
"""Number of placings that are compared."""


def placing(name: str, memory: Memory, dice: Random) -> PlaceCardMessage:
    """The placing that scores most among a random sample of legal ones."""
    area = memory.area(name)
    grid = grid_of(area.cards)
    cells = list(free_cells(grid))
    sides = [
        (choice, face)
        for choice, card in enumerate(memory.hand, 1)
        for face in Face
        if affordable(CARDS[card], face, area.symbols)
    ]
    drawn = [(*dice.choice(sides), dice.choice(cells)) for _ in range(_SAMPLES)]
    choice, face, (i, j) = max(drawn, key=lambda one: _points(area, memory.hand[one[0] - 1], one[1], one[2]))
    return PlaceCardMessage(name, choice, i, j, face.upper())


def _points(area: Area, number: int, face: Face, cell: tuple[int, int]) -> int:
    card, covered = CARDS[number], covered_corners(grid_of(area.cards), cell)
    return placing_points(card, face, len(covered), symbols_after(area.symbols, card.side(face), covered))


def drawing(name: str, memory: Memory, dice: Random) -> DrawTableMessage | DrawResourceMessage | DrawGoldMessage:
    place = dice.choice([index for index, picture in enumerate(memory.places) if picture is not None])
    match place:
        case 0:
            return DrawResourceMessage(name)
        case 1:
            return DrawGoldMessage(name)
        case _:
            return DrawTableMessage(name, place - FIRST_FACE_UP + 1)
