"""A whole situation retold: two players, two rooms, an adversary that stands still."""

import pytest

from shared.errors import Rejected
from shared.games.snarl.commands import Move
from shared.games.snarl.events import AdversaryMoved, Event, PlayerMoved, Result
from shared.games.snarl.pieces import Item, ItemKind, Point, Window
from shared.games.snarl.rules import decide
from shared.games.snarl.state import State
from shared.games.snarl.windows import windows
from shared.ids import Seat
from tests.support.snarl_stage import WORKED, do, stage, statue, zombie

DIO, FERD = Seat(0), Seat(1)


@pytest.fixture(autouse=True)
def _the_adversary_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def layout(window: Window) -> str:
    return " / ".join("".join(map(str, row)) for row in window.layout)


def shown(events: tuple[Event, ...]) -> dict[Seat, Window]:
    """The windows of the player's own move."""
    moved = events[0]
    assert isinstance(moved, PlayerMoved)
    return moved.windows


def step(state: State, seat: Seat, to: Point | None, expected: Result) -> tuple[State, dict[Seat, Window]]:
    state, events = do(state, seat, to)
    assert isinstance(events[0], PlayerMoved)
    assert events[0].result is expected
    assert all(isinstance(event, AdversaryMoved) for event in events[1:-1])
    return state, shown(events)


def test_the_worked_example_happens_to_the_letter() -> None:
    state = stage(WORKED, {DIO: (4, 3), FERD: (11, 10)}, [zombie(1, (9, 10))])
    seen = windows(state.scene)
    assert layout(seen[DIO]) == "00000 / 00111 / 00111 / 00111 / 00000"
    assert (seen[DIO].items, seen[DIO].actors) == ((Item(ItemKind.EXIT, (4, 4)),), ())
    assert layout(seen[FERD]) == "01110 / 01110 / 01110 / 00000 / 00000"
    assert seen[FERD].items == (Item(ItemKind.KEY, (10, 10)),)
    assert seen[FERD].actors == (zombie(1, (9, 10)),)

    state, _ = step(state, DIO, (4, 4), Result.OK)
    assert isinstance(decide(state, FERD, Move((12, 10))), Rejected)
    state, seen = step(state, FERD, (10, 10), Result.KEY)
    assert set(seen) == {DIO, FERD}
    assert seen[FERD].items == ()
    assert seen[DIO].items == (Item(ItemKind.EXIT, (4, 4)),)

    state, seen = step(state, DIO, (4, 6), Result.OK)
    assert layout(seen[DIO]) == "00000 / 11000 / 11211 / 11000 / 00000"
    state, _ = step(state, FERD, None, Result.OK)
    state, seen = step(state, DIO, (4, 8), Result.OK)
    assert layout(seen[DIO]) == "00000 / 00000 / 21111 / 00001 / 00001"
    state, _ = step(state, FERD, (11, 11), Result.OK)
    state, _ = step(state, DIO, (4, 10), Result.OK)
    state, _ = step(state, FERD, (9, 11), Result.OK)

    assert isinstance(decide(state, DIO, Move((4, 12))), Rejected)
    state, _ = step(state, DIO, (6, 10), Result.OK)
    state, seen = step(state, FERD, (9, 10), Result.EJECT)
    assert set(seen) == {DIO}
    assert state.scene.ejects == (FERD,)
    assert state.scene.turn == DIO
