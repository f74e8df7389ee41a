"""The TCP stream: values split and joined in every way, names without quotes, malformed input, and the limit."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.dialects.framing import MOST_BYTES, Framing
from gateway.dialects.snarl import DIALECT, SnarlSettings, snarl_dialect
from gateway.dialects.snarl.scanner import Scan, Scanner
from shared.errors import ProtocolError

MALFORMED, ENDLESS = "frame/malformed", "frame/endless"


def moving(**options: str) -> Framing:
    """A stream after the prompt for a move."""
    framing = DIALECT.framing(options)
    framing.frame(b'"move"')
    return framing


def naming(**options: str) -> Framing:
    framing = DIALECT.framing(options)
    framing.frame(b'{"type": "welcome", "info": "x"}')
    framing.frame(b'"name"')
    return framing


def plain(found: list[bytes | ProtocolError]) -> list[str]:
    return [part.code if isinstance(part, ProtocolError) else part.decode() for part in found]


def fed(framing: Framing, *pieces: bytes) -> list[str]:
    return [part for piece in pieces for part in plain(framing.feed(piece))]


STREAM = (
    b'{"type": "move", "to": [3, 4]}\n\r\n [1,2]null{"to":\n null ,"type":"move"}'
    b'"a\\"\\u00e9}"\ttrue[[],{}]\n-1.5e3 0\n'
)
VALUES = [
    '{"type": "move", "to": [3, 4]}',
    "[1,2]",
    "null",
    '{"to":\n null ,"type":"move"}',
    '"a\\"\\u00e9}"',
    "true",
    "[[],{}]",
    "-1.5e3",
    "0",
]


def test_values_come_with_any_white_space_between_them_or_none() -> None:
    assert fed(moving(), STREAM) == VALUES


@pytest.mark.parametrize("at", range(len(STREAM)))
def test_a_stream_may_be_split_at_every_position(at: int) -> None:
    assert fed(moving(), STREAM[:at], STREAM[at:]) == VALUES


def test_a_stream_may_come_byte_by_byte() -> None:
    assert fed(moving(), *(bytes([byte]) for byte in STREAM)) == VALUES


def test_an_unfinished_value_is_no_error_however_long_it_takes() -> None:
    framing = moving()
    assert fed(framing, b'{"type": "mo') == []
    assert plain(framing.idle()) == []
    assert fed(framing, b've", "to": null}') == ['{"type": "move", "to": null}']


@pytest.mark.parametrize(
    "rubbish",
    [
        b"hello", b"{hello}", b'{"type" "move"}', b"[1 2]", b"[1,]", b'{"a":1,}', b'{1:2}', b"]", b"}", b",", b"nul!",
        b"01", b"1.x", b"-", b"+1", b"1e", b'"a\x01"', b'"\\x"', b'"\\u12g4"', b"\xff", b"\xef\xbb\xbf{}", b"[}", b"{]",
        b"NaN", b"'a'", b"// x", b'{"a"}', b'{"a":}', b"[,1]",
    ],
)  # fmt: skip
def test_malformed_input_up_to_the_end_of_the_line_is_one_malformed_answer(rubbish: bytes) -> None:
    framing = moving()
    found = fed(framing, rubbish + b' {"type": "move"} \n{"type": "move", "to": null}\n')
    assert found == [MALFORMED, '{"type": "move", "to": null}']


def test_malformed_input_without_a_line_end_is_one_answer_after_a_pause() -> None:
    framing = moving()
    assert framing.idle_ms > 0
    assert fed(framing, b"hello ", b"there [1, 2]") == []
    assert plain(framing.idle()) == [MALFORMED]
    assert plain(framing.idle()) == []
    assert fed(framing, b"[1, 2]") == ["[1, 2]"]


def test_a_line_end_inside_a_string_or_literal_ends_the_malformed_input_too() -> None:
    assert fed(moving(), b'"alice\n[1, 2]\n') == [MALFORMED, "[1, 2]"]
    assert fed(moving(), b"tru\n[1, 2]\n") == [MALFORMED, "[1, 2]"]


def test_a_number_by_itself_ends_with_a_pause() -> None:
    framing = moving()
    assert fed(framing, b"12") == []
    assert plain(framing.idle()) == ["12"]
    assert fed(framing, b"-") == []
    assert plain(framing.idle()) == []


@pytest.mark.parametrize(
    ("sent", "name"),
    [(b'"alice"', '"alice"'), (b"alice\n", "alice"), (b" \r\n  alice \r\n", "alice"), (b"two words\n", "two words")],
)
def test_names_come_with_and_without_quotes(sent: bytes, name: str) -> None:
    for at in range(len(sent)):
        assert fed(naming(), sent[:at], sent[at:]) == [name]


def test_a_name_without_quotes_and_line_end_ends_with_a_pause() -> None:
    framing = naming()
    assert fed(framing, b"ali") == []
    assert fed(framing, b"ce") == []
    assert plain(framing.idle()) == ["alice"]


def test_after_the_name_the_stream_is_json_again() -> None:
    framing = naming()
    assert fed(framing, b"alice\n") == ["alice"]
    framing.frame(b'{"type": "start-level", "level": 1, "players": ["alice"]}')
    assert fed(framing, b"[1, 2]null") == ["[1, 2]", "null"]


@pytest.mark.parametrize("options", [{"strict": ""}, {"unquoted-names": "off"}])
def test_a_strict_listener_takes_names_in_quotes_only(options: dict[str, str]) -> None:
    assert fed(naming(**options), b'alice\n"alice"\n') == [MALFORMED, '"alice"']


@pytest.mark.parametrize("begin", [b'"', b"[", b'{"a": "', b"x"])
@pytest.mark.parametrize("piece", [1 << 10, 1 << 20])
def test_a_value_or_line_beyond_the_limit_ends_the_connection(begin: bytes, piece: int) -> None:
    framing = moving()
    filler = b"[" if begin == b"[" else b"a"
    found = fed(framing, begin)
    for _ in range(MOST_BYTES // piece + 1):
        found += fed(framing, filler * piece)
    assert found == [ENDLESS]
    assert fed(framing, b'\n"alice"\n') == []
    assert plain(framing.idle()) == []


def test_an_unquoted_name_beyond_the_limit_ends_the_connection() -> None:
    assert fed(naming(), b"a" * MOST_BYTES, b"a") == [ENDLESS]


def test_a_value_of_just_the_limit_is_fine_and_blanks_cost_nothing() -> None:
    value = b'"' + b"a" * (MOST_BYTES - 2) + b'"'
    assert fed(moving(), b" " * 3 * MOST_BYTES, value) == [value.decode()]


def test_separator_and_pause_are_options_of_the_listener() -> None:
    assert DIALECT.framing({}).frame(b'"OK"') == b'"OK"\n'
    assert DIALECT.framing({"separator": "none"}).frame(b'"OK"') == b'"OK"'
    assert DIALECT.framing({"pause": "0.1"}).pause_ms == 100
    assert DIALECT.framing({}).pause_ms == 0
    set_up = snarl_dialect(SnarlSettings(separator="none", pause_ms=1300))
    assert set_up.framing({}).frame(b'"OK"') == b'"OK"'
    assert set_up.framing({"separator": "newline"}).frame(b'"OK"') == b'"OK"\n'
    assert set_up.framing({}).pause_ms == 1300


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


@given(values=st.lists(json_values, min_size=1, max_size=4), cut=st.integers(1, 9), ascii_only=st.booleans())
def test_any_values_in_any_pieces_are_found(values: list[Any], cut: int, ascii_only: bool) -> None:
    stream = "\n".join(json.dumps(value, ensure_ascii=ascii_only) for value in values).encode() + b"\n"
    pieces = [stream[at : at + cut] for at in range(0, len(stream), cut)]
    assert [json.loads(part) for part in fed(moving(), *pieces)] == values


@given(text=st.text(alphabet='{}[]",:0123456789.-+eEtrufalsn\\ \nx', max_size=24))
def test_the_scanner_agrees_with_a_json_parser(text: str) -> None:
    scanner, ended = Scanner(), ""
    stripped = text.lstrip(" \n")
    for at, char in enumerate(stripped):
        scan = scanner.feed(ord(char))
        if scan is Scan.BAD:
            with pytest.raises(json.JSONDecodeError):
                json.loads(stripped[: at + 1])
            return
        if scan is not Scan.MORE:
            ended = stripped[: at + (scan is Scan.DONE)]
            break
    if ended:
        json.loads(ended)


@given(data=st.binary(max_size=200), name=st.booleans(), cut=st.integers(1, 50))
def test_feeding_any_bytes_does_not_raise(data: bytes, name: bool, cut: int) -> None:
    framing = naming() if name else moving()
    for at in range(0, len(data), cut):
        framing.feed(data[at : at + cut])
        framing.idle()
