"""Bounds of the reader: bytes, lengths, depth, handles, memory and time."""

import struct
import time
import tracemalloc

import pytest

from gateway.dialects.eriantys.events import java_classes
from gateway.transports.java_stream.constants import HEADER
from gateway.transports.java_stream.framing import STRINGS
from gateway.transports.java_stream.jdk import ARRAY_LIST
from gateway.transports.java_stream.limits import DEFAULT_LIMITS, Limits
from gateway.transports.java_stream.reader import ObjectReader
from gateway.transports.java_stream.types import LIST, OBJECT, ClassTable, JavaClass, JavaValue, record
from shared.errors import ErrorCode, ProtocolError
from tests.unit.gateway.transports.java_stream.samples import array, read_all, reference, stream_of

pytestmark = pytest.mark.slow

LOGIN = java_classes.FROM_CLIENT.messages["Login"].create(username="ann")
LOGIN_STREAM = stream_of([LOGIN], resets=False)
LISTED = record("example.Listed", items=LIST)
LISTS = ClassTable((LISTED,), (ARRAY_LIST,))


def code_of(data: bytes, table: ClassTable) -> ErrorCode:
    """The code of the only error, which must come without a value."""
    (error,) = ObjectReader(table).feed(data)
    assert isinstance(error, ProtocolError)
    return error.code


@pytest.mark.parametrize(
    "data",
    [
        b"\x7c" + b"\xff" * 8,
        b"\x7c" + b"\x7f" * 8,
        b"\x7c\x00\x00\x00\x00\x00\x01\x00\x00",
        b"\x79" * (64 * 1024 + 1),
    ],
    ids=["negative", "endless", "64 KiB", "resets"],
)
def test_a_message_of_more_than_64_kib_is_refused_at_once(data: bytes) -> None:
    assert code_of(HEADER + data, STRINGS) == "frame/too_big"


@pytest.mark.parametrize("length", [-1, 65_530, 2**31 - 1])
def test_lengths_of_collections_are_checked_before_the_elements_are_read(length: int) -> None:
    """The streams end after the length, so only a check of the length itself can refuse them."""
    rows = record("example.Rows", rows="[J")
    empty_array = stream_of([rows.create(rows=array("[J"))])
    empty_list = stream_of([LISTED.create(items=())])
    size = struct.pack(">i", length)
    code_of(empty_array[:-4] + size, ClassTable((rows,)))
    assert empty_list.endswith(bytes(4) + b"\x77\x04" + bytes(4) + b"\x78")
    code_of(empty_list[:-11] + size + b"\x77\x04" + bytes(4), LISTS)


def test_deep_nesting_is_refused() -> None:
    nested: JavaValue = ()
    for _ in range(100):
        nested = (nested,)
    assert code_of(stream_of([LISTED.create(items=nested)]), LISTS) == "frame/too_big"


def test_a_chain_of_superclasses_is_bounded() -> None:
    lowest: JavaClass | None = None
    for number in range(100):
        lowest = JavaClass(f"example.Level{number}", number, parent=lowest)
    assert lowest is not None
    assert code_of(stream_of([lowest.create()]), ClassTable((lowest,))) == "frame/too_big"


def test_references_count_with_the_size_of_what_they_refer_to() -> None:
    """Each list refers twice to the one before: written out, the last would have 2**30 elements."""
    box = record("example.Box", first=OBJECT, second=OBJECT)
    data = stream_of([box.create(first=None, second=None)], resets=False)
    for place in range(30):
        previous = reference(2 + place)
        data += b"\x73" + reference(0) + previous + previous
    *_, error = read_all(data, ClassTable((box,)))
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/too_big"


def test_the_number_of_handles_is_bounded() -> None:
    reader = ObjectReader(java_classes.FROM_CLIENT, Limits(handles=1_000))
    found = reader.feed(LOGIN_STREAM + b"\x73" + reference(0) + reference(3))
    assert found == [LOGIN, LOGIN]
    again = (b"\x73" + reference(0) + reference(3)) * 1_000
    *messages, error = reader.feed(again)
    assert messages == [LOGIN] * 995
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/too_big"


def test_resets_make_room_for_more() -> None:
    reader = ObjectReader(STRINGS, Limits(handles=10, kept_bytes=1_000))
    data = HEADER + b"\x79\x74\x00\x03abc" * 1_000
    assert reader.feed(data) == ["abc"] * 1_000


def test_bytes_without_a_reset_are_bounded() -> None:
    *messages, error = ObjectReader(STRINGS, Limits(kept_bytes=1_000)).feed(HEADER + b"\x74\x00\x03abc" * 1_000)
    assert messages == ["abc"] * 166
    assert isinstance(error, ProtocolError)
    assert error.code == "frame/too_big"


def test_the_handles_of_one_connection_take_a_few_mebibytes_at_most() -> None:
    """The dearest objects for their bytes have many fields that are references."""
    event = java_classes.FROM_CLIENT.messages["SwapStudentCardEntranceEvent"]
    red = java_classes.COLOR.constant("RED")
    value = event.create(studentFromCard=red, studentFromEntrance=red, playerNumber=0)
    data = stream_of([value] * 4_000, resets=False)
    reader = ObjectReader(java_classes.FROM_CLIENT)
    tracemalloc.start()
    try:
        for start in range(0, len(data), 4_096):
            reader.feed(data[start : start + 4_096])
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / 4_000 * DEFAULT_LIMITS.handles < 8 * 1024 * 1024


def test_single_bytes_cost_time_linear_in_their_number() -> None:
    """A message of 60 KiB in portions of one byte takes about as long per byte as one of 6 KiB."""

    def seconds_per_byte(count: int) -> float:
        data = stream_of([LISTED.create(items=(None,) * count)])
        reader = ObjectReader(LISTS)
        begin = time.process_time()
        found = [value for place in range(len(data)) for value in reader.feed(data[place : place + 1])]
        spent = time.process_time() - begin
        assert len(found) == 1
        return spent / len(data)

    assert seconds_per_byte(60_000) < 4 * max(seconds_per_byte(6_000), seconds_per_byte(6_000))
