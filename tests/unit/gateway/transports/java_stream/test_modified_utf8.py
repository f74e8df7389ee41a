"""Java's modified UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transports.java_stream.modified_utf8 import decode, encode
from shared.errors import ProtocolError


@given(st.text())
def test_every_text_round_trips(text: str) -> None:
    assert decode(encode(text)) == text


def test_ascii_is_unchanged() -> None:
    assert encode('{"type":"Ping"}') == b'{"type":"Ping"}'


def test_nul_takes_two_bytes() -> None:
    assert encode("a\0b") == b"a\xc0\x80b"


def test_a_character_above_ffff_is_two_surrogates_of_three_bytes() -> None:
    assert encode("🎲") == b"\xed\xa0\xbc\xed\xbe\xb2"


def test_a_lone_surrogate_cannot_be_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode("\ud83c")


@pytest.mark.parametrize(
    "data",
    [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x8e\xb2", b"\xc1\x81", b"\xed\xa0\xbc", b"\xed\xbe\xb2\xed\xa0\xbc"],
    ids=["no character", "cut", "cut after two", "four bytes", "overlong", "lone surrogate", "surrogates swapped"],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(data)
