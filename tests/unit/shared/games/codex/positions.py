"""States of a game made to measure, and what the rules say about them, worked out in another way."""

from collections.abc import Iterable

from msgspec.structs import replace

from shared.errors import Rejected
from shared.game import Table
from shared.games.codex.cards import BACKS, CARDS, GOLD_CARDS, OBJECTIVES, RESOURCE_CARDS, STARTING_CARDS
from shared.games.codex.commands import Command
from shared.games.codex.events import Decks, Event
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Blank, Color, Face, Own, Phase, Place, Placed, Symbol, Timing
from shared.games.codex.setup import Options
from shared.games.codex.state import State, evolve
from shared.games.codex.views import PlayerView, TableView, no_symbols
from shared.ids import Seat

A, B, C, D = (Seat(number) for number in range(4))
SEATS = (A, B, C, D)


def front(card: int, i: int, j: int) -> Placed:
    return Placed(card, Face.FRONT, i, j)


def back(card: int, i: int, j: int) -> Placed:
    return Placed(card, Face.BACK, i, j)


def visible(area: Iterable[Placed]) -> dict[Symbol, int]:
    """Every corner that no later card lies over, and every centre."""
    cards = list(area)
    later = {(card.i, card.j): number for number, card in enumerate(cards)}
    counts = no_symbols()
    for number, placed in enumerate(cards):
        side = CARDS[placed.card].side(placed.face)
        for symbol in side.centre:
            counts[symbol] += 1
        for corner, (row, column) in zip(side.corners, ((-1, -1), (-1, 1), (1, -1), (1, 1)), strict=True):
            if corner not in (Blank.EMPTY, Blank.MISSING):
                over = later.get((placed.i + row, placed.j + column), -1)
                counts[Symbol(corner)] += over < number
    return counts


def started(seats: int = 2, seed: int = 1, options: Options | None = None) -> State:
    """A game just dealt."""
    players = SEATS[:seats]
    return apply(GAME.empty, GAME.setup(Table(options or Options(), players, players, seed)))


def in_play(
    areas: dict[Seat, list[Placed]],
    hands: dict[Seat, tuple[int, ...]] | None = None,
    *,
    points: dict[Seat, int] | None = None,
    places: tuple[Place, ...] | None = None,
    resource: tuple[int, ...] | None = None,
    gold: tuple[int, ...] | None = None,
    phase: Phase = Phase.PLAYING,
    current: Seat = A,
    number: int = 5,
    last_round: bool = False,
    common: tuple[int, int] = (95, 96),
    secrets: dict[Seat, int] | None = None,
) -> State:
    """A game in its middle, where the first seat is the first player. Cards named nowhere fill the rest in order."""
    order = tuple(areas)
    used = {placed.card for area in areas.values() for placed in area}
    used |= {card for hand in (hands or {}).values() for card in hand}
    used |= {card for card in places or () if isinstance(card, int)}
    used |= {*(resource or ()), *(gold or ())}
    free_resource = [card.id for card in RESOURCE_CARDS if card.id not in used]
    free_gold = [card.id for card in GOLD_CARDS if card.id not in used]
    dealt = {
        seat: (hands or {}).get(seat) or (free_resource.pop(0), free_resource.pop(0), free_gold.pop(0))
        for seat in order
    }
    face_up: tuple[Place, ...]
    if places is None:
        face_up = (free_resource.pop(0), free_resource.pop(0), free_gold.pop(0), free_gold.pop(0))
    else:
        face_up = places
    resource = tuple(free_resource) if resource is None else resource
    gold = tuple(free_gold) if gold is None else gold
    secret = {seat: (secrets or {}).get(seat, 97 + place) for place, seat in enumerate(order)}
    objectives = tuple(card for card in OBJECTIVES if card not in (*common, *secret.values()))
    unused = tuple(card.id for card in STARTING_CARDS if card.id not in used)
    tops = (BACKS[resource[0]] if resource else None, BACKS[gold[0]] if gold else None)
    players = {
        seat: PlayerView(tuple(area), visible(area), (points or {}).get(seat, 0), color, len(dealt[seat]))
        for (seat, area), color in zip(areas.items(), Color, strict=False)
    }
    table = TableView(phase, order, current, number, last_round, common, (*tops, *face_up), players)
    own = {seat: Own(dealt[seat], objective=secret[seat]) for seat in order}
    return State(Timing(), table, own, Decks(resource, gold, objectives, unused))


def apply(state: State, events: Iterable[Event]) -> State:
    for event in events:
        state = evolve(state, event)
    return state


def do(state: State, seat: Seat, command: Command) -> tuple[State, tuple[Event, ...]]:
    """The command must be accepted."""
    events = GAME.decide(state, seat, command)
    assert not isinstance(events, Rejected), events
    return apply(state, events), events


def refusal(state: State, seat: Seat, command: Command) -> str:
    """The command must be refused; the code."""
    answer = GAME.decide(state, seat, command)
    assert isinstance(answer, Rejected), answer
    return answer.code


def with_points(state: State, seat: Seat, points: int) -> State:
    players = {**state.table.players, seat: replace(state.table.players[seat], points=points)}
    return replace(state, table=replace(state.table, players=players))


ALMOST_STUCK = [back(85, 40, 40), front(79, 39, 41), front(59, 39, 39)]
"""The only free cell is (40, 42)."""
STUCK = [*ALMOST_STUCK, front(67, 40, 42)]
