"""The twelve characters of Eriantys, each with its limits; and what they cost."""

import pytest

from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.commands import (
    ActivateCharacter,
    ChooseColor,
    ChooseIsland,
    MoveMother,
    MoveToHall,
    PlayCharacter,
    SendStudent,
    TakeCloud,
)
from shared.games.eriantys.events import (
    CardRefilled,
    CardToHall,
    CardToIsland,
    CharacterPlayed,
    ChoiceMade,
    CoinTaken,
    LastRoundCalled,
    NoEntryPlaced,
    NoEntryUsed,
    ProfessorTaken,
    StudentsReturned,
    TowersPlaced,
    TowersReturned,
)
from shared.games.eriantys.pieces import NO_STUDENTS, Manner, Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Active, Group, max_steps
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import (
    B,
    G,
    R,
    board,
    do,
    events_of,
    joined,
    pick,
    refusal,
    with_card,
    with_seat,
    with_view,
)

FIRST, SECOND = Seat(0), Seat(1)
BLACK, WHITE = Tower.BLACK, Tower.WHITE


def test_costs_go_one_two_three() -> None:
    assert [CARDS[number].cost for number in range(1, 13)] == [1, 2, 3] * 4


# --- prices ----------------------------------------------------------------------------------------------------------


def test_the_first_use_leaves_a_coin_on_the_card_and_makes_it_dearer_once() -> None:
    state = board(cards=(8, 4, 2))
    assert events_of(state, PlayCharacter(8)) == (CharacterPlayed(FIRST, 8, 2, Manner.WHOLE),)
    once = do(state, PlayCharacter(8))
    assert once.view.players[0].coins == 8
    assert once.view.bank == 11
    assert once.view.characters[0].used
    assert once.view.characters[0].price == 3
    again = do(with_view(once, active=None), PlayCharacter(8))
    assert again.view.players[0].coins == 5
    assert again.view.bank == 14
    assert again.view.characters[0].price == 3


def test_a_character_needs_its_price() -> None:
    assert refusal(with_seat(board(cards=(8,)), 0, coins=1), PlayCharacter(8)) == "eriantys/no_coins"
    dear = with_card(with_seat(board(cards=(8,)), 0, coins=2), 8, used=True)
    assert refusal(dear, PlayCharacter(8)) == "eriantys/no_coins"


def test_one_character_in_a_turn_which_is_told_before_the_coins() -> None:
    state = do(with_seat(board(cards=(8, 4)), 0, coins=2), PlayCharacter(8))
    assert refusal(state, PlayCharacter(4)) == "eriantys/character_played"
    assert refusal(state, PlayCharacter(99)) == "eriantys/character_played"


def test_others_may_use_the_same_character_in_the_same_round() -> None:
    state = do(board(phase=Phase.CLOUD, cards=(8,)), PlayCharacter(8), TakeCloud(0))
    assert state.view.turn == 1
    assert do(state, PlayCharacter(8)).view.players[1].coins == 7


def test_characters_are_played_in_any_step_of_the_own_turn_but_not_in_the_planning() -> None:
    for phase in (Phase.STUDENTS, Phase.MOTHER, Phase.CLOUD):
        assert events_of(board(phase=phase, cards=(4,)), PlayCharacter(4))
    assert refusal(board(phase=Phase.PLANNING, cards=(4,)), PlayCharacter(4)) == "eriantys/wrong_phase"
    assert refusal(board(cards=(4,)), PlayCharacter(4), seat=1) == "game/not_your_turn"


def test_a_simple_game_has_none_in_any_phase() -> None:
    for phase in (Phase.PLANNING, Phase.STUDENTS, Phase.CLOUD):
        assert refusal(board(phase=phase), PlayCharacter(4)) == "eriantys/simple_game"
        assert refusal(board(phase=phase), ActivateCharacter(1)) == "eriantys/simple_game"


def test_a_character_that_is_not_there_or_asked_wrongly_is_refused() -> None:
    state = board(cards=(4, 9, 1))
    assert refusal(state, PlayCharacter(8)) == "eriantys/no_such_card"
    assert refusal(state, PlayCharacter(0)) == "eriantys/no_such_card"
    assert refusal(state, PlayCharacter(9)) == "eriantys/bad_arguments"
    assert refusal(state, PlayCharacter(4, ChooseColor(G))) == "eriantys/bad_arguments"
    assert refusal(state, PlayCharacter(9, ChooseIsland(1))) == "eriantys/no_choice"
    assert refusal(state, ActivateCharacter(4)) == "eriantys/bad_arguments"
    assert refusal(state, ActivateCharacter(9, Manner.WHOLE)) == "eriantys/bad_arguments"


# --- 1 monk ----------------------------------------------------------------------------------------------------------


def test_the_monk_sends_a_student_and_is_refilled() -> None:
    state = board(cards=(1,))
    events = events_of(state, PlayCharacter(1, SendStudent(G, 5)))
    assert events[1:3] == (ChoiceMade(FIRST, 1, G, 5), CardToIsland(1, G, 5))
    assert isinstance(events[3], CardRefilled)
    after = do(state, PlayCharacter(1, SendStudent(G, 5))).view
    assert after.tiles[4].students == pick(G)
    assert sum(after.characters[0].students) == 4
    assert after.moves == state.view.moves


def test_the_monk_needs_the_student_and_the_island() -> None:
    assert refusal(board(cards=(1,)), PlayCharacter(1, SendStudent(B, 5))) == "eriantys/no_student"
    assert refusal(board(cards=(1,)), PlayCharacter(1, SendStudent(G, 13))) == "eriantys/no_such_island"
    bare = with_card(board(cards=(1,)), 1, students=NO_STUDENTS)
    assert refusal(bare, ActivateCharacter(1)) == "eriantys/card_useless"


def test_the_monk_is_not_refilled_from_an_empty_bag() -> None:
    state = with_view(board(cards=(1,)), bag=NO_STUDENTS)
    assert events_of(state, PlayCharacter(1, SendStudent(G, 5)))[-1] == CardToIsland(1, G, 5)


@pytest.mark.parametrize("number", [1, 11])
def test_a_refill_that_empties_the_bag_makes_this_the_last_round(number: int) -> None:
    state = with_view(board(cards=(number,)), bag=pick(R))
    choice = SendStudent(G, 5) if number == 1 else ChooseColor(G)
    assert events_of(state, PlayCharacter(number, choice))[-2:] == (CardRefilled(number, R), LastRoundCalled("bag"))


# --- 2 farmer --------------------------------------------------------------------------------------------------------


def farmer() -> State:
    state = board(cards=(2,), halls={0: (1, 1, 0, 0, 0), 1: (1, 2, 0, 0, 0)})
    return with_view(state, professors=(SECOND, SECOND, SECOND, None, None))


def test_the_farmer_wins_ties_at_once_and_later_but_not_with_nothing() -> None:
    assert events_of(farmer(), PlayCharacter(2))[1:] == (ProfessorTaken(G, FIRST),)
    state = do(farmer(), PlayCharacter(2))
    assert ProfessorTaken(R, FIRST) in events_of(state, MoveToHall(R))


def test_the_farmers_professors_are_kept_after_the_turn() -> None:
    state = do(with_view(farmer(), phase=Phase.CLOUD), PlayCharacter(2), TakeCloud(0))
    assert (state.view.turn, state.view.active) == (1, None)
    assert state.view.professors[0] == FIRST
    kept = do(with_seat(state, 1, hall=(0, 2, 0, 0, 0)), MoveToHall(G))
    assert kept.view.professors[0] == FIRST


# --- 3 herald --------------------------------------------------------------------------------------------------------


def heralding() -> State:
    state = board(cards=(3, 5), students={4: (1, 0, 0, 0, 0)})
    return with_view(state, professors=(FIRST, None, None, None, None))


def test_the_herald_resolves_a_group_and_mother_nature_stays() -> None:
    events = events_of(heralding(), PlayCharacter(3, ChooseIsland(4)))
    assert events[1:] == (ChoiceMade(FIRST, 3, tile=4), TowersPlaced(FIRST, (4,)))
    after = do(heralding(), PlayCharacter(3, ChooseIsland(4))).view
    assert after.mother == 1
    assert after.phase is Phase.STUDENTS


def test_the_herald_may_call_mother_natures_own_group_and_any_tile_of_a_group() -> None:
    own = with_view(heralding(), mother=4)
    assert TowersPlaced(FIRST, (4,)) in events_of(own, PlayCharacter(3, ChooseIsland(4)))
    group = joined(heralding(), (4, 5))
    assert TowersPlaced(FIRST, (4, 5)) in events_of(group, PlayCharacter(3, ChooseIsland(5)))


def test_the_herald_on_a_blocked_group_uses_the_tile_up() -> None:
    groups = tuple(Group((n,), no_entry=1 if n == 4 else 0) for n in range(1, 13))
    state = with_card(with_view(heralding(), groups=groups), 5, no_entry=3)
    assert events_of(state, PlayCharacter(3, ChooseIsland(4)))[2:] == (NoEntryUsed(4),)
    assert do(state, PlayCharacter(3, ChooseIsland(4))).view.characters[1].no_entry == 4


def test_the_herald_needs_an_island_and_may_change_nothing() -> None:
    assert refusal(heralding(), PlayCharacter(3, ChooseIsland(0))) == "eriantys/no_such_island"
    assert events_of(heralding(), PlayCharacter(3, ChooseIsland(7)))[2:] == ()


# --- 4 postman -------------------------------------------------------------------------------------------------------


def test_the_postman_adds_two_steps_and_the_least_stays_one() -> None:
    state = do(board(phase=Phase.MOTHER, cards=(4,)), PlayCharacter(4))
    assert max_steps(state.view) == 5
    assert do(state, MoveMother(5)).view.mother == 6
    assert refusal(state, MoveMother(0)) == "eriantys/steps"
    assert refusal(state, MoveMother(6)) == "eriantys/steps"
    assert events_of(board(phase=Phase.CLOUD, cards=(4,)), PlayCharacter(4))


# --- 5 herbalist -----------------------------------------------------------------------------------------------------


def test_the_herbalist_blocks_groups_as_long_as_there_are_tiles() -> None:
    state = board(cards=(5,))
    for left in (3, 2, 1, 0):
        assert NoEntryPlaced(4) in events_of(state, PlayCharacter(5, ChooseIsland(4)))
        state = with_seat(with_view(do(state, PlayCharacter(5, ChooseIsland(4))), active=None), 0, coins=10)
        assert state.view.characters[0].no_entry == left
    assert state.view.groups[3].no_entry == 4
    assert refusal(state, PlayCharacter(5, ChooseIsland(4))) == "eriantys/card_useless"
    assert refusal(state, ActivateCharacter(5)) == "eriantys/card_useless"
    assert state.view.players[0].coins == 10


# --- 6 centaur, 8 knight, 9 mushroom man -----------------------------------------------------------------------------


def contested(card: int) -> State:
    """Island 2: one green for the first player, a white tower."""
    state = board(phase=Phase.MOTHER, cards=(card,), students={2: (1, 0, 0, 0, 0)}, towers={2: WHITE})
    return with_view(state, professors=(FIRST, None, None, None, None))


def test_the_centaur_mutes_the_towers_of_all() -> None:
    state = contested(6)
    assert do(state, MoveMother(1)).view.tiles[1].tower is WHITE
    assert TowersReturned(SECOND, (2,)) in events_of(do(state, PlayCharacter(6)), MoveMother(1))
    own = with_view(contested(6), tiles=board(students={2: (1, 1, 0, 0, 0)}, towers={2: BLACK}).view.tiles)
    own = with_view(own, professors=(FIRST, SECOND, None, None, None))
    assert do(own, PlayCharacter(6), MoveMother(1)).view.tiles[1].tower is BLACK


def test_the_knight_adds_two_even_without_a_student_there() -> None:
    state = do(contested(8), PlayCharacter(8))
    assert do(state, MoveMother(2)).view.tiles[2].tower is BLACK
    assert do(state, MoveMother(1)).view.tiles[1].tower is BLACK


def test_the_knight_helps_the_team() -> None:
    state = with_view(board(4, phase=Phase.MOTHER, cards=(8,)), turn=Seat(2), order=tuple(map(Seat, (2, 3, 0, 1))))
    assert TowersPlaced(FIRST, (2,)) in events_of(do(state, PlayCharacter(8)), MoveMother(1))


def test_the_mushroom_man_mutes_a_colour_for_the_turn() -> None:
    state = with_view(contested(9), tiles=board(students={2: (2, 0, 0, 0, 0)}, towers={2: WHITE}).view.tiles)
    assert do(state, MoveMother(1)).view.tiles[1].tower is BLACK
    muted = do(state, PlayCharacter(9, ChooseColor(G)), MoveMother(1))
    assert muted.view.tiles[1].tower is WHITE
    assert muted.view.tiles[1].students == (2, 0, 0, 0, 0)
    assert do(muted, TakeCloud(0)).view.active is None
    assert do(state, PlayCharacter(9, ChooseColor(R)), MoveMother(1)).view.tiles[1].tower is BLACK


# --- 11 princess, 12 thief -------------------------------------------------------------------------------------------


def test_the_princess_seats_a_student_with_coin_and_professor() -> None:
    state = board(cards=(11,), halls={0: (2, 0, 0, 0, 0)})
    events = events_of(state, PlayCharacter(11, ChooseColor(G)))
    assert events[1:5] == (
        ChoiceMade(FIRST, 11, G),
        CardToHall(FIRST, 11, G),
        CoinTaken(FIRST),
        ProfessorTaken(G, FIRST),
    )
    assert isinstance(events[5], CardRefilled)
    dry = with_view(state, bag=NO_STUDENTS)
    assert not any(isinstance(event, CardRefilled) for event in events_of(dry, PlayCharacter(11, ChooseColor(G))))


def test_the_princess_needs_a_place_and_a_student() -> None:
    full = board(cards=(11,), halls={0: (10, 10, 10, 10, 0)})
    assert refusal(full, PlayCharacter(11, ChooseColor(G))) == "eriantys/row_full"
    assert refusal(full, PlayCharacter(11, ChooseColor(B))) == "eriantys/no_student"
    assert refusal(full, ActivateCharacter(11)) == "eriantys/card_useless"


def test_the_thief_takes_three_or_all_and_no_professor_moves() -> None:
    state = board(3, cards=(12,), halls={0: (4, 0, 0, 0, 0), 1: (2, 0, 0, 0, 0)})
    state = with_view(state, professors=(FIRST, None, None, None, None))
    events = events_of(state, PlayCharacter(12, ChooseColor(G)))
    assert events[2:] == (StudentsReturned(FIRST, G, 3), StudentsReturned(SECOND, G, 2))
    assert do(state, PlayCharacter(12, ChooseColor(G))).view.bag == (15, 10, 10, 10, 10)
    nothing = with_seat(state, 0, hall=(2, 0, 0, 0, 0))
    assert do(nothing, PlayCharacter(12, ChooseColor(G))).view.professors[0] == FIRST


def test_the_thief_may_take_what_nobody_has() -> None:
    assert events_of(board(cards=(12,)), PlayCharacter(12, ChooseColor(B)))[2:] == ()


def test_every_character_ends_with_the_turn_of_its_player() -> None:
    for number, card in CARDS.items():
        active = Active(number, Manner.WHOLE, colour=G if card.asks is Ask.COLOR else None)
        state = with_view(board(phase=Phase.CLOUD, cards=(number,)), active=active)
        assert do(state, TakeCloud(0)).view.active is None
