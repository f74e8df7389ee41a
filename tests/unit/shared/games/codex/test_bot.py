"""The bot plays by the rules, in its own interest, and looks at nothing hidden."""

from hypothesis import given
from hypothesis import strategies as st

from shared.conformance import play
from shared.dice import Dice
from shared.games.codex.bot import bot
from shared.games.codex.commands import DrawTable, PlaceCard
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Face, Phase
from shared.ids import Seat
from tests.support.examples import fewer_examples
from tests.unit.shared.games.codex.positions import A, B, back, front, in_play, started
from tests.unit.shared.games.codex.test_visibility import exchange, hidden_cards, twin
from tests.unit.shared.games.codex.test_whole_games import SEEDS, walk


def test_it_takes_the_placing_with_the_most_points() -> None:
    rich = [front(81, 40, 40), back(2, 39, 41), back(3, 41, 41), back(4, 41, 39), back(5, 38, 42)]
    state = in_play({A: rich, B: [front(82, 40, 40)]}, {A: (8, 50, 11)})
    choice = bot(state, A, Dice(1))
    assert isinstance(choice, PlaceCard)
    assert (choice.choice, choice.face) == (2, Face.FRONT)


def test_it_draws_a_gold_card_that_it_can_pay_for() -> None:
    rich = [front(81, 40, 40), back(2, 39, 41), back(3, 41, 41), back(4, 41, 39), back(5, 38, 42)]
    state = in_play({A: rich, B: [front(82, 40, 40)]}, {A: (8, 11)}, places=(12, 13, 80, 50), phase=Phase.DRAWING)
    assert bot(state, A, Dice(1)) == DrawTable(4)


def test_the_bot_beats_random_players() -> None:
    smart = [max(play(GAME, 2, seed, smart=True)[2].scores.values()) for seed in range(5)]
    rounds = [play(GAME, 2, seed, smart=True)[0].table.round for seed in range(5)]
    chance = [play(GAME, 2, seed)[0].table.round for seed in range(5)]
    assert min(smart) >= 20
    assert sum(rounds) < sum(chance)


@fewer_examples(4)
@given(st.integers(2, 4), SEEDS, st.integers(0, 60))
def test_it_does_not_look_at_hidden_cards(seats: int, seed: int, steps: int) -> None:
    state = walk(started(seats, seed), seed, steps)
    for seat in GAME.turn(state):
        double = twin(state, seat, exchange(hidden_cards(state, seat), Dice(seed, "twin")))
        assert bot(double, Seat(seat), Dice(seed)) == bot(state, Seat(seat), Dice(seed))
