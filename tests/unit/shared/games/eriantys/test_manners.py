"""Characters in steps: what is owed, what may be done meanwhile, and when the turn is held."""

import pytest

from shared.games.eriantys.commands import (
    ActivateCharacter,
    Choice,
    ChooseColor,
    ChooseIsland,
    EndSelection,
    MoveMother,
    MoveToHall,
    MoveToIsland,
    PlayCharacter,
    SendStudent,
    SwapWithCard,
    SwapWithHall,
    TakeCloud,
)
from shared.games.eriantys.events import (
    CardSwapped,
    CharacterPlayed,
    ChoiceClosed,
    ChoiceMade,
    HallSwapped,
    PhaseBegan,
    TurnBegan,
)
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import Manner, Phase
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import (
    B,
    G,
    P,
    R,
    Y,
    board,
    do,
    events_of,
    refusal,
    with_card,
    with_seat,
    with_view,
)

FIRST = Seat(0)
STRICT, LAX = Manner.STRICT, Manner.LAX
CHOICES: dict[int, Choice] = {
    1: SendStudent(G, 3),
    3: ChooseIsland(3),
    5: ChooseIsland(3),
    7: SwapWithCard(Y, G),
    9: ChooseColor(G),
    10: SwapWithHall(G, R),
    11: ChooseColor(G),
    12: ChooseColor(G),
}


def activated(number: int, manner: Manner, phase: Phase = Phase.STUDENTS) -> State:
    return do(board(phase=phase, cards=(number,), halls={0: (1, 1, 1, 1, 1)}), ActivateCharacter(number, manner))


@pytest.mark.parametrize("number", CHOICES)
@pytest.mark.parametrize("manner", [STRICT, LAX])
def test_activation_pays_and_the_choice_does_it(number: int, manner: Manner) -> None:
    state = board(cards=(number,), halls={0: (1, 1, 1, 1, 1)})
    price = state.view.characters[0].price
    assert events_of(state, ActivateCharacter(number, manner)) == (CharacterPlayed(FIRST, number, price, manner),)
    after = do(state, ActivateCharacter(number, manner))
    assert after.view.active is not None
    assert after.view.active.owed
    assert ChoiceMade in {type(event) for event in events_of(after, CHOICES[number])}
    chosen = do(after, CHOICES[number])
    assert chosen.view.active is not None
    assert not chosen.view.active.owed


@pytest.mark.parametrize("number", CHOICES)
def test_the_strict_manner_allows_nothing_else_before_the_choice(number: int) -> None:
    state = activated(number, STRICT)
    for command in (MoveToHall(G), MoveToIsland(G, 1), MoveMother(1), TakeCloud(0), PlayCharacter(number)):
        assert refusal(state, command) == "eriantys/choice_owed"
    assert refusal(state, EndSelection()) == "eriantys/choice_owed"
    assert all(type(command) is type(CHOICES[number]) for command in GAME.options(state, FIRST))


@pytest.mark.parametrize("number", CHOICES)
def test_the_lax_manner_lets_the_turn_go_on_and_holds_its_end(number: int) -> None:
    state = activated(number, LAX)
    state = do(state, MoveToIsland(G, 1), MoveToIsland(R, 1), MoveToIsland(R, 1), MoveMother(1))
    assert events_of(state, TakeCloud(0))[-1] == PhaseBegan(Phase.CHARACTER)
    held = do(state, TakeCloud(0))
    assert (held.view.turn, held.view.phase) == (0, Phase.CHARACTER)
    for command in (MoveToHall(G), MoveMother(1), TakeCloud(1), PlayCharacter(number)):
        assert refusal(held, command) == "eriantys/wrong_phase"
    assert do(held, CHOICES[number]).view.turn == 1


def test_the_wrong_choice_is_refused() -> None:
    assert refusal(activated(9, LAX), ChooseIsland(1)) == "eriantys/no_choice"
    assert refusal(activated(7, LAX), SwapWithHall(G, G)) == "eriantys/no_choice"
    assert refusal(board(cards=(9,)), ChooseColor(G)) == "eriantys/no_choice"
    assert refusal(board(), EndSelection()) == "eriantys/no_choice"
    assert refusal(do(activated(9, LAX), ChooseColor(G)), ChooseColor(G)) == "eriantys/no_choice"
    assert refusal(activated(9, LAX), ChooseColor(G), seat=1) == "game/not_your_turn"


def test_three_swaps_of_the_jester_and_no_more() -> None:
    state = do(activated(7, LAX), SwapWithCard(Y, G), SwapWithCard(P, R), SwapWithCard(B, R))
    assert state.view.players[0].entrance == (1, 0, 2, 2, 2)
    assert refusal(state, SwapWithCard(G, Y)) == "eriantys/no_choice"


def test_two_swaps_of_the_minstrel_and_no_more() -> None:
    state = do(activated(10, STRICT), SwapWithHall(G, R), SwapWithHall(G, Y))
    assert state.view.players[0].hall == (3, 0, 0, 1, 1)
    assert refusal(state, SwapWithHall(R, G)) == "eriantys/no_choice"


def test_swaps_of_equal_colours_count_and_change_nothing() -> None:
    state = activated(7, LAX)
    assert events_of(state, SwapWithCard(G, G)) == (ChoiceMade(FIRST, 7),)
    assert events_of(activated(10, LAX), SwapWithHall(G, G)) == (ChoiceMade(FIRST, 10),)
    assert isinstance(events_of(state, SwapWithCard(Y, G))[1], CardSwapped)
    assert isinstance(events_of(activated(10, LAX), SwapWithHall(G, R))[1], HallSwapped)


def test_missing_students_cannot_be_swapped() -> None:
    bare = with_seat(activated(7, LAX), 0, entrance=(1, 0, 0, 0, 0))
    assert refusal(bare, SwapWithCard(Y, R)) == "eriantys/no_student"
    assert refusal(with_card(bare, 7, students=(6, 0, 0, 0, 0)), SwapWithCard(Y, G)) == "eriantys/no_student"
    hall = with_seat(activated(10, LAX), 0, hall=(10, 1, 0, 0, 0))
    assert refusal(hall, SwapWithHall(G, Y)) == "eriantys/row_full"
    assert refusal(hall, SwapWithHall(R, Y)) == "eriantys/no_student"


def test_after_the_first_strict_swap_another_action_ends_the_swapping() -> None:
    state = do(activated(7, STRICT), SwapWithCard(Y, G))
    assert events_of(state, MoveToIsland(G, 1))[0] == ChoiceClosed()
    assert refusal(do(state, MoveToIsland(G, 1)), SwapWithCard(P, R)) == "eriantys/no_choice"
    ended = do(state, EndSelection())
    assert refusal(ended, SwapWithCard(P, R)) == "eriantys/no_choice"
    assert do(ended, MoveToIsland(G, 1))


def test_a_refused_action_does_not_end_the_swapping() -> None:
    state = do(activated(7, STRICT), SwapWithCard(Y, G))
    assert refusal(state, MoveMother(1)) == "eriantys/wrong_phase"
    assert do(state, SwapWithCard(P, R))


def test_lax_swaps_stay_open_through_other_actions() -> None:
    state = do(activated(7, LAX), SwapWithCard(Y, G), MoveToIsland(G, 1), SwapWithCard(P, R))
    assert state.view.active is not None
    assert state.view.active.left == 1
    assert do(state, EndSelection()).view.active.left == 0  # type: ignore[union-attr]


def test_once_a_lax_swap_was_made_the_turn_ends_with_the_cloud() -> None:
    state = do(activated(7, LAX, Phase.CLOUD), SwapWithCard(Y, G))
    assert isinstance(events_of(state, TakeCloud(0))[-1], TurnBegan)


def test_a_round_without_clouds_is_held_as_well() -> None:
    state = do(with_view(activated(9, LAX, Phase.MOTHER), dry=True), MoveMother(1))
    assert state.view.phase is Phase.CHARACTER
    assert do(state, ChooseColor(R)).view.turn == 1


def test_a_choice_that_became_impossible_is_dropped_and_the_turn_ends() -> None:
    state = board(cards=(11,), halls={0: (9, 0, 0, 0, 0)})
    state = with_card(state, 11, students=(4, 0, 0, 0, 0))
    state = do(state, ActivateCharacter(11, LAX), MoveToHall(G))
    assert refusal(state, ChooseColor(G)) == "eriantys/row_full"
    state = do(state, MoveToIsland(R, 1), MoveToIsland(R, 1), MoveMother(1))
    assert events_of(state, TakeCloud(0))[1] == ChoiceClosed()
    assert do(state, TakeCloud(0)).view.turn == 1


def test_the_mushroom_man_mutes_from_the_choice_on() -> None:
    state = board(phase=Phase.MOTHER, cards=(9,), students={2: (1, 0, 0, 0, 0)})
    state = with_view(state, professors=(FIRST, None, None, None, None))
    assert do(state, ActivateCharacter(9, LAX), MoveMother(1)).view.tiles[1].tower is not None
    assert do(state, ActivateCharacter(9, LAX), ChooseColor(G), MoveMother(1)).view.tiles[1].tower is None


def test_a_herald_in_the_held_turn_can_end_the_game() -> None:
    state = board(cards=(3,), phase=Phase.CLOUD, students={4: (1, 0, 0, 0, 0)})
    state = with_seat(with_view(state, professors=(FIRST, None, None, None, None)), 0, towers=1)
    state = do(state, ActivateCharacter(3, LAX), TakeCloud(0), ChooseIsland(4))
    assert (state.view.phase, state.view.winners, state.view.ending) == (Phase.OVER, (0,), "towers")
