"""Generated levels are valid, solvable, repeatable, and grow."""

from hypothesis import given
from hypothesis import strategies as st

from shared.games.snarl.boards import reachable
from shared.games.snarl.level_checks import check_level
from shared.games.snarl.level_generator import MAX_ROOMS, generate
from tests.support.examples import fewer_examples


@given(seed=st.integers(0, 2**63), number=st.integers(1, 30))
def test_every_generated_level_is_valid_and_solvable(seed: int, number: int) -> None:
    level = generate(seed, number)
    board = check_level(level, number)
    assert board.key is not None
    assert board.exit in reachable(board, board.key)
    assert board.room_at(board.key) != board.room_at(board.exit)


@fewer_examples(10)
@given(seed=st.integers(0, 2**63))
def test_even_the_hundredth_level_has_room_for_its_hundred_adversaries(seed: int) -> None:
    check_level(generate(seed, 100), 100)


def test_the_same_seed_gives_the_same_level() -> None:
    assert generate(5, 2) == generate(5, 2)
    assert generate(5, 2) != generate(6, 2)
    assert generate(5, 2) != generate(5, 3)


def test_levels_grow_with_their_number() -> None:
    rooms = [len(generate(11, number).rooms) for number in range(1, 25)]
    assert rooms[:4] == [3, 4, 5, 6]
    assert rooms == sorted(rooms)
    assert rooms[-1] == MAX_ROOMS
    assert len(generate(11, 8).hallways) > len(generate(11, 1).hallways)
