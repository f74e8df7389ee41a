"""The whole state of a game, and the effect of each event on it."""

from typing import TypeAlias

from msgspec import field
from msgspec.structs import replace

from shared.game import Draft, Value
from shared.games.codex.cards import CARDS
from shared.games.codex.events import (
    CardDrawn,
    CardPlaced,
    Dealt,
    Decks,
    Event,
    ObjectiveChosen,
    PlaceChanged,
    PlayerFound,
    PlayerLost,
    StartingPlaced,
    TurnBegan,
)
from shared.games.codex.pieces import GOLD_DECK, RESOURCE_DECK, Kind, Own, Timing
from shared.games.codex.views import TableView, fold_own, fold_table
from shared.ids import Seat


class Presence(Value, frozen=True):
    """The absent players. Moments are counted in events, so that each moment identifies one timer."""

    now: int = 0
    turn_began: int = 0
    changed: int = 0
    """The moment at which the number of connected players changed last."""
    away: dict[Seat, int] = field(default_factory=dict)
    """The absent seats, each with the moment of its absence."""
    left: tuple[Seat, ...] = ()
    """The absent seats whose players left for good."""


class State(Value, frozen=True):
    options: Timing = Timing()
    table: TableView = TableView()
    own: dict[Seat, Own] = field(default_factory=dict)
    decks: Decks = Decks()
    presence: Presence = Presence()


StepDraft: TypeAlias = Draft[State, Event]


def evolve(state: State, event: Event) -> State:
    presence = _presence_after(state.presence, event)
    table = fold_table(state.table, event)
    match event:
        case Dealt():
            return State(event.options, table, event.own, event.decks or Decks(), presence)
        case CardPlaced() | CardDrawn() | StartingPlaced() | ObjectiveChosen():
            own = {**state.own, event.seat: fold_own(state.own[event.seat], event.seat, event)}
            return State(state.options, table, own, _decks_after(state, event), presence)
        case PlaceChanged():
            return State(state.options, table, state.own, _decks_after(state, event), presence)
        case _:
            return State(state.options, table, state.own, state.decks, presence)


def _decks_after(state: State, event: Event) -> Decks:
    decks = state.decks
    match event:
        case CardDrawn(place=place) if place == RESOURCE_DECK:
            return replace(decks, resource=decks.resource[1:])
        case CardDrawn(place=place) if place == GOLD_DECK:
            return replace(decks, gold=decks.gold[1:])
        case PlaceChanged(card=int() as card):
            if CARDS[card].kind is Kind.RESOURCE:
                return replace(decks, resource=decks.resource[1:])
            return replace(decks, gold=decks.gold[1:])
        case ObjectiveChosen(seat=seat, objective=objective):
            returned = (card for card in state.own[seat].offered if card != objective)
            return replace(decks, objective=(*decks.objective, *returned))
        case _:
            return decks


def _presence_after(presence: Presence, event: Event) -> Presence:
    now = presence.now + 1
    match event:
        case TurnBegan():
            return replace(presence, now=now, turn_began=now)
        case PlayerLost(seat=seat, for_good=for_good):
            left = (*presence.left, seat) if for_good else presence.left
            if seat in presence.away:
                return replace(presence, now=now, left=left)
            return replace(presence, now=now, changed=now, away={**presence.away, seat: now}, left=left)
        case PlayerFound(seat=seat):
            away = {other: since for other, since in presence.away.items() if other != seat}
            return replace(presence, now=now, changed=now, away=away)
        case _:
            return presence
