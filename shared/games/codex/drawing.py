"""Taking a card from one of the six places, and filling the gap."""

from shared.games.codex.cards import BACKS
from shared.games.codex.events import CardDrawn, Decks, Event, PlaceChanged
from shared.games.codex.pieces import FIRST_FACE_UP, GOLD_DECK, PLACES, RESOURCE_DECK, Place
from shared.games.codex.state import State
from shared.ids import Seat


def can_draw(state: State) -> bool:
    return any(place is not None for place in state.table.places)


def first_place(state: State) -> int:
    """The place from which the game draws for an absent player."""
    return next(place for place in range(PLACES) if state.table.places[place] is not None)


def draw(state: State, seat: Seat, place: int) -> tuple[Event, ...]:
    """Draw from a place that is not empty. The deck of the same kind, or else the other one, fills a face-up gap."""
    decks = state.decks
    if place < FIRST_FACE_UP:
        top, *rest = _deck(decks, place)
        return (CardDrawn(seat, place, top), PlaceChanged(place, _back(rest)))
    taken = state.table.places[place]
    assert isinstance(taken, int)
    drawn = CardDrawn(seat, place, taken)
    own_deck, other_deck = (RESOURCE_DECK, GOLD_DECK) if place < FIRST_FACE_UP + 2 else (GOLD_DECK, RESOURCE_DECK)
    source = own_deck if _deck(decks, own_deck) else other_deck
    if not _deck(decks, source):
        return (drawn, PlaceChanged(place, None))
    filler, *rest = _deck(decks, source)
    return (drawn, PlaceChanged(place, filler), PlaceChanged(source, _back(rest)))


def _deck(decks: Decks, place: int) -> tuple[int, ...]:
    return decks.resource if place == RESOURCE_DECK else decks.gold


def _back(deck: list[int]) -> Place:
    return BACKS[deck[0]] if deck else None
