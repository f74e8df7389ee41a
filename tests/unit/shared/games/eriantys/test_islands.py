"""Mother nature, influence, towers and groups that join."""

import pytest

from shared.games.eriantys.commands import MoveMother
from shared.games.eriantys.events import (
    GroupsJoined,
    MotherMoved,
    NoEntryUsed,
    PhaseBegan,
    TowersPlaced,
    TowersReturned,
)
from shared.games.eriantys.islands import influence, strongest
from shared.games.eriantys.pieces import Phase, Tower
from shared.games.eriantys.state import State
from shared.games.eriantys.views import Group
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import board, do, events_of, joined, refusal, with_seat, with_view

BLACK, WHITE, GREY = Tower.BLACK, Tower.WHITE, Tower.GREY
FIRST, SECOND = Seat(0), Seat(1)
GREEN_OF_FIRST = (FIRST, None, None, None, None)


def walking(**changes: object) -> State:
    return with_view(board(phase=Phase.MOTHER), professors=GREEN_OF_FIRST, **changes)


@pytest.mark.parametrize("steps", [0, -1, 4, 100])
def test_a_wrong_number_of_steps_is_refused(steps: int) -> None:
    assert refusal(walking(), MoveMother(steps)) == "eriantys/steps"


def test_groups_count_as_one_island_and_the_ring_has_no_end() -> None:
    state = joined(walking(mother=11), (12, 1), (2, 3))
    assert do(joined(walking(mother=11), (1, 12), (2, 3)), MoveMother(1)).view.mother == 1
    assert do(joined(walking(mother=11), (1, 12), (2, 3)), MoveMother(2)).view.mother == 2
    assert do(state, MoveMother(3)).view.mother == 4


def test_she_may_go_all_the_way_round() -> None:
    four = joined(board(phase=Phase.MOTHER), (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))
    state = with_seat(four, 0, assistant=8)
    assert events_of(state, MoveMother(4)) == (MotherMoved(1), PhaseBegan(Phase.CLOUD))


def test_the_strongest_builds_a_tower() -> None:
    state = with_view(board(phase=Phase.MOTHER, students={3: (1, 0, 0, 0, 0)}), professors=GREEN_OF_FIRST)
    assert events_of(state, MoveMother(2)) == (MotherMoved(3), TowersPlaced(FIRST, (3,)), PhaseBegan(Phase.CLOUD))
    assert do(state, MoveMother(2)).view.players[0].towers == 7


def test_an_island_without_influence_or_with_a_tie_does_not_change() -> None:
    assert events_of(walking(), MoveMother(1)) == (MotherMoved(2), PhaseBegan(Phase.CLOUD))
    tie = board(phase=Phase.MOTHER, students={2: (1, 1, 0, 0, 0)})
    tie = with_view(tie, professors=(FIRST, SECOND, None, None, None))
    assert events_of(tie, MoveMother(1)) == (MotherMoved(2), PhaseBegan(Phase.CLOUD))


def test_a_tie_at_the_top_keeps_the_owner_even_if_not_in_the_tie() -> None:
    state = board(3, phase=Phase.MOTHER, students={2: (2, 2, 0, 0, 0)}, towers={2: GREY})
    state = with_view(state, professors=(FIRST, SECOND, None, None, None))
    assert events_of(state, MoveMother(1)) == (MotherMoved(2), PhaseBegan(Phase.CLOUD))


def test_own_towers_count_and_the_owner_keeps_a_tie() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={2: WHITE})
    state = with_view(state, professors=GREEN_OF_FIRST)
    assert influence(state.view, Group((2,))) == {BLACK: 1, WHITE: 1}
    assert events_of(state, MoveMother(1)) == (MotherMoved(2), PhaseBegan(Phase.CLOUD))


def test_a_conquered_group_gives_all_its_towers_back() -> None:
    state = board(phase=Phase.MOTHER, students={2: (3, 0, 0, 0, 0)}, towers={2: WHITE, 3: WHITE})
    state = joined(with_view(state, professors=GREEN_OF_FIRST), (2, 3))
    events = events_of(state, MoveMother(1))
    assert events[1:3] == (TowersReturned(SECOND, (2, 3)), TowersPlaced(FIRST, (2, 3)))
    after = do(state, MoveMother(1)).view
    assert [player.towers for player in after.players] == [6, 8]


def test_a_group_that_is_already_won_stays_as_it_is() -> None:
    state = board(phase=Phase.MOTHER, students={2: (3, 0, 0, 0, 0)}, towers={2: BLACK})
    assert events_of(with_view(state, professors=GREEN_OF_FIRST), MoveMother(1))[1:] == (PhaseBegan(Phase.CLOUD),)


def test_both_neighbours_join_in_one_go() -> None:
    state = board(phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={1: BLACK, 3: BLACK})
    state = with_view(state, professors=GREEN_OF_FIRST)
    assert events_of(state, MoveMother(1))[2:4] == (GroupsJoined(0, 1), GroupsJoined(0, 1))
    after = do(state, MoveMother(1)).view
    assert after.groups[0].tiles == (1, 2, 3)
    assert after.mother == 1
    assert len(after.groups) == 10


def test_groups_join_round_the_ring() -> None:
    state = board(phase=Phase.MOTHER, students={1: (1, 0, 0, 0, 0)}, towers={12: BLACK, 2: BLACK}, mother=11)
    state = with_view(state, professors=GREEN_OF_FIRST)
    assert events_of(state, MoveMother(2))[2:4] == (GroupsJoined(0, 11), GroupsJoined(0, 1))
    assert do(state, MoveMother(2)).view.groups[0].tiles == (1, 2, 12)


def test_towers_of_another_colour_do_not_join() -> None:
    state = board(3, phase=Phase.MOTHER, students={2: (1, 0, 0, 0, 0)}, towers={1: WHITE, 3: GREY})
    assert len(do(with_view(state, professors=GREEN_OF_FIRST), MoveMother(1)).view.groups) == 12


def test_no_entry_tiles_add_up_when_groups_join_and_one_is_used_at_a_time() -> None:
    state = board(phase=Phase.MOTHER, cards=(5,), students={2: (1, 0, 0, 0, 0)}, towers={3: BLACK})
    groups = tuple(Group((n,), no_entry=2 if n == 3 else 0) for n in range(1, 13))
    state = with_view(state, professors=GREEN_OF_FIRST, groups=groups)
    after = do(state, MoveMother(1))
    assert after.view.groups[1] == Group((2, 3), 2)
    again = with_view(after, phase=Phase.MOTHER, mother=1)
    assert events_of(again, MoveMother(1)) == (MotherMoved(2), NoEntryUsed(2), PhaseBegan(Phase.CLOUD))
    assert do(again, MoveMother(1)).view.groups[1].no_entry == 1


def test_a_team_has_the_professors_of_both_and_the_towers_of_one() -> None:
    state = board(4, phase=Phase.MOTHER, students={2: (1, 1, 2, 0, 0)})
    state = with_view(state, professors=(Seat(0), Seat(2), Seat(1), None, None))
    assert strongest(state.view, Group((2,))) is None
    three = with_view(state, professors=(Seat(0), Seat(2), None, None, None))
    assert influence(three.view, Group((2,))) == {BLACK: 2, WHITE: 0}
    after = do(with_view(three, turn=Seat(2), order=tuple(map(Seat, (2, 3, 0, 1)))), MoveMother(1)).view
    assert [player.towers for player in after.players] == [7, 8, 0, 0]
