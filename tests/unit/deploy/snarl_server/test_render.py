"""The drawing of a Snarl game for the terminal."""

from io import StringIO

from rich.console import Console

from deploy.snarl_server.render import draw_game
from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.snarl.game import GAME
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.games.snarl.views import View
from shared.ids import Seat
from tests.support.snarl_stage import HALL, WORKED, do, ghost, stage, zombie

NAMES = {Seat(0): "alice", Seat(1): "bob"}


def picture(view: View, width: int = 120) -> list[str]:
    console = Console(file=StringIO(), width=width, color_system=None)
    console.print(draw_game(view, NAMES, width))
    file = console.file
    assert isinstance(file, StringIO)
    return file.getvalue().splitlines()


def test_every_tile_object_and_actor_has_its_symbol() -> None:
    state = stage(WORKED, {0: (4, 3), 1: (11, 10)}, [zombie(1, (9, 10)), ghost(1, (4, 8))])
    lines = picture(state.scene)
    assert "Level 1 of 1" in lines[0]
    board = [line[3:-3] for line in lines[2:15]]
    assert board[2].startswith("    " + "██" * 5)
    assert board[4] == "    ██1 ▼ · ▒▒░░G1░░░░    "
    assert board[9] == "                ██· Z1· ██"
    assert board[10] == "                ██· ♦ · ██"
    assert board[11] == "                ██· 2 · ██"
    assert any("the exit is locked" in line for line in lines)


def test_all_players_are_listed_below_the_level() -> None:
    state, _ = do(stage(HALL, {0: (1, 2), 1: (4, 7)}), 0, (1, 1))
    state, _ = do(state, 1, (4, 8))
    lines = picture(state.scene)
    assert any("the exit is unlocked" in line for line in lines)
    assert lines[-2].split() == ["1", "alice", "to", "move", "0", "1", "0"]
    assert lines[-1].split() == ["2", "bob", "exited", "1", "0", "0"]


def test_the_end_of_the_game_is_shown() -> None:
    state, _ = do(stage(HALL, {0: (4, 7)}, unlocked=True), 0, (4, 8))
    assert picture(state.scene)[-1] == "The dungeon is conquered."


def test_a_waiting_text_is_shown_before_the_game() -> None:
    assert any("waiting for players" in line for line in picture(View()))


def test_a_wide_level_is_drawn_with_narrow_tiles() -> None:
    state = stage(WORKED, {0: (4, 3), 1: (11, 10)})
    assert "██1▼·▒░░░░" not in "".join(picture(state.scene))
    assert any("█1▼·▒░░░░" in line for line in picture(state.scene, width=24))


def test_every_position_of_a_game_is_drawn_without_an_error() -> None:
    seats = (Seat(0), Seat(1))
    state: State = GAME.empty
    step = GAME.setup(Table(Options(count=4, start=3), seats, seats, 4))
    assert GAME.bot is not None
    for moment in range(200):
        for event in step:
            state = GAME.evolve(state, event)
        picture(state.scene)
        if GAME.outcome(state) is not None:
            break
        seat = GAME.turn(state)[0]
        decided = GAME.decide(state, seat, GAME.bot(state, seat, Dice(moment)))
        assert not isinstance(decided, Rejected)
        step = decided
