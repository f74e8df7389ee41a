"""The bot of Eriantys: it plays what is allowed, and better than chance."""

from shared.dice import Dice
from shared.games.eriantys.bot import bot
from shared.games.eriantys.commands import MoveMother, MoveToHall, PlayCharacter
from shared.games.eriantys.game import GAME
from shared.games.eriantys.pieces import Manner, Phase
from shared.games.eriantys.views import Active
from shared.ids import Seat
from tests.unit.shared.games.eriantys.positions import board, with_seat, with_view
from tests.unit.shared.games.eriantys.test_whole_games import midgame

FIRST = Seat(0)


def test_it_takes_the_island_it_can_have() -> None:
    state = board(phase=Phase.MOTHER, students={3: (1, 0, 0, 0, 0)})
    state = with_view(state, professors=(FIRST, None, None, None, None))
    assert bot(state, FIRST, Dice(1)) == MoveMother(2)


def test_it_pays_for_a_character_that_wins_the_game() -> None:
    state = board(phase=Phase.MOTHER, cards=(4,), students={6: (1, 0, 0, 0, 0)})
    state = with_seat(with_view(state, professors=(FIRST, None, None, None, None)), 0, towers=1)
    assert bot(state, FIRST, Dice(1)) == PlayCharacter(4)


def test_it_takes_a_professor() -> None:
    state = with_view(board(), professors=(FIRST, FIRST, FIRST, FIRST, None))
    command = bot(state, FIRST, Dice(1))
    assert isinstance(command, MoveToHall)


def test_it_makes_the_choice_that_somebody_else_owes() -> None:
    for number, left in ((1, 1), (7, 3), (9, 1), (10, 2)):
        state = with_view(
            board(cards=(number,), halls={0: (1, 1, 0, 0, 0)}), active=Active(number, Manner.LAX, left, True)
        )
        assert bot(state, FIRST, Dice(1)) in GAME.options(state, FIRST)


def test_it_goes_on_when_a_choice_has_become_impossible() -> None:
    active = Active(11, Manner.LAX, 1, True)
    state = with_view(board(cards=(11,), halls={0: (10, 10, 10, 10, 0)}), active=active)
    assert bot(state, FIRST, Dice(1)) in GAME.options(state, FIRST)


def test_the_bot_beats_random_players() -> None:
    wins = 0
    for seed in range(12):
        state = midgame(2, False, 5_000_000 + seed, 0, rich=False)
        dice = Dice(seed, "duel")
        while GAME.outcome(state) is None:
            seat = state.view.turn
            command = bot(state, seat, dice) if seat == 0 else dice.choice(GAME.options(state, seat))
            events = GAME.decide(state, seat, command)
            assert isinstance(events, tuple)
            for event in events:
                state = GAME.evolve(state, event)
        wins += state.view.winners == (0,)
    assert wins >= 10
