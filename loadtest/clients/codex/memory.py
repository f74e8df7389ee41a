"""The position of a codex game as a client has received it. Messages that contradict the rules are faults."""

from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from gateway.dialects.codex.messages import BoardCard, Picture, Rank, UpdateCrashedPlayerMessage
from shared.games.codex.area import covered_corners, grid_of, obstacle, symbols_after
from shared.games.codex.cards import CARDS
from shared.games.codex.pieces import FIRST_FACE_UP, Face, Placed, Symbol
from shared.games.codex.scoring import placing_points
from shared.games.codex.views import no_symbols

_BACK: Final = {"id", "kind", "kingdom"}
"""The members of a hidden card that may be sent."""


@dataclass(slots=True)
class Area:
    """One player's cards, and the symbols and points that follow from them."""

    cards: list[Placed] = field(default_factory=list)
    symbols: dict[Symbol, int] = field(default_factory=no_symbols)
    points: int = 0

    def add(self, placed: Placed) -> str | None:
        """Place a card; the rule that it breaks, if any."""
        grid, cell, card = grid_of(self.cards), (placed.i, placed.j), CARDS[placed.card]
        forbidden = obstacle(grid, cell) if self.cards else None
        covered = covered_corners(grid, cell)
        self.symbols = symbols_after(self.symbols, card.side(placed.face), covered)
        self.points += placing_points(card, placed.face, len(covered), self.symbols)
        self.cards.append(placed)
        return None if forbidden is None else f"card {placed.card} lies where it cannot: {forbidden}"


@dataclass(slots=True)
class Memory:
    state: str = "WAITING"
    current: str | None = None
    players: list[str] = field(default_factory=list)
    areas: dict[str, Area] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)
    standings: list[Rank] = field(default_factory=list)
    hand: list[int] = field(default_factory=list)
    places: list[Any] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    just_placed: str | None = None
    """The player whose points for a placed card are sent next."""

    def area(self, player: str) -> Area:
        return self.areas.setdefault(player, Area())

    def placed(self, player: str, picture: Picture, i: int, j: int) -> None:
        placed = _placed(picture, i, j)
        area = self.area(player)
        if any(card.card == placed.card for other in self.areas.values() for card in other.cards):
            self.faults.append(f"card {placed.card} was placed twice")
        self._fault(area.add(placed))
        self.just_placed = player

    def scored(self, player: str, points: int) -> None:
        """After a placed card the total must equal the points of the cards; at the end objectives are added."""
        worth = self.area(player).points
        if points != worth and (player == self.just_placed or points < worth):
            self.faults.append(f"{player} was given {points} points for cards worth {worth}")
        self.just_placed = None
        self.points[player] = points

    def _fault(self, text: str | None) -> None:
        if text is not None:
            self.faults.append(text)

    def drew(self, hand: list[Picture]) -> None:
        cards = [picture["id"] for picture in hand]
        if cards[:-1] != self.hand:
            self.faults.append(f"the hand {self.hand} became {cards} by drawing")
        self.hand = cards

    def shown(self, index: int, picture: Picture) -> None:
        self.places[index] = picture
        if index < FIRST_FACE_UP and picture is not None and (picture["id"] is not None or set(picture) != _BACK):
            self.faults.append(f"the top of a deck was shown: {picture}")

    def everything(self, message: UpdateCrashedPlayerMessage) -> None:
        """The whole position after a reconnect. It must contain everything that was received before."""
        self.state, self.current = message.gameState, message.currentPlayer
        self.players = message.players
        for player, board in message.boards.items():
            self._compare_board(player, board)
        self.points = dict(message.points)
        self.hand = [picture["id"] for picture in message.hand]
        self.places = [None] * len(message.table)
        for index, picture in enumerate(message.table):
            self.shown(index, picture)

    def _compare_board(self, player: str, board: list[BoardCard]) -> None:
        before, now = self.area(player).cards, [_placed(card.card, card.i, card.j) for card in board]
        if now[: len(before)] != before:
            self.faults.append(f"the cards of {player} were {before} and are {now}")
        area = self.areas[player] = Area()
        for placed in now:
            self._fault(area.add(placed))

    def board(self) -> Any:
        """The public position, in a form that can be compared between players."""
        return {
            "areas": {
                player: [[card.card, card.face, card.i, card.j] for card in self.areas[player].cards]
                for player in sorted(self.areas)
            },
            "points": dict(sorted(self.points.items())),
            "places": self.places,
            "standings": [msgspec.to_builtins(rank) for rank in self.standings],
        }


def _placed(picture: Picture, i: int, j: int) -> Placed:
    return Placed(picture["id"], Face(picture["face"].lower()), i, j)
