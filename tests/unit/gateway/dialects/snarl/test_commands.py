"""Answers of clients become moves; malformed ones become a move to nowhere."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.snarl.commands import NOWHERE, read_move
from shared.games.snarl.commands import Move


@pytest.mark.parametrize(
    ("frame", "to"),
    [
        ('{"type": "move", "to": [3, 4]}', (3, 4)),
        ('{"to": [3, 4], "type": "move", "mood": "brave"}', (3, 4)),
        ('\n{"type":\n"move","to":null}', None),
        ('{"type": "move", "to": [-1, 4]}', (-1, 4)),
        ('{"type": "move", "to": [9007199254740991, 4]}', (9007199254740991, 4)),
    ],
)
def test_moves_are_read(frame: str, to: Any) -> None:
    assert read_move(frame.encode(), bare=False) == Move(to)
    assert read_move(frame.encode(), bare=True) == Move(to)


@pytest.mark.parametrize(
    "frame",
    [
        "", "x", "{}", "[]", '"move"', "7", "true", '{"type": "move"}', '{"to": [3, 4]}', '{"type": "go", "to": null}',
        '{"type": "move", "to": 3}', '{"type": "move", "to": [3]}', '{"type": "move", "to": [3, 4, 5]}',
        '{"type": "move", "to": [true, 4]}', '{"type": "move", "to": [1.5, 4]}', '{"type": "move", "to": [1.0, 4]}',
        '{"type": "move", "to": [null, 4]}', '{"type": "move", "to": "up"}', '{"type": "move", "to": {}}',
        '{"type": "move", "to": [3, 4]} x', '{"type": "move", "to": ["x", "4"]}', '[{"type": "move", "to": [3, 4]}]',
        '{"type": "move", "to": [3, 1' + "0" * 5000 + "]}", "[" * 30000, '{"type": "move", "to": [1e2, 4]}',
    ],
)  # fmt: skip
def test_malformed_moves_go_nowhere(frame: str) -> None:
    assert read_move(frame.encode(), bare=False) == NOWHERE
    assert read_move(frame.encode(), bare=True) == NOWHERE


@pytest.mark.parametrize(
    ("frame", "to"),
    [("[3, 4]", (3, 4)), ("null", None), ('{"type": "move", "to": ["3", "4"]}', (3, 4)), ('["-3", "4"]', (-3, 4))],
)
def test_bare_points_and_digits_as_strings_are_read_where_allowed(frame: str, to: Any) -> None:
    assert read_move(frame.encode(), bare=True) == Move(to)
    assert read_move(frame.encode(), bare=False) == NOWHERE


@given(frame=st.binary(max_size=60), bare=st.booleans())
def test_reading_a_move_from_any_bytes_does_not_raise(frame: bytes, bare: bool) -> None:
    read_move(frame, bare=bare)
