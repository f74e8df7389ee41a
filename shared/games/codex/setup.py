"""The options of a table, and the setup: all cards are shuffled and dealt before the first choice."""

from typing import Annotated

from msgspec import Meta

from shared.dice import Dice
from shared.game import Table, Value
from shared.games.codex.cards import BACKS, GOLD_CARDS, OBJECTIVE_CARDS, RESOURCE_CARDS, STARTING_CARDS
from shared.games.codex.events import Dealt, Decks, Event, TurnBegan
from shared.games.codex.pieces import Own, Place, Timing


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a table."""

    grace_ms: Annotated[int, Meta(ge=50, le=3_600_000)] = 10_000
    """The time that the game waits for an absent player whose turn it is."""
    alone_ms: Annotated[int, Meta(ge=50, le=86_400_000)] = 60_000
    """The time that the last connected player waits before winning."""


def setup(table: Table[Options]) -> tuple[Event, ...]:
    dice = Dice(table.seed, "codex", "set-up")
    resource = list(dice.shuffle([card.id for card in RESOURCE_CARDS]))
    gold = list(dice.shuffle([card.id for card in GOLD_CARDS]))
    starting = list(dice.shuffle([card.id for card in STARTING_CARDS]))
    objectives = list(dice.shuffle([card.id for card in OBJECTIVE_CARDS]))
    first = dice.below(len(table.seats))
    order = (*table.seats[first:], *table.seats[:first])

    face_up = (*_take(resource, 2), *_take(gold, 2))
    common = (objectives.pop(0), objectives.pop(0))
    own = {seat: Own((*_take(resource, 2), *_take(gold, 1)), starting.pop(0), _take(objectives, 2)) for seat in order}
    decks = Decks(tuple(resource), tuple(gold), tuple(objectives), tuple(starting))
    places: tuple[Place, ...] = (BACKS[resource[0]], BACKS[gold[0]], *face_up)
    timing = Timing(table.options.grace_ms, table.options.alone_ms)
    return (Dealt(timing, order, common, places, own, decks), TurnBegan(order[0]))


def _take(deck: list[int], number: int) -> tuple[int, ...]:
    taken = tuple(deck[:number])
    del deck[:number]
    return taken
