"""Points for placing a card, points for objectives at the end, and the winners."""

from collections.abc import Iterable

from shared.games.codex.cards import Card
from shared.games.codex.events import ObjectivesScored
from shared.games.codex.objectives import points_for
from shared.games.codex.pieces import Face, Standing, Symbol
from shared.games.codex.views import PlayerView, TableView
from shared.ids import Seat


def placing_points(card: Card, face: Face, covered: int, symbols_after: dict[Symbol, int]) -> int:
    """`covered` counts the corners under the card; the symbols are those visible after the placing."""
    if face is Face.BACK:
        return 0
    if card.per_corner:
        return card.points * covered
    if card.per_object is not None:
        return card.points * symbols_after[card.per_object]
    return card.points


def score_objectives(seat: Seat, player: PlayerView, common: tuple[int, ...], secret: int) -> ObjectivesScored:
    first, second = (points_for(objective, player) for objective in common)
    third = points_for(secret, player)
    return ObjectivesScored(seat, secret, (first, second, third), player.points + first + second + third)


def standings(table: TableView, ahead: tuple[Seat, ...] = ()) -> tuple[Standing, ...]:
    """Best first: by total, then by points from objectives, then in turn order; `ahead` come before all others."""
    rows = [Standing(seat, table.players[seat].points, table.players[seat].objective_points) for seat in table.order]
    return tuple(sorted(rows, key=lambda row: (row.seat not in ahead, -row.points, -row.objective_points)))


def winners(rows: Iterable[Standing]) -> tuple[Seat, ...]:
    """The seats whose row equals the first in points and objective points."""
    first, *others = rows
    best = (first.points, first.objective_points)
    return (first.seat, *(row.seat for row in others if (row.points, row.objective_points) == best))
