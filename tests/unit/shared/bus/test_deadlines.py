"""The index of deadlines."""

import pytest

from shared.bus import deadlines
from shared.ids import RoomId
from shared.results import DueDeadline


@pytest.mark.parametrize("name", ["turn", "seat.3", "game.a:b:c"])
def test_a_deadline_is_read_as_it_was_written(name: str) -> None:
    due = DueDeadline(123, RoomId(1000), name, 9)
    assert deadlines.parse([deadlines.member(due).encode(), b"123"]) == [due]
