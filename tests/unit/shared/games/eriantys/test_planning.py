"""The planning phase of Eriantys: assistants, the order of turns, and how rounds follow each other."""

from shared.games.eriantys.commands import MoveMother, MoveToHall, PlayAssistant, TakeCloud
from shared.games.eriantys.pieces import Phase, steps_of
from shared.games.eriantys.views import max_steps, playable_assistants
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import G, R, board, do, refusal, with_seat, with_view


def test_steps_are_half_the_value_rounded_up() -> None:
    assert [steps_of(value) for value in range(1, 11)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_a_value_played_by_another_in_this_round_is_refused() -> None:
    state = do(board(3, phase=Phase.PLANNING), PlayAssistant(3))
    assert refusal(state, PlayAssistant(3)) == "eriantys/assistant_taken"
    assert playable_assistants(state.view) == (1, 2, 4, 6, 7, 8, 9, 10)


def test_the_ban_covers_the_team_mate_too() -> None:
    state = do(board(4, phase=Phase.PLANNING), PlayAssistant(3), PlayAssistant(4))
    assert state.view.turn == 2
    assert refusal(state, PlayAssistant(3)) == "eriantys/assistant_taken"


def test_when_the_whole_hand_is_banned_any_of_it_may_be_played() -> None:
    state = with_seat(board(3, phase=Phase.PLANNING), 2, hand=(3, 4))
    state = do(state, PlayAssistant(3), PlayAssistant(4))
    assert playable_assistants(state.view) == (3, 4)
    after = do(state, PlayAssistant(3))
    assert after.view.order == (0, 2, 1)


def test_a_hand_that_is_only_partly_banned_has_no_such_freedom() -> None:
    state = with_seat(board(3, phase=Phase.PLANNING), 2, hand=(3, 10))
    state = do(state, PlayAssistant(3), PlayAssistant(4))
    assert refusal(state, PlayAssistant(3)) == "eriantys/assistant_taken"


def test_an_assistant_that_was_played_or_does_not_exist_is_refused() -> None:
    state = board(phase=Phase.PLANNING)
    assert refusal(state, PlayAssistant(5)) == "eriantys/assistant_gone"
    assert refusal(state, PlayAssistant(0)) == "eriantys/no_such_assistant"
    assert refusal(state, PlayAssistant(11)) == "eriantys/no_such_assistant"


def test_the_cards_of_the_last_round_are_no_ban() -> None:
    state = with_view(board(phase=Phase.PLANNING), order=(Seat(0), Seat(1)))
    assert playable_assistants(with_seat(state, 0, hand=(5,)).view) == (5,)


def test_the_lowest_goes_first_and_of_equal_ones_the_earlier() -> None:
    state = with_view(board(3, phase=Phase.PLANNING), order=(Seat(1), Seat(2), Seat(0)), turn=Seat(1))
    state = do(with_seat(state, 0, hand=(9,)), PlayAssistant(9), PlayAssistant(2), PlayAssistant(9))
    assert state.view.order == (2, 1, 0)
    assert (state.view.turn, state.view.phase, state.view.moves) == (2, Phase.STUDENTS, 4)


def test_the_next_planning_begins_with_the_lowest_assistant_and_goes_clockwise() -> None:
    state = with_view(board(3, phase=Phase.CLOUD), order=(Seat(2), Seat(0), Seat(1)), turn=Seat(1))
    empty = (0, 0, 0, 0, 0)
    state = do(with_view(state, clouds=(empty, empty, (1, 1, 1, 1, 0))), TakeCloud(2))
    assert state.view.round == 2
    assert state.view.order == (2, 0, 1)
    assert (state.view.turn, state.view.phase) == (2, Phase.PLANNING)
    assert [sum(cloud) for cloud in state.view.clouds] == [4, 4, 4]


def test_commands_out_of_turn_or_out_of_phase_are_refused() -> None:
    state = board(phase=Phase.PLANNING)
    assert refusal(state, PlayAssistant(1), seat=1) == "game/not_your_turn"
    assert refusal(state, MoveMother(1)) == "eriantys/wrong_phase"
    assert refusal(board(), PlayAssistant(1)) == "eriantys/wrong_phase"
    assert refusal(board(), TakeCloud(0)) == "eriantys/wrong_phase"
    assert refusal(board(phase=Phase.CLOUD), MoveMother(1)) == "eriantys/wrong_phase"


def test_the_steps_of_a_turn_are_those_of_the_assistant_of_this_round() -> None:
    assert max_steps(board(phase=Phase.MOTHER).view) == 3


def test_the_turn_passes_through_its_three_steps() -> None:
    state = board()
    phases = [state.view.phase]
    for command in (MoveToHall(G), MoveToHall(G), MoveToHall(R), MoveMother(1), TakeCloud(0)):
        state = do(state, command)
        phases.append(state.view.phase)
    assert phases == [
        Phase.STUDENTS,
        Phase.STUDENTS,
        Phase.STUDENTS,
        Phase.MOTHER,
        Phase.CLOUD,
        Phase.STUDENTS,
    ]
    assert state.view.turn == 1
