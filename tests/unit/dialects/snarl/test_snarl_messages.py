"""How messages are written and answers read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.snarl.messages import (
    NOWHERE,
    EndGame,
    EndLevel,
    PlayerScore,
    PlayerUpdate,
    SeenActor,
    SeenObject,
    StartLevel,
    Welcome,
    read_move,
    read_name,
    say,
    say_result,
)
from shared.games.snarl.commands import Move
from shared.games.snarl.events import Result


def test_messages_are_one_line_with_the_type_first_and_a_space_after_colon_and_comma() -> None:
    assert say(Welcome("x")) == b'{"type": "welcome", "info": "x"}'
    assert say(StartLevel(1, ("alice", "bob"))) == b'{"type": "start-level", "level": 1, "players": ["alice", "bob"]}'
    update = PlayerUpdate(
        ((0, 1),), (2, 2), (SeenObject("key", (1, 2)),), (SeenActor("zombie", "zombie1", (1, 4)),), None
    )
    assert say(update) == (
        b'{"type": "player-update", "layout": [[0, 1]], "position": [2, 2], '
        b'"objects": [{"type": "key", "position": [1, 2]}], '
        b'"actors": [{"type": "zombie", "name": "zombie1", "position": [1, 4]}], "message": null}'
    )
    assert say(EndLevel(None, (), ("bob",))) == b'{"type": "end-level", "key": null, "exits": [], "ejects": ["bob"]}'
    assert say(EndGame((PlayerScore("bob", 0, 2, 1),))) == (
        b'{"type": "end-game", "scores": [{"type": "player-score", "name": "bob", "exits": 0, "ejects": 2, "keys": 1}]}'
    )


def test_results_are_strings_in_quotes() -> None:
    assert [say_result(result) for result in Result] == [b'"OK"', b'"Key"', b'"Exit"', b'"Eject"']


@pytest.mark.parametrize("name", ["a", "Bob", "bob", "42", "x" * 32, "zombie", "ghost", "ok", "Name", "zombie1x"])
def test_good_names(name: str) -> None:
    assert read_name(f'"{name}"'.encode(), unquoted=False) == name
    assert read_name(f'"{name}"'.encode(), unquoted=True) == name
    assert read_name(f" {name}\r".encode(), unquoted=True) == name
    assert read_name(name.encode(), unquoted=False) is None


@pytest.mark.parametrize(
    "frame",
    [
        '""', '" "', '"two words"', '"é"', '"٣"', '"a_b"', '"a\\n"', '"' + "x" * 33 + '"', '"alice', "null", "{}",
        '["alice"]', "17", '"name"', '"move"', '"OK"', '"Key"', '"Exit"', '"Eject"', '"Invalid"', '"zombie1"',
        '"ghost007"', '"\\ud800"', "",
    ],
)  # fmt: skip
def test_bad_names(frame: str) -> None:
    assert read_name(frame.encode(), unquoted=False) is None


@pytest.mark.parametrize("frame", [b"two words", b"\xff\xfe", b"move", b"zombie12", b"{}", b"", b'"alice"x'])
def test_bad_names_without_quotes(frame: bytes) -> None:
    assert read_name(frame, unquoted=True) is None


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
def test_moves(frame: str, to: Any) -> None:
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
def test_malformed_moves(frame: str) -> None:
    assert read_move(frame.encode(), bare=False) == NOWHERE
    assert read_move(frame.encode(), bare=True) == NOWHERE


@pytest.mark.parametrize(
    ("frame", "to"),
    [("[3, 4]", (3, 4)), ("null", None), ('{"type": "move", "to": ["3", "4"]}', (3, 4)), ('["-3", "4"]', (-3, 4))],
)
def test_bare_points_and_digits_as_strings_are_read_where_allowed(frame: str, to: Any) -> None:
    assert read_move(frame.encode(), bare=True) == Move(to)
    assert read_move(frame.encode(), bare=False) == NOWHERE


@given(frame=st.binary(max_size=60), lenient=st.booleans())
def test_any_frame_is_a_good_or_a_bad_answer(frame: bytes, lenient: bool) -> None:
    read_name(frame, unquoted=lenient)
    read_move(frame, bare=lenient)
