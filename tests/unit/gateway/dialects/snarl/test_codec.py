"""Messages are encoded, and names decoded, as the protocol page says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.snarl.codec import decode_name, encode, encode_result
from gateway.dialects.snarl.messages import (
    EndGame,
    EndLevel,
    PlayerScore,
    PlayerUpdate,
    SeenActor,
    SeenObject,
    StartLevel,
    Welcome,
)
from shared.games.snarl.events import Result


def test_messages_are_one_line_with_the_type_first_and_a_space_after_colon_and_comma() -> None:
    assert encode(Welcome("x")) == b'{"type": "welcome", "info": "x"}'
    assert (
        encode(StartLevel(1, ("alice", "bob"))) == b'{"type": "start-level", "level": 1, "players": ["alice", "bob"]}'
    )
    update = PlayerUpdate(
        ((0, 1),), (2, 2), (SeenObject("key", (1, 2)),), (SeenActor("zombie", "zombie1", (1, 4)),), None
    )
    assert encode(update) == (
        b'{"type": "player-update", "layout": [[0, 1]], "position": [2, 2], '
        b'"objects": [{"type": "key", "position": [1, 2]}], '
        b'"actors": [{"type": "zombie", "name": "zombie1", "position": [1, 4]}], "message": null}'
    )
    assert encode(EndLevel(None, (), ("bob",))) == b'{"type": "end-level", "key": null, "exits": [], "ejects": ["bob"]}'
    assert encode(EndGame((PlayerScore("bob", 0, 2, 1),))) == (
        b'{"type": "end-game", "scores": [{"type": "player-score", "name": "bob", "exits": 0, "ejects": 2, "keys": 1}]}'
    )


def test_results_are_strings_in_quotes() -> None:
    assert [encode_result(result) for result in Result] == [b'"OK"', b'"Key"', b'"Exit"', b'"Eject"']


@pytest.mark.parametrize("name", ["a", "Bob", "bob", "42", "x" * 32, "zombie", "ghost", "ok", "Name", "zombie1x"])
def test_valid_names_are_decoded(name: str) -> None:
    assert decode_name(f'"{name}"'.encode(), unquoted=False) == name
    assert decode_name(f'"{name}"'.encode(), unquoted=True) == name
    assert decode_name(f" {name}\r".encode(), unquoted=True) == name
    assert decode_name(name.encode(), unquoted=False) is None


@pytest.mark.parametrize(
    "frame",
    [
        '""', '" "', '"two words"', '"é"', '"٣"', '"a_b"', '"a\\n"', '"' + "x" * 33 + '"', '"alice', "null", "{}",
        '["alice"]', "17", '"name"', '"move"', '"OK"', '"Key"', '"Exit"', '"Eject"', '"Invalid"', '"zombie1"',
        '"ghost007"', '"\\ud800"', "",
    ],
)  # fmt: skip
def test_invalid_names_are_not_decoded(frame: str) -> None:
    assert decode_name(frame.encode(), unquoted=False) is None


@pytest.mark.parametrize("frame", [b"two words", b"\xff\xfe", b"move", b"zombie12", b"{}", b"", b'"alice"x'])
def test_invalid_names_without_quotes_are_not_decoded(frame: bytes) -> None:
    assert decode_name(frame, unquoted=True) is None


@given(frame=st.binary(max_size=60), unquoted=st.booleans())
def test_decoding_a_name_from_any_bytes_does_not_raise(frame: bytes, unquoted: bool) -> None:
    decode_name(frame, unquoted=unquoted)
