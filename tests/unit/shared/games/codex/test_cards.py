"""The card tables add up."""

from collections import Counter

from shared.games.codex.cards import (
    BACKS,
    CARDS,
    GOLD_CARDS,
    OBJECTIVE_CARDS,
    OBJECTIVES,
    RESOURCE_CARDS,
    STARTING_CARDS,
    Card,
    Side,
)
from shared.games.codex.pieces import Blank, Kind, Kingdom, Symbol

OBJECTS = (Symbol.QUILL, Symbol.INKWELL, Symbol.MANUSCRIPT)


def missing(side: Side) -> int:
    return side.corners.count(Blank.MISSING)


def of(kingdom: Kingdom, cards: tuple[Card, ...]) -> list[Card]:
    return [card for card in cards if card.kingdom is kingdom]


def cost_letters(card: Card) -> int:
    return sum(number for _, number in card.cost)


def test_there_are_102_cards_numbered_by_kind_and_kingdom() -> None:
    assert [card.id for card in RESOURCE_CARDS] == list(range(1, 41))
    assert [card.id for card in GOLD_CARDS] == list(range(41, 81))
    assert [card.id for card in STARTING_CARDS] == list(range(81, 87))
    assert [card.id for card in OBJECTIVE_CARDS] == list(range(87, 103))
    for first, cards in ((1, RESOURCE_CARDS), (41, GOLD_CARDS)):
        for card in cards:
            assert card.kingdom is list(Kingdom)[(card.id - first) // 10]
    assert len(CARDS) == 86
    assert len(OBJECTIVES) == 16
    assert len(BACKS) == 80


def test_every_kingdom_has_ten_resource_cards_with_the_same_sums() -> None:
    for kingdom in Kingdom:
        cards = of(kingdom, RESOURCE_CARDS)
        assert Counter(card.points for card in cards) == {0: 7, 1: 3}
        symbols = Counter(symbol for card in cards for symbol in card.front.symbols)
        others = {Symbol(other): 1 for other in Kingdom if other is not kingdom}
        assert symbols == {Symbol(kingdom): 14, **others, **dict.fromkeys(OBJECTS, 1)}


def test_only_card_7_has_all_corners_on_a_resource_front() -> None:
    assert [card.id for card in RESOURCE_CARDS if missing(card.front) != 1] == [7]
    assert missing(CARDS[7].front) == 0


def test_every_kingdom_has_ten_gold_cards_with_the_same_worth() -> None:
    for kingdom in Kingdom:
        cards = of(kingdom, GOLD_CARDS)
        worth = Counter((card.points, card.per_corner, card.per_object) for card in cards)
        per_object = {(1, False, thing): 1 for thing in OBJECTS}
        others = {(2, True, None): 3, (3, False, None): 3, (5, False, None): 1}
        assert worth == Counter[object](per_object) + Counter[object](others)
        symbols = Counter(symbol for card in cards for symbol in card.front.symbols)
        assert symbols == dict.fromkeys(OBJECTS, 2)


def test_gold_fronts_miss_corners_by_their_worth() -> None:
    for card in GOLD_CARDS:
        assert missing(card.front) == (1 if card.points < 3 else 2)


def test_gold_costs_follow_worth_and_kingdom() -> None:
    letters = {1: 3, 2: 4, 3: 3, 5: 5}
    for kingdom in Kingdom:
        others: dict[int, list[Symbol]] = {1: [], 2: []}
        for card in of(kingdom, GOLD_CARDS):
            assert cost_letters(card) == letters[card.points]
            (own, number), *rest = card.cost
            assert own == Symbol(kingdom)
            if card.points in others:
                assert number == letters[card.points] - 1
                others[card.points] += [symbol for symbol, _ in rest]
            else:
                assert rest == []
        for symbols in others.values():
            assert sorted(symbols) == sorted(Symbol(other) for other in Kingdom if other is not kingdom)


def test_backs_of_resource_and_gold_cards_give_one_permanent_resource() -> None:
    for card in (*RESOURCE_CARDS, *GOLD_CARDS):
        assert card.kingdom is not None
        assert card.back == Side((Blank.EMPTY,) * 4, (Symbol(card.kingdom),))
        assert card.front.centre == ()
        assert BACKS[card.id].kind is card.kind


def test_starting_cards_show_four_resources_in_front_and_more_in_the_middle_of_the_back() -> None:
    for card in STARTING_CARDS:
        assert card.kingdom is None
        assert card.kind is Kind.STARTING
        assert sorted(card.front.symbols) == sorted(Symbol(kingdom) for kingdom in Kingdom)
        assert card.front.centre == ()
    assert Counter(len(card.back.centre) for card in STARTING_CARDS) == {1: 2, 2: 2, 3: 2}
    for card in STARTING_CARDS:
        bare = (card.back.corners[2], card.back.corners[3]) == (Blank.MISSING, Blank.MISSING)
        assert bare == (len(card.back.centre) == 3)
        assert missing(card.back) == (2 if bare else 0)


def test_corners_stand_in_reading_order() -> None:
    assert CARDS[1].front.corners == (Symbol.FUNGI, Blank.EMPTY, Symbol.FUNGI, Blank.MISSING)
    assert CARDS[81].front.corners == (Symbol.FUNGI, Symbol.PLANT, Symbol.INSECT, Symbol.ANIMAL)
    assert CARDS[41].front.corners == (Blank.MISSING, Blank.EMPTY, Blank.EMPTY, Symbol.QUILL)


def test_cards_on_which_digital_versions_differ_are_as_printed() -> None:
    def corners(card: int) -> str:
        short = {Blank.EMPTY: "o", Blank.MISSING: "x", Symbol.INKWELL: "K"}
        return "".join(short.get(corner, str(corner)[0].upper()) for corner in CARDS[card].front.corners)

    printed = {7: "FIMo", 28: "xoAo", 34: "oIxI", 42: "oKxo", 47: "oxKx", 66: "xooo", 73: "xooK", 76: "oxoo"}
    assert {card: corners(card) for card in printed} == printed
    assert OBJECTIVES[101].symbols == (Symbol.INKWELL, Symbol.INKWELL)


def test_objectives_ask_for_a_pattern_or_a_set() -> None:
    assert [(card.points, bool(card.pattern)) for card in OBJECTIVE_CARDS] == [
        *[(2, True)] * 4,
        *[(3, True)] * 4,
        *[(2, False)] * 4,
        (3, False),
        *[(2, False)] * 3,
    ]
    cells = {card.id: [(cell.kingdom[0], cell.row, cell.column) for cell in card.pattern] for card in OBJECTIVE_CARDS}
    assert cells[87] == [("f", 0, 0), ("f", 1, -1), ("f", 2, -2)]
    assert cells[88] == [("p", 0, 0), ("p", 1, 1), ("p", 2, 2)]
    assert cells[89] == [("a", 0, 0), ("a", 1, -1), ("a", 2, -2)]
    assert cells[90] == [("i", 0, 0), ("i", 1, 1), ("i", 2, 2)]
    assert cells[91] == [("f", 0, 0), ("f", 2, 0), ("p", 3, 1)]
    assert cells[92] == [("p", 0, 0), ("p", 2, 0), ("i", 3, -1)]
    assert cells[93] == [("f", 0, 0), ("a", 1, -1), ("a", 3, -1)]
    assert cells[94] == [("a", 0, 0), ("i", 1, 1), ("i", 3, 1)]
