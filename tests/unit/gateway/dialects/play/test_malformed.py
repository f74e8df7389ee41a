"""Frames that are no messages of `play`, and messages beyond a limit."""

import time
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.contract import Opening
from gateway.dialects.play.codec import is_nested_too_deeply
from gateway.dialects.play.conversation import PlayConversation
from gateway.dialects.play.messages import AnyIn
from gateway.dialects.requests import (
    ActRequest,
    CloseConnection,
    CountRejection,
    CreateRequest,
    HelloRequest,
    MatchRequest,
)
from gateway.transports.close_codes import MALFORMED, OTHER_VERSION
from shared.errors import ErrorCode
from tests.unit.gateway.dialects.play.conversations import Client, read

# --- malformed frames -------------------------------------------------------------------------------------------------

MALFORMED_FRAMES = [
    (b"", "frame/malformed"),
    (b"hello", "frame/malformed"),
    (b"null", "frame/malformed"),
    (b"[]", "frame/malformed"),
    (b"{}", "frame/malformed"),
    (b'{"type":"fly","id":3}', "frame/unknown_type"),
    (b'{"type":"join"}', "frame/malformed"),
    (b'{"type":"join","id":"3","room":1000}', "frame/malformed"),
    (b'{"type":"join","id":0,"room":1000}', "frame/malformed"),
    (b'{"type":"join","id":9007199254740993,"room":1000}', "frame/malformed"),
    (b'{"type":"hello","name":"\xff"}', "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":{"type":"\xff"}}', "frame/malformed"),
    (b'{"type":"say","id":3,"room":1000,"text":"\\ud800"}', "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":' + b"[" * 30_000 + b"]" * 30_000 + b"}", "frame/malformed"),
    (b'{"type":"act","id":3,"room":1000,"command":' + b'{"a":' * 500 + b"1" + b"}" * 501, "frame/malformed"),
    (b"[" * 60_000, "frame/malformed"),
]


@pytest.mark.parametrize(("frame", "code"), MALFORMED_FRAMES, ids=[str(frame[:50]) for frame, _ in MALFORMED_FRAMES])
def test_a_malformed_frame_gets_an_error(frame: bytes, code: str) -> None:
    client = Client()
    (out,) = client.send(frame)
    assert read(out)["code"] == code
    assert client.rejections == [code]


@pytest.mark.parametrize(
    "frame", [frame for frame, _ in MALFORMED_FRAMES], ids=[str(frame[:50]) for frame, _ in MALFORMED_FRAMES]
)
def test_a_malformed_frame_that_came_too_fast_is_answered_too(frame: bytes) -> None:
    (out,) = Client().play.invalid_frame("busy/rate", frame)
    assert read(out)["code"] == "busy/rate"


def test_many_brackets_side_by_side_are_well_formed() -> None:
    command = msgspec.json.encode({"type": "x", "list": [[] for _ in range(5_000)], "text": "[" * 500})
    (out,) = Client().send(b'{"type":"act","id":3,"room":1000,"command":' + command + b"}")
    assert isinstance(out, ActRequest)


def test_brackets_behind_escaped_quotes_are_still_text() -> None:
    command = msgspec.json.encode({"type": "x", "text": '\\"[' * 500})
    (out,) = Client().send(b'{"type":"act","id":3,"room":1000,"command":' + command + b"}")
    assert isinstance(out, ActRequest)


def act(command: bytes) -> bytes:
    return b'{"type":"act","id":1,"room":1000,"command":' + command + b"}"


def listed(*items: bytes) -> bytes:
    return b"[" + b",".join(items) + b"]"


SHALLOW = {
    "many empty lists": listed(*[b"[]"] * 15_000),
    "many empty objects": listed(*[b"{}"] * 15_000),
    "empty lists at a depth of 90": b"[" * 90 + b",".join([b"[]"] * 15_000) + b"]" * 90,
    "a comb": listed(*[b"[" * 95 + b"]" * 95] * 230),
    "many empty strings": b"[" * 90 + b",".join([b'""'] * 15_000) + b"]" * 90 + b" " * 9,
    "strings of brackets": listed(*[b'"["'] * 11_000, *[b"[]"] * 200),
    "lists with a string of a bracket": listed(*[b'["["]'] * 7_500),
    "keys with a bracket": listed(*[b'{"[":0}'] * 5_600),
    "a long string of brackets": listed(b'"' + b"[" * 40_000 + b'"', *[b"[]"] * 200),
    "escaped backslashes": listed(*[b'"\\\\"'] * 9_000, *[b"[]"] * 200),
    "escaped quotes": listed(*[b'"\\""'] * 9_000, *[b"[]"] * 200),
    "an escaped quote before a bracket": listed(*[b'["\\"["]'] * 5_500),
    "escaped backslashes and quotes": listed(*[b'["\\\\\\"[[["]'] * 4_000),
}
DEEP = {
    "lists": b"[" * 400 + b"]" * 400,
    "objects": b'{"a":' * 400 + b"0" + b"}" * 400,
    "lists and objects": b'[{"a":' * 200 + b"0" + b"}]" * 200,
    "after strings of closing brackets": listed(b'"' + b"]" * 5_000 + b'"', b"[" * 400 + b"]" * 400),
    "with a string at each level": b'["]","]]",' * 400 + b"0" + b"]" * 400,
    "after a string that ends with a backslash": listed(b'"\\\\"', b"[" * 400 + b"]" * 400),
    "after a string with an escaped quote": listed(b'"\\"]]"', b"[" * 400 + b"]" * 400),
    "after many empty lists": listed(*[b"[]"] * 9_000, b"[" * 400 + b"]" * 400),
    "not closed": b"[" * 5_000,
}


@pytest.mark.parametrize("command", SHALLOW.values(), ids=SHALLOW)
def test_a_large_command_that_is_not_deep_is_accepted(command: bytes) -> None:
    (out,) = Client().send(act(command))
    assert isinstance(out, ActRequest)


@pytest.mark.parametrize("command", DEEP.values(), ids=DEEP)
def test_a_command_that_is_nested_too_deeply_is_malformed(command: bytes) -> None:
    (out,) = Client().send(act(command))
    assert read(out)["code"] == "frame/malformed"
    assert "deep" in read(out)["text"]


@given(st.integers(1, 97), st.integers(0, 300), st.booleans())
def test_no_depth_up_to_a_hundred_is_refused(depth: int, before: int, objects: bool) -> None:
    nested = b'{"[":' * depth + b"0" + b"}" * depth if objects else b"[" * depth + b"]" * depth
    (out,) = Client().send(act(listed(*[b"[]"] * before, nested)))
    assert isinstance(out, ActRequest)


def cpu_s(call: Callable[[bytes], object], frame: bytes) -> float:
    """The least CPU time of several calls."""
    spent = []
    for _ in range(15):
        begun = time.process_time()
        call(frame)
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.parametrize("command", SHALLOW.values(), ids=SHALLOW)
def test_checking_the_depth_of_any_frame_costs_less_than_decoding_many_lists(command: bytes) -> None:
    lists = act(SHALLOW["many empty lists"])
    assert cpu_s(is_nested_too_deeply, act(command)) < cpu_s(msgspec.json.decode, lists)


def test_an_unterminated_string_is_rejected_in_linear_time() -> None:
    begun = time.process_time()
    (out,) = Client().send(b"[" * 101 + b'"' + b'\\"' * 32_000)
    assert read(out)["code"] == "frame/malformed"
    assert time.process_time() - begun < 1


def test_an_error_names_the_request_as_far_as_it_can_be_read() -> None:
    (out,) = Client().send(b'{"type":"join","id":3,"room":1000,"wants":5}')
    assert read(out)["id"] == 3
    assert read(out)["room"] == 1000


@pytest.mark.parametrize("room", ["1000", None, 1.5, True, [1000]])
def test_an_error_names_the_request_even_if_its_room_is_invalid(room: object) -> None:
    received = Client().reply(type="join", id=3, room=room)
    assert received["code"] == "frame/malformed"
    assert received["id"] == 3
    assert "room" not in received


def test_twenty_malformed_frames_in_a_row_close_the_connection() -> None:
    client = Client()
    outs = [client.send(b"?") for _ in range(20)]
    assert [len(out) for out in outs] == [1] * 19 + [2]
    assert outs[-1][1] == CloseConnection(MALFORMED)


def test_a_well_formed_frame_resets_the_count_of_malformed_ones() -> None:
    client = Client()
    for _ in range(19):
        client.send(b"?")
    client.say(type="ping")
    assert len(client.send(b"?")) == 1


@pytest.mark.parametrize("code", ["frame/binary", "frame/too_big", "busy/rate", "busy/connections"])
def test_an_invalid_frame_gets_an_error(code: ErrorCode) -> None:
    (out,) = Client().play.invalid_frame(code)
    assert read(out)["code"] == code


@given(st.binary(max_size=200))
def test_receiving_any_bytes_does_not_raise(frame: bytes) -> None:
    Client().send(frame)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KINDS = sorted(str(kind.__struct_config__.tag) for kind in get_args(AnyIn))
FIELDS = ("id", "room", "game", "seats", "options", "choice", "wants", "epoch", "offset", "text", "to", "token")


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), json, max_size=6))
def test_receiving_any_fields_does_not_raise(kind: str, fields: dict[str, Any]) -> None:
    Client().send(msgspec.json.encode({"type": kind, **fields}))


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["create", "match"])
def test_options_beyond_8_kilobytes_are_refused_before_anything_is_asked(kind: str) -> None:
    client = Client()
    fits, too_long = ({"text": "x" * (8 * 1024 - len('{"text":""}') + more)} for more in (0, 1))
    (request,) = client.say(type=kind, id=3, game="stones", seats=2, options=fits)
    assert isinstance(request, CreateRequest | MatchRequest)
    error = client.reply(type=kind, id=4, game="stones", seats=2, options=too_long)
    assert error["code"] == "room/bad_options"
    assert error["text"] == "the options have more than 8192 bytes"
    assert error["id"] == 4
    assert client.rejections == ["room/bad_options"]


@pytest.mark.parametrize("protocol", ["1", "1.0", "1.7", ""])
def test_a_client_of_the_same_major_version_is_welcome(protocol: str) -> None:
    conversation = PlayConversation(Opening({}, RoomDirectory(lambda call: call())))
    (request,) = conversation.receive(msgspec.json.encode({"type": "hello", "name": "ada", "protocol": protocol}))
    assert isinstance(request, HelloRequest)


@pytest.mark.parametrize("protocol", ["2", "0.9", "10.1", "x"])
def test_a_client_of_another_major_version_is_told_ours_and_closed(protocol: str) -> None:
    conversation = PlayConversation(Opening({}, RoomDirectory(lambda call: call())))
    hello = msgspec.json.encode({"type": "hello", "name": "ada", "protocol": protocol})
    counted, error, close = conversation.receive(hello)
    assert counted == CountRejection("protocol/version")
    assert isinstance(error, bytes)
    assert msgspec.json.decode(error)["text"].endswith(": 1.0")
    assert close == CloseConnection(OTHER_VERSION)
