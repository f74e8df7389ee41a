"""The endings of Eriantys, and who wins them."""

import pytest

from shared.game import Outcome
from shared.games.eriantys.commands import ChooseIsland, MoveMother, PlayAssistant, PlayCharacter, TakeCloud
from shared.games.eriantys.endings import leaders
from shared.games.eriantys.events import (
    CloudsFilled,
    Finished,
    GroupsJoined,
    LastRoundCalled,
    PlanningBegan,
    TowersPlaced,
    TurnBegan,
)
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import NO_STUDENTS, Phase, Tower
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import board, do, events_of, joined, refusal, with_seat, with_view

BLACK, WHITE, GREY = Tower.BLACK, Tower.WHITE, Tower.GREY
FIRST, SECOND = Seat(0), Seat(1)
GREEN_OF_FIRST = (FIRST, None, None, None, None)
FULL, EMPTY = (1, 1, 1, 0, 0), NO_STUDENTS


def last_turn(**changes: object) -> State:
    """The second player, last of the round, is about to take the last cloud."""
    return with_view(board(phase=Phase.CLOUD), turn=SECOND, clouds=(EMPTY, FULL), **changes)


def test_the_last_tower_ends_the_game_at_once() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    state = with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1)
    assert events_of(state, MoveMother(1))[-1] == Finished((FIRST,), "towers")
    over = do(state, MoveMother(1))
    assert GAME.outcome(over) == Outcome((FIRST,), "towers", {FIRST: 1, SECOND: 0})
    assert GAME.turn(over) == ()
    assert refusal(over, TakeCloud(0)) == "game/over"


def test_too_few_towers_go_to_the_lowest_tiles_and_end_the_game() -> None:
    state = board(phase=Phase.MOTHER, students={2: (9, 0, 0, 0, 0)}, towers={2: WHITE, 3: WHITE, 4: WHITE})
    state = with_seat(joined(with_view(state, professors=GREEN_OF_FIRST), (2, 3, 4)), 0, towers=2)
    assert TowersPlaced(FIRST, (2, 3)) in events_of(state, MoveMother(1))
    assert do(state, MoveMother(1)).view.ending == "towers"


def test_the_last_tower_decides_even_when_three_groups_are_left_and_groups_join_first() -> None:
    towers = dict.fromkeys((1, 2, 3, 4, 5), BLACK) | dict.fromkeys((7, 8), BLACK) | dict.fromkeys((9, 10), WHITE)
    state = board(phase=Phase.MOTHER, students={6: (1, 0, 0, 0, 0)}, towers=towers)
    state = with_view(joined(state, (1, 2, 3, 4, 5), (7, 8), (9, 10), (11, 12)), professors=GREEN_OF_FIRST)
    events = events_of(state, MoveMother(1))
    assert [type(event) for event in events[2:]] == [GroupsJoined, GroupsJoined, Finished]
    assert events[-1] == Finished((FIRST,), "towers")


def test_three_groups_end_the_game_at_once_and_towers_decide() -> None:
    towers = dict.fromkeys((4, 5, 6, 7), WHITE) | {2: BLACK}
    state = board(phase=Phase.MOTHER, students={1: (1, 0, 0, 0, 0)}, towers=towers, mother=12)
    state = joined(with_view(state, professors=GREEN_OF_FIRST), (2, 3), (4, 5, 6, 7), (8, 9, 10, 11, 12))
    events = events_of(with_view(state, mother=8), MoveMother(1))
    assert events[-1] == Finished((SECOND,), "islands")


def test_a_double_merge_can_leave_two_groups() -> None:
    towers = dict.fromkeys((1, 2, 5, 6), BLACK)
    state = board(phase=Phase.MOTHER, students={3: (1, 0, 0, 0, 0)}, towers=towers)
    state = joined(state, (1, 2), (3, 4), (5, 6), (7, 8, 9, 10, 11, 12))
    state = with_view(state, professors=GREEN_OF_FIRST)
    over = do(state, MoveMother(1)).view
    assert (len(over.groups), over.ending) == (2, "islands")


def test_the_herald_can_end_the_game_too() -> None:
    state = board(cards=(3,), students={9: (1, 0, 0, 0, 0)})
    state = with_seat(with_view(state, professors=GREEN_OF_FIRST), 0, towers=1)
    assert events_of(state, PlayCharacter(3, ChooseIsland(9)))[-1] == Finished((FIRST,), "towers")


def test_a_team_wins_together() -> None:
    state = board(4, phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)})
    state = with_seat(with_view(state, professors=(Seat(2), None, None, None, None)), 0, towers=1)
    assert events_of(state, MoveMother(1))[-1] == Finished((Seat(0), Seat(2)), "towers")


@pytest.mark.parametrize(("bag", "reason"), [((2, 1, 0, 0, 0), "bag"), ((3, 2, 1, 0, 0), "bag")])
def test_a_short_and_an_exact_refill_make_the_last_round(bag: tuple[int, ...], reason: str) -> None:
    events = events_of(last_turn(bag=bag), TakeCloud(1))
    short = sum(bag) < 6
    assert (CloudsFilled in {type(event) for event in events}) is not short
    assert LastRoundCalled(reason) in events
    began = next(event for event in events if isinstance(event, PlanningBegan))
    assert began.dry is short


def test_a_round_without_clouds_goes_from_mother_nature_to_the_next_player() -> None:
    state = do(last_turn(bag=(2, 1, 0, 0, 0)), TakeCloud(1))
    assert state.view.clouds == (EMPTY, EMPTY)
    assert state.view.bag == (2, 1, 0, 0, 0)
    walking = with_view(state, phase=Phase.MOTHER)
    assert isinstance(events_of(walking, MoveMother(1))[-1], TurnBegan)
    last = with_view(walking, turn=state.view.order[-1])
    assert events_of(last, MoveMother(1))[-1] == Finished((FIRST, SECOND), "bag")


def test_an_exact_refill_is_played_with_clouds() -> None:
    state = do(last_turn(bag=(3, 2, 1, 0, 0)), TakeCloud(1))
    assert [sum(cloud) for cloud in state.view.clouds] == [3, 3]
    assert not state.view.dry


def test_the_mark_stays_when_students_return_to_the_bag() -> None:
    state = last_turn(bag=(9, 9, 9, 9, 9), last_round="bag")
    assert events_of(state, TakeCloud(1))[-1] == Finished((FIRST, SECOND), "bag")


def test_the_first_last_assistant_calls_the_last_round() -> None:
    state = with_seat(with_seat(board(phase=Phase.PLANNING), 0, hand=(7,)), 1, hand=(8,))
    assert events_of(state, PlayAssistant(7))[1] == LastRoundCalled("assistants")
    assert LastRoundCalled("assistants") not in events_of(do(state, PlayAssistant(7)), PlayAssistant(8))
    assert do(state, PlayAssistant(7)).view.last_round == "assistants"


def test_the_first_reason_counts() -> None:
    state = with_seat(board(phase=Phase.PLANNING, last_round="bag"), 0, hand=(7,))
    assert do(state, PlayAssistant(7)).view.last_round == "bag"


def test_most_towers_then_most_professors_then_all_of_them() -> None:
    base = board(3)
    assert leaders(with_seat(base, 2, towers=4).view) == (GREY,)
    tie = with_seat(with_seat(base, 1, towers=4), 2, towers=4)
    assert leaders(tie.view) == (WHITE, GREY)
    assert leaders(with_view(tie, professors=(Seat(2), None, None, None, None)).view) == (GREY,)
    others = (Seat(0), Seat(0), Seat(0), Seat(2), None)
    assert leaders(with_view(tie, professors=others).view) == (GREY,)
    both = (Seat(0), Seat(0), Seat(1), Seat(2), None)
    assert leaders(with_view(tie, professors=both).view) == (WHITE, GREY)


def test_professors_of_team_mates_are_added() -> None:
    state = with_view(board(4), professors=(Seat(0), Seat(1), Seat(3), Seat(2), Seat(3)))
    assert leaders(state.view) == (WHITE,)
    state = with_view(state, phase=Phase.CLOUD, last_round="bag", turn=Seat(3))
    assert events_of(state, TakeCloud(0))[-1] == Finished((Seat(1), Seat(3)), "bag")


def test_all_who_are_equal_win_together() -> None:
    state = last_turn(last_round="assistants")
    assert events_of(state, TakeCloud(1))[-1] == Finished((FIRST, SECOND), "assistants")


def test_no_character_is_active_once_the_last_turn_has_ended() -> None:
    state = with_view(board(phase=Phase.CLOUD, cards=(4, 6, 8)), turn=SECOND, clouds=(EMPTY, FULL), last_round="bag")
    played = do(state, PlayCharacter(4))
    assert played.view.active is not None
    assert do(played, TakeCloud(1)).view.active is None
