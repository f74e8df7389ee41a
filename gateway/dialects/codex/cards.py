"""Cards as JSON: everything that is printed on a card, or, for a face-down card, what its back shows."""

from typing import Any, Final

import msgspec

from gateway.dialects.codex.messages import Picture
from shared.games.codex.cards import CARDS, OBJECTIVES, Card, Objective, Side
from shared.games.codex.pieces import Back, Face, Kind, Place


def _side(side: Side) -> dict[str, list[str]]:
    """Corners in reading order: top left, top right, bottom left, bottom right."""
    return {
        "corners": [corner.upper() for corner in side.corners],
        "centre": [symbol.upper() for symbol in side.centre],
    }


def _card(card: Card, face: Face | None = None) -> dict[str, Any]:
    condition = "CORNER" if card.per_corner else card.per_object.upper() if card.per_object else "FLAT"
    picture = {
        "id": card.id,
        "kind": card.kind.upper(),
        "kingdom": card.kingdom and card.kingdom.upper(),
        "points": card.points,
        "condition": condition,
        "cost": [symbol.upper() for symbol, number in card.cost for _ in range(number)],
        "front": _side(card.front),
        "back": _side(card.back),
    }
    return picture if face is None else {**picture, "face": face.upper()}


def _objective(objective: Objective) -> dict[str, Any]:
    return {
        "id": objective.id,
        "kind": Kind.OBJECTIVE.upper(),
        "points": objective.points,
        "pattern": [
            {"kingdom": cell.kingdom.upper(), "row": cell.row, "column": cell.column} for cell in objective.pattern
        ],
        "symbols": [symbol.upper() for symbol in objective.symbols],
    }


def _raw(picture: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(picture))


_CARDS: Final = {number: _raw(_card(card)) for number, card in CARDS.items()}
_PLACED: Final = {(number, face): _raw(_card(card, face)) for number, card in CARDS.items() for face in Face}
_OBJECTIVES: Final = {number: _raw(_objective(objective)) for number, objective in OBJECTIVES.items()}


def card(number: int) -> Picture:
    return _CARDS[number]


def placed(number: int, face: Face) -> Picture:
    return _PLACED[number, face]


def objective(number: int) -> Picture:
    return _OBJECTIVES[number]


def place(shown: Place) -> Picture:
    """A place to draw cards from: a face-up card, the back of a deck, or null."""
    match shown:
        case None:
            return None
        case Back():
            return {"id": None, "kind": shown.kind.upper(), "kingdom": shown.kingdom.upper()}
        case number:
            return _CARDS[number]
