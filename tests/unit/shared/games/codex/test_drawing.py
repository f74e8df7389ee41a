"""The six places to draw from, and how they are filled again."""

import pytest

from shared.games.codex.cards import BACKS
from shared.games.codex.commands import Command, DrawGold, DrawResource, DrawTable, PlaceCard
from shared.games.codex.events import CardDrawn, PlaceChanged
from shared.games.codex.pieces import Face, Phase, Place
from shared.games.codex.rules import options
from shared.games.codex.state import State
from tests.unit.shared.games.codex.positions import A, B, do, front, in_play, refusal

AREAS = {A: [front(81, 40, 40)], B: [front(82, 40, 40)]}
HANDS = {A: (1, 2), B: (3, 4, 42)}


def drawing(
    places: tuple[Place, ...] = (5, 6, 43, 44),
    resource: tuple[int, ...] = (7, 11, 21),
    gold: tuple[int, ...] = (51, 61, 71),
) -> State:
    return in_play(AREAS, HANDS, places=places, resource=resource, gold=gold, phase=Phase.DRAWING)


def changes(state: State, command: Command) -> tuple[State, list[tuple[int, Place]]]:
    after, events = do(state, A, command)
    return after, [(event.place, event.card) for event in events if isinstance(event, PlaceChanged)]


def test_a_card_from_a_deck_comes_last_in_the_hand_and_the_next_back_shows() -> None:
    after, changed = changes(drawing(), DrawResource())
    assert after.own[A].hand == (1, 2, 7)
    assert changed == [(0, BACKS[11])]
    assert after.decks.resource == (11, 21)
    after, changed = changes(drawing(), DrawGold())
    assert after.own[A].hand == (1, 2, 51)
    assert changed == [(1, BACKS[61])]
    assert after.decks.gold == (61, 71)


@pytest.mark.parametrize(
    ("choice", "card", "changed"),
    [
        (1, 5, [(2, 7), (0, BACKS[11])]),
        (2, 6, [(3, 7), (0, BACKS[11])]),
        (3, 43, [(4, 51), (1, BACKS[61])]),
        (4, 44, [(5, 51), (1, BACKS[61])]),
    ],
)
def test_a_face_up_card_is_replaced_from_the_deck_of_its_kind(
    choice: int, card: int, changed: list[tuple[int, Place]]
) -> None:
    after, seen = changes(drawing(), DrawTable(choice))
    assert after.own[A].hand == (1, 2, card)
    assert seen == changed


def test_the_last_card_of_a_deck_leaves_its_place_empty() -> None:
    after, changed = changes(drawing(resource=(7,)), DrawResource())
    assert changed == [(0, None)]
    assert refusal(state_of_drawer(after), B, DrawResource()) == "codex/empty_deck"


def state_of_drawer(state: State) -> State:
    """The next player has placed and draws."""
    after, _ = do(state, B, PlaceCard(1, 39, 39, Face.BACK))
    return after


def test_an_empty_deck_is_helped_out_by_the_other() -> None:
    after, changed = changes(drawing(resource=()), DrawTable(1))
    assert changed == [(2, 51), (1, BACKS[61])]
    assert after.table.places == (None, BACKS[61], 51, 6, 43, 44)
    after, changed = changes(drawing(gold=()), DrawTable(4))
    assert changed == [(5, 7), (0, BACKS[11])]


def test_a_gold_card_in_a_resource_place_can_be_drawn_there() -> None:
    state = drawing(places=(51, 6, 43, 44), resource=(), gold=(61, 71))
    after, changed = changes(state, DrawTable(1))
    assert after.own[A].hand == (1, 2, 51)
    assert changed == [(2, 61), (1, BACKS[71])]


def test_when_both_decks_are_empty_the_place_stays_empty() -> None:
    after, changed = changes(drawing(resource=(), gold=()), DrawTable(2))
    assert changed == [(3, None)]
    assert after.table.places == (None, None, 5, None, 43, 44)


def test_the_last_card_of_the_other_deck_empties_it() -> None:
    _, changed = changes(drawing(resource=(), gold=(51,)), DrawTable(1))
    assert changed == [(2, 51), (1, None)]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (DrawTable(0), "codex/bad_place"),
        (DrawTable(5), "codex/bad_place"),
        (DrawTable(2), "codex/empty_place"),
        (DrawResource(), "codex/empty_deck"),
        (DrawGold(), "codex/empty_deck"),
    ],
)
def test_a_card_that_is_not_there_cannot_be_drawn(command: Command, code: str) -> None:
    assert refusal(drawing(places=(5, None, 43, 44), resource=(), gold=()), A, command) == code


def test_only_places_with_a_card_are_offered() -> None:
    assert options(drawing(places=(5, None, 43, None), gold=()), A) == (DrawResource(), DrawTable(1), DrawTable(3))


def test_a_draw_tells_what_was_taken_from_where() -> None:
    _, events = do(drawing(), A, DrawTable(3))
    assert events[0] == CardDrawn(A, 4, 43)


def test_with_nothing_to_draw_the_step_is_left_out() -> None:
    state = in_play(AREAS, {A: (1, 2, 41), B: (3, 4, 42)}, places=(None,) * 4, resource=(), gold=())
    after, _ = do(state, A, PlaceCard(1, 39, 39, Face.BACK))
    assert after.table.current == B
    assert after.table.phase is Phase.PLAYING
    assert after.table.players[A].hand == 2
