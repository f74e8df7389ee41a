"""One message per line, wherever the stream is cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.framing import MOST_BYTES, Lines
from shared.errors import ProtocolError

Heard = list[bytes | str]


def feed(lines: Lines, *pieces: bytes) -> Heard:
    """Frames, and the codes of errors."""
    received = [item for piece in pieces for item in lines.feed(piece)]
    return [item.code if isinstance(item, ProtocolError) else item for item in received]


def test_every_line_is_a_message() -> None:
    assert feed(Lines(), b"a\nb\n") == [b"a", b"b"]


def test_a_line_without_its_end_is_not_there_yet() -> None:
    assert feed(Lines(), b"a\nb") == [b"a"]


def test_a_carriage_return_belongs_to_the_end() -> None:
    assert feed(Lines(), b"a\r\n") == [b"a"]


def test_empty_lines_are_no_messages() -> None:
    assert feed(Lines(), b"\n \r\n\na\n") == [b"a"]


def test_a_message_is_written_with_its_end() -> None:
    assert Lines().frame(b"a") == b"a\n"


def test_silence_completes_no_line() -> None:
    assert Lines().idle() == []


def test_the_stream_may_be_cut_at_every_position() -> None:
    data = b'{"a":1}\r\n\n{"b":2}\n' + "é\n".encode()
    whole = feed(Lines(), data)
    for cut in range(len(data) + 1):
        assert feed(Lines(), data[:cut], data[cut:]) == whole


@given(st.binary(max_size=120), st.lists(st.integers(0, 120), max_size=6))
def test_cuts_do_not_matter(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[begin:end] for begin, end in pairwise(places)]
    assert feed(Lines(8), *pieces) == feed(Lines(8), *(bytes((byte,)) for byte in data))


def test_the_longest_line_is_a_message() -> None:
    line = b"x" * MOST_BYTES
    assert feed(Lines(), line + b"\n") == [line]


@pytest.mark.parametrize("piece", [1, 1_000, 10**6])
def test_a_line_that_is_too_long_is_refused_once(piece: int) -> None:
    data = b"x" * 3_000 + b"\nhello\n"
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    assert feed(Lines(1_000), *pieces) == ["frame/too_big", b"hello"]


def test_a_line_that_is_too_long_is_not_kept_in_memory() -> None:
    lines = Lines(1_000)
    for _ in range(100):
        lines.feed(b"x" * 1_000)
    assert len(lines._rest) <= 1_000


def test_blank_lines_before_between_and_after_messages_are_skipped() -> None:
    assert Lines().feed(b"\n \r\n\t\nhello\n\n\n  \nagain\r\n\n") == [b"hello", b"again"]
