"""The bot and its wits: what it knows, where it goes, what it avoids."""

from hypothesis import given
from hypothesis import strategies as st

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.snarl.bot import bot, known_to
from shared.games.snarl.commands import Move
from shared.games.snarl.events import LevelBegan, PlayerMoved
from shared.games.snarl.game import GAME
from shared.games.snarl.pieces import Point, Window
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.ids import Seat
from tests.support.examples import fewer_examples
from tests.support.snarl_stage import HALL, WORKED, do, stage, zombie


def choices(state: State, seat: int = 0, draws: int = 30) -> set[Point | None]:
    picked = [bot(state, Seat(seat), Dice(draw)) for draw in range(draws)]
    assert all(isinstance(command, Move) for command in picked)
    return {command.to for command in picked if isinstance(command, Move)}


def test_the_bot_takes_the_key_when_it_sees_it() -> None:
    assert choices(stage(HALL, {0: (1, 3)})) == {(1, 1)}


def test_the_bot_goes_to_the_exit_it_has_seen_once_it_is_unlocked() -> None:
    state = stage(HALL, {0: (4, 8)})
    state, _ = do(state, 0, (4, 6))
    state, _ = do(state, 0, (4, 4))
    assert choices(stage(HALL, {0: (4, 6)}, unlocked=True)) == {(4, 8)}
    assert known_to(state, Seat(0)).exit == (4, 8)


def test_the_bot_explores_what_it_has_not_seen() -> None:
    state = stage(WORKED, {0: (4, 4)})
    seen = known_to(state, Seat(0))
    assert seen.key is None
    assert choices(state) == {(4, 6)}


def test_the_bot_never_walks_into_an_adversary_and_mostly_keeps_out_of_its_reach() -> None:
    state = stage(HALL, {0: (4, 6), 1: (1, 1)}, [zombie(1, (4, 7))], unlocked=True)
    picked = [bot(state, Seat(0), Dice(draw)) for draw in range(60)]
    assert Move((4, 7)) not in picked
    threatened = [move for move in picked if isinstance(move, Move) and move.to in {(3, 7), (4, 6)}]
    assert len(threatened) < 20
    assert Move((4, 8)) in picked


def test_a_door_is_a_safe_place_from_a_zombie() -> None:
    state = stage(WORKED, {0: (4, 5)}, [zombie(1, (5, 5))])
    known = known_to(state, Seat(0))
    assert known.danger((5, 5)) == 2
    assert known.danger((4, 5)) == 1
    assert known.danger((4, 6)) == 0


@fewer_examples(10)
@given(seed=st.integers(0, 2**40))
def test_the_bot_knows_exactly_what_its_player_was_shown(seed: int) -> None:
    seats = (Seat(0), Seat(1))
    state = GAME.empty
    step = GAME.setup(Table(Options(count=2), seats, seats, seed))
    shown: dict[Seat, dict[Point, int]] = {}
    for moment in range(60):
        for event in step:
            state = GAME.evolve(state, event)
            if isinstance(event, LevelBegan):
                shown = {seat: {} for seat in seats}
            if isinstance(event, LevelBegan | PlayerMoved):
                for seat, window in event.windows.items():
                    shown[seat].update(tiles_of(window))
        if GAME.outcome(state) is not None:
            return
        seat = GAME.turn(state)[0]
        assert known_to(state, seat).tiles == shown[seat]
        decided = GAME.decide(state, seat, bot(state, seat, Dice(moment)))
        assert not isinstance(decided, Rejected)
        step = decided


def tiles_of(window: Window) -> dict[Point, int]:
    row, column = window.position
    return {
        (row + down, column + right): tile
        for down, line in enumerate(window.layout, start=-2)
        for right, tile in enumerate(line, start=-2)
    }
