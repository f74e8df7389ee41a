"""The views of a game, and `fold`, which applies an event to a view. Workers, gateways and clients use the same."""

from typing import TypeAlias

from msgspec import field
from msgspec.structs import replace

from shared.game import Value
from shared.games.codex.events import (
    CardDrawn,
    CardPlaced,
    ColorPicked,
    Dealt,
    Event,
    GameEnded,
    LastRoundBegan,
    ObjectiveChosen,
    ObjectivesScored,
    PhaseBegan,
    PlaceChanged,
    PlayerFound,
    PlayerLost,
    StartingPlaced,
    TurnBegan,
    TurnPassed,
)
from shared.games.codex.pieces import CENTRE, Color, Own, Phase, Place, Placed, Result, Symbol
from shared.ids import Seat


def no_symbols() -> dict[Symbol, int]:
    return dict.fromkeys(Symbol, 0)


class PlayerView(Value, frozen=True):
    """The public part of a player."""

    area: tuple[Placed, ...] = ()
    """In the order of placing."""
    symbols: dict[Symbol, int] = field(default_factory=no_symbols)
    """The number of each symbol that is visible in the area."""
    points: int = 0
    color: Color | None = None
    hand: int = 0
    """The number of cards in hand."""
    objective: int | None = None
    """The secret objective, revealed by the final scoring."""
    objective_points: int = 0


class TableView(Value, frozen=True):
    """The public part of the game."""

    phase: Phase = Phase.STARTING
    order: tuple[Seat, ...] = ()
    """The turn order."""
    current: Seat | None = None
    round: int = 0
    last_round: bool = False
    common: tuple[int, ...] = ()
    places: tuple[Place, ...] = ()
    """The places to draw from: resource deck, gold deck, two resource places, two gold places."""
    players: dict[Seat, PlayerView] = field(default_factory=dict)
    result: Result | None = None


class View(Value, frozen=True):
    """All that one seat, or a spectator, may know."""

    table: TableView = TableView()
    you: Seat | None = None
    own: Own | None = None


def fold(view: View, event: Event) -> View:
    """The view after an event as redacted for its viewer."""
    table = fold_table(view.table, event)
    if view.you is None:
        return View(table)
    return View(table, view.you, fold_own(view.own or Own(), view.you, event))


def fold_table(table: TableView, event: Event) -> TableView:
    """Apply the public part of an event."""
    match event:
        case TurnBegan():
            return replace(table, current=event.seat, round=event.round)
        case PhaseBegan():
            return replace(table, phase=event.phase)
        case CardPlaced():
            player = table.players[event.seat]
            placed = Placed(event.card, event.face, event.i, event.j)
            return _with_player(
                table,
                event.seat,
                replace(
                    player,
                    area=(*player.area, placed),
                    symbols=event.symbols,
                    points=event.points,
                    hand=player.hand - 1,
                ),
            )
        case CardDrawn():
            player = table.players[event.seat]
            return _with_player(table, event.seat, replace(player, hand=player.hand + 1))
        case PlaceChanged():
            places = table.places
            return replace(table, places=(*places[: event.place], event.card, *places[event.place + 1 :]))
        case _:
            return _fold_rare(table, event)


_Rare: TypeAlias = (
    Dealt
    | StartingPlaced
    | ColorPicked
    | ObjectiveChosen
    | TurnPassed
    | LastRoundBegan
    | ObjectivesScored
    | GameEnded
    | PlayerLost
    | PlayerFound
)


def _fold_rare(table: TableView, event: _Rare) -> TableView:
    """Events of the setup and of the end, and events that change nothing public."""
    match event:
        case Dealt():
            players = {seat: PlayerView(hand=3) for seat in event.order}
            return TableView(order=event.order, common=event.common, places=event.places, players=players)
        case StartingPlaced():
            first = Placed(event.card, event.face, CENTRE, CENTRE)
            placed = replace(table.players[event.seat], area=(first,), symbols=event.symbols)
            return _with_player(table, event.seat, placed)
        case ColorPicked():
            return _with_player(table, event.seat, replace(table.players[event.seat], color=event.color))
        case LastRoundBegan():
            return replace(table, last_round=True)
        case ObjectivesScored():
            scored = replace(
                table.players[event.seat],
                points=event.points,
                objective=event.objective,
                objective_points=sum(event.gained),
            )
            return _with_player(table, event.seat, scored)
        case GameEnded():
            return replace(table, current=None, result=Result(event.reason, event.winners, event.standings))
        case ObjectiveChosen() | TurnPassed() | PlayerLost() | PlayerFound():
            return table


def fold_own(own: Own, seat: Seat, event: Event) -> Own:
    """The private part of a seat after an event as redacted for that seat."""
    match event:
        case CardPlaced() if event.seat == seat:
            return replace(own, hand=tuple(card for card in own.hand if card != event.card))
        case CardDrawn() if event.seat == seat and event.card is not None:
            return replace(own, hand=(*own.hand, event.card))
        case Dealt():
            return event.own[seat]
        case StartingPlaced() if event.seat == seat:
            return replace(own, starting=None)
        case ObjectiveChosen() if event.seat == seat:
            return replace(own, objective=event.objective, offered=())
        case _:
            return own


def _with_player(table: TableView, seat: Seat, player: PlayerView) -> TableView:
    return replace(table, players={**table.players, seat: player})
