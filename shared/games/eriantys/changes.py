"""Small changes of a view that several events share."""

from typing import Any, TypeVar

from msgspec.structs import replace

from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.pieces import Color, Tower, plus
from shared.games.eriantys.views import Character, View, position_of
from shared.ids import Seat

T = TypeVar("T")


def put(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def with_player(view: View, seat: Seat, **changes: Any) -> View:
    return replace(view, players=put(view.players, seat, replace(view.players[seat], **changes)))


def card_of(view: View, number: int) -> Character:
    return next(card for card in view.characters if card.number == number)


def with_card(view: View, number: int, **changes: Any) -> View:
    changed = tuple(replace(card, **changes) if card.number == number else card for card in view.characters)
    return replace(view, characters=changed)


def onto_card(view: View, number: int, color: Color, count: int = 1) -> View:
    return with_card(view, number, students=plus(card_of(view, number).students, color, count))


def onto_tile(view: View, tile: int, color: Color) -> View:
    before = view.tiles[tile - 1]
    return replace(view, tiles=put(view.tiles, tile - 1, replace(before, students=plus(before.students, color))))


def with_towers(view: View, tiles: tuple[int, ...], tower: Tower | None) -> View:
    changed = (replace(tile, tower=tower) if place + 1 in tiles else tile for place, tile in enumerate(view.tiles))
    return replace(view, tiles=tuple(changed))


def no_entry(view: View, tile: int, count: int) -> View:
    """Move no-entry tiles from their card to the group of a tile, or back if the count is negative."""
    place = position_of(view, tile)
    group = view.groups[place]
    blocked = replace(view, groups=put(view.groups, place, replace(group, no_entry=group.no_entry + count)))
    card = next(card for card in view.characters if CARDS[card.number].no_entry)
    return with_card(blocked, card.number, no_entry=card.no_entry - count)
