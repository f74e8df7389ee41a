"""Lost players in Eriantys: grace, skipped turns, the pause, and the one who is left."""

from msgspec.structs import replace

from shared.game import Absent, DeadlinePassed, Present, Timer
from shared.games.eriantys.commands import (
    ActivateCharacter,
    MoveMother,
    MoveToHall,
    MoveToIsland,
    PlayAssistant,
    TakeCloud,
)
from shared.games.eriantys.events import (
    AssistantPlayed,
    Finished,
    Paused,
    PlayerBack,
    PlayerLost,
    Resumed,
    TurnBegan,
    TurnSkipped,
)
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import NO_STUDENTS, Manner, Phase
from shared.games.eriantys.presence import notice, timers
from shared.games.eriantys.state import State
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import G, R, board, do, events_of, refusal, with_seat, with_view

GRACE, ALONE = DeadlinePassed("grace"), DeadlinePassed("alone")


def after(state: State, *notices: Absent | Present | DeadlinePassed) -> State:
    for happening in notices:
        for event in notice(state, happening):
            state = GAME.evolve(state, event)
    return state


def lost(seat: int) -> Absent:
    return Absent(Seat(seat))


def back(seat: int) -> Present:
    return Present(Seat(seat))


def test_the_grace_of_a_lost_player_runs_only_in_the_own_turn() -> None:
    state = replace(board(3), grace_ms=1234)
    assert timers(after(state, lost(1))) == ()
    assert [(timer.name, timer.after_ms) for timer in timers(after(state, lost(0)))] == [("grace", 1234)]
    assert timers(after(state, lost(0), back(0))) == ()


def test_grace_begins_anew_with_the_turn_and_with_the_loss_but_not_with_others() -> None:
    first = timers(after(board(3), lost(0)))
    assert timers(after(board(3), lost(0), back(0), lost(0))) != first
    four = after(board(4), lost(0))
    assert timers(after(four, lost(1))) == timers(four)
    assert timers(after(four, GRACE)) == ()
    two = after(board(4), lost(0), lost(1))
    assert timers(after(two, GRACE)) not in (timers(two), ())


def test_the_highest_legal_assistant_is_played_for_a_lost_player() -> None:
    state = do(board(3, phase=Phase.PLANNING), PlayAssistant(10))
    state = after(state, lost(1))
    assert notice(state, GRACE)[0] == AssistantPlayed(Seat(1), 9)
    assert after(state, GRACE).view.turn == 2


def test_a_turn_is_skipped_in_the_action_phase_and_what_was_done_stays() -> None:
    state = after(do(board(3, cards=(9,)), MoveToHall(G), ActivateCharacter(9, Manner.STRICT)), lost(0))
    events = notice(state, GRACE)
    assert events == (TurnSkipped(Seat(0)), TurnBegan(Seat(1), Phase.STUDENTS, 4))
    skipped = after(state, GRACE).view
    assert skipped.players[0].hall[0] == 1
    assert skipped.active is None


def test_a_held_turn_is_skipped_too() -> None:
    state = do(board(3, phase=Phase.CLOUD, cards=(9,)), ActivateCharacter(9, Manner.LAX), TakeCloud(0))
    assert after(state, lost(0), GRACE).view.turn == 1


def test_a_player_who_returns_in_time_plays_on() -> None:
    state = after(board(3), lost(0), back(0))
    assert notice(state, GRACE) == ()
    assert events_of(state, MoveToHall(G))


def test_the_last_of_a_round_can_be_skipped() -> None:
    state = with_view(board(3, phase=Phase.CLOUD), turn=Seat(2))
    skipped = after(state, lost(2), GRACE).view
    assert (skipped.round, skipped.phase) == (2, Phase.PLANNING)


def test_clouds_that_nobody_took_are_only_filled_up() -> None:
    state = with_view(board(3, phase=Phase.CLOUD), turn=Seat(2), clouds=((1, 1, 1, 1, 0), NO_STUDENTS, (2, 0, 0, 0, 0)))
    skipped = after(state, lost(2), GRACE).view
    assert [sum(cloud) for cloud in skipped.clouds] == [4, 4, 4]
    assert sum(skipped.bag) == 50 - 6


def test_a_short_entrance_moves_what_it_has() -> None:
    state = with_seat(board(3, phase=Phase.CLOUD), 1, entrance=(1, 1, 0, 0, 0))
    state = do(state, TakeCloud(0))
    assert (state.view.turn, state.view.moves) == (1, 2)
    assert do(state, MoveToIsland(G, 1), MoveToIsland(R, 1)).view.phase is Phase.MOTHER


def test_an_empty_entrance_goes_straight_to_mother_nature() -> None:
    state = do(with_seat(board(phase=Phase.CLOUD), 1, entrance=NO_STUDENTS), TakeCloud(0))
    assert (state.view.turn, state.view.phase) == (1, Phase.MOTHER)
    assert do(state, MoveMother(1), TakeCloud(1)).view.players[1].entrance == (1, 1, 1, 0, 0)


def test_the_game_is_paused_when_one_is_left_and_goes_on_when_another_is_back() -> None:
    state = board(3)
    assert notice(after(state, lost(1)), lost(2)) == (PlayerLost(Seat(2)), Paused())
    paused = after(state, lost(1), lost(2))
    assert GAME.turn(paused) == ()
    assert GAME.options(paused, Seat(0)) == ()
    assert refusal(paused, MoveToHall(G)) == "eriantys/paused"
    assert [(timer.name, timer.after_ms) for timer in timers(paused)] == [("alone", 50000)]
    assert notice(paused, back(1)) == (PlayerBack(Seat(1)), Resumed())
    assert events_of(after(paused, back(1)), MoveToHall(G))


def test_the_one_who_is_left_wins_in_the_end() -> None:
    paused = after(board(2), lost(0))
    assert notice(paused, ALONE) == (Finished((Seat(1),), "alone"),)
    over = after(paused, ALONE)
    outcome = GAME.outcome(over)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((1,), "alone")
    assert timers(over) == ()
    assert notice(over, back(0)) == ()


def test_in_a_team_game_only_the_one_who_is_left_wins() -> None:
    assert notice(after(board(4), lost(0), lost(1), lost(2)), ALONE) == (Finished((Seat(3),), "alone"),)


def test_when_nobody_is_there_nothing_moves() -> None:
    state = after(board(2), lost(0), lost(1))
    assert timers(state) == ()
    assert notice(state, ALONE) == ()
    assert notice(state, GRACE) == ()
    alone = after(state, back(1))
    assert alone.view.paused
    assert timers(alone) == (Timer("alone", 50000, alone.alone_number),)
    assert timers(alone) != timers(after(board(2), lost(0)))


def test_notices_that_say_nothing_new_do_nothing() -> None:
    state = board(3)
    assert notice(state, back(0)) == ()
    assert notice(after(state, lost(0)), Absent(Seat(0), for_good=True)) == ()
    assert notice(state, GRACE) == ()
    assert notice(state, ALONE) == ()
    assert notice(state, DeadlinePassed("tea")) == ()


def test_after_the_pause_the_grace_of_the_absent_begins_anew() -> None:
    before = after(board(3), lost(0))
    resumed = after(before, lost(1), back(1))
    assert timers(resumed) not in (timers(before), ())
