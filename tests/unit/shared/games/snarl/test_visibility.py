"""Spectators of Snarl see only what players have seen, unless the table opens the level to them."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from shared.dice import Dice
from shared.errors import Rejected
from shared.game import Table
from shared.games.snarl.events import AdversaryMoved, Event, LevelBegan, PlayerMoved
from shared.games.snarl.game import GAME
from shared.games.snarl.pieces import Point, Window
from shared.games.snarl.setup import Options
from shared.games.snarl.state import State
from shared.games.snarl.views import View, fold
from shared.ids import Seat

SEATS = (Seat(0), Seat(1))
STEPS = 120


def steps(seed: int, options: Options) -> Iterator[tuple[Event, State]]:
    """The beginning of a game of bots, event by event."""
    state = GAME.empty
    events = GAME.setup(Table(options, SEATS, SEATS, seed))
    for step in range(STEPS):
        for event in events:
            state = GAME.evolve(state, event)
            yield event, state
        if not GAME.turn(state):
            return
        assert GAME.bot is not None
        actor = GAME.turn(state)[0]
        decided = GAME.decide(state, actor, GAME.bot(state, actor, Dice(seed, step)))
        assert not isinstance(decided, Rejected)
        events = decided


def tiles(window: Window) -> dict[Point, int]:
    top, left = window.position[0] - 2, window.position[1] - 2
    return {
        (top + down, left + right): tile
        for down, line in enumerate(window.layout)
        for right, tile in enumerate(line)
        if top + down >= 0 and left + right >= 0
    }


def shown_tiles(view: View) -> dict[Point, int]:
    assert view.board is not None
    kinds = {"#": 0, ".": 1, "+": 2}
    return {
        (row, column): kinds[cell]
        for row, line in enumerate(view.board.rows)
        for column, cell in enumerate(line)
        if cell != " "
    }


@pytest.mark.parametrize("seed", range(3))
def test_a_spectator_knows_exactly_what_the_windows_of_all_players_have_shown(seed: int) -> None:
    """A player who watches the own game under a second name learns nothing that no player has seen."""
    view = View()
    seen: dict[Point, int] = {}
    items: set[tuple[str, Point]] = set()
    for event, state in steps(seed, Options(count=4)):
        if isinstance(event, LevelBegan):
            seen, items = {}, set()
        windows: dict[Seat, Window] = getattr(event, "windows", {})
        for window in windows.values():
            seen |= tiles(window)
            items |= {(item.kind.value, item.position) for item in window.items}
        public = GAME.redact(event, None)
        assert public is not None
        view = fold(view, public)
        assert view == GAME.view(state, None)
        if view.board is None:
            continue
        assert shown_tiles(view) == seen
        assert view.board.rooms == ()
        assert view.board.exit in {None, *(point for kind, point in items if kind == "exit")}
        assert view.board.key in {None, *(point for kind, point in items if kind == "key")}
        own = [GAME.view(state, seat).window for seat in SEATS]  # type: ignore[attr-defined]
        in_windows = {actor for window in own if window is not None for actor in window.actors}
        assert set(view.adversaries) <= in_windows


def texts(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def test_moves_of_adversaries_that_no_player_sees_are_not_shown() -> None:
    hidden = 0
    for event, state in steps(1, Options(count=4, start=3)):
        public = GAME.redact(event, None)
        if isinstance(event, AdversaryMoved) and event.to is not None:
            assert isinstance(public, AdversaryMoved)
            assert (public.kind, public.to, public.through, public.windows) == (None, None, None, {})
            moved = next(
                actor for actor in state.scene.adversaries if (actor.kind, actor.number) == (event.kind, event.number)
            )
            hidden += moved not in (public.sighted or ())
    assert hidden > 10


def test_the_board_of_a_level_is_in_no_event_for_spectators() -> None:
    for event, state in steps(2, Options(count=4)):
        public = texts(GAME.redact(event, None))
        assert '"rooms"' not in public
        if isinstance(event, LevelBegan):
            assert state.scene.whole.rows[0] not in public


@pytest.mark.parametrize("seed", range(2))
def test_a_table_can_open_the_whole_level_to_spectators(seed: int) -> None:
    view = View()
    for event, state in steps(seed, Options(count=4, whole_level=True)):
        public = GAME.redact(event, None)
        assert public is not None
        view = fold(view, public)
        assert view == GAME.view(state, None) == state.scene


def test_seats_see_no_more_at_a_table_that_opens_the_level() -> None:
    for event, _ in steps(1, Options(count=4, whole_level=True)):
        for seat in SEATS:
            redacted = msgspec.to_builtins(GAME.redact(event, seat))
            assert redacted.get("board") is None
            assert not redacted.get("adversaries")
            assert redacted.get("sighted") is None


@pytest.mark.parametrize("whole", [True, False])
def test_replays_show_the_whole_level(whole: bool) -> None:
    assert GAME.replay is not None
    view, moves = View(), 0
    for event, state in steps(3, Options(count=4, whole_level=whole)):
        replayed = GAME.replay(event)
        assert replayed is not None
        view = fold(view, replayed)
        assert view == state.scene
        moves += isinstance(event, PlayerMoved)
    assert moves > 20


def test_replays_do_not_show_seed_and_levels() -> None:
    assert GAME.replay is not None
    secret = 987_654_321
    events = GAME.setup(Table(Options(levels="shipped"), SEATS, SEATS, secret))
    redacted = texts([GAME.replay(event) for event in events])
    assert str(secret) not in redacted
    assert "bounds" not in redacted
